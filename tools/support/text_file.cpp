// SPDX-License-Identifier: Apache-2.0
#include "support/text_file.hpp"

#include <fstream>

#include "roam/core/error.hpp"

namespace roam_tools {

void write_text_file(const std::string& path, std::string_view text, std::string_view option) {
  std::ofstream file(path, std::ios::trunc);
  file << text;
  if (!file.flush()) throw roam::ConfigError(std::string(option) + ": cannot write " + path);
}

}  // namespace roam_tools
