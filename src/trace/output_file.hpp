// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roam::trace {

/// A file that appears under its name only once it is complete: it is written beside that name and
/// renamed by commit(). Without commit() nothing is left. Devices and pipes are written directly.
/// All errors are roam::Error.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::string_view text) {
    buffer_.append(text);
    if (buffer_.size() >= flush_bytes) flush();
  }
  void commit();

 private:
  static constexpr std::size_t flush_bytes = std::size_t{1} << 16;
  void flush();
  [[noreturn]] void fail() const;

  const std::string path_;  // as given, for messages
  std::string target_;      // after following symbolic links
  std::string temporary_;   // empty: written in place, or renamed already
  int descriptor_ = -1;
  std::string buffer_;
};

}  // namespace roam::trace
