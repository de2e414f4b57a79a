// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>

namespace roam::fuzz {

/// A file for targets that read files; removed when the process ends.
class ScratchFile {
 public:
  explicit ScratchFile(std::string_view extension)
      : path_(std::filesystem::temp_directory_path() /
              ("roam_fuzz_" + std::to_string(::getpid()) + std::string(extension))) {}
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  /// Its path, now that it holds `text` alone.
  [[nodiscard]] std::string holding(std::string_view text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
    return path_.string();
  }

 private:
  std::filesystem::path path_;
};

}  // namespace roam::fuzz
