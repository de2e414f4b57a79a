// SPDX-License-Identifier: Apache-2.0
#include "support/data_files.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "roam/core/error.hpp"

namespace roam_tools {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      files.push_back(path);
      continue;
    }
    const std::size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(path)) {
      const std::string name = entry.path().string();
      if (name.ends_with(".json") || name.ends_with(".json.br")) files.push_back(name);
    }
    if (files.size() == before) {
      throw roam::ConfigError(path + ": there is no file *.json in this folder");
    }
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
  }
  return files;
}

}  // namespace roam_tools
