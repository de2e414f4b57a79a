// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace roam_tools {

/// The files of recorded loads that a command line names: files as they are, and in place of a
/// folder its files *.json and *.json.br, sorted by name. Throws roam::ConfigError for a folder
/// that has none of them.
[[nodiscard]] std::vector<std::string> files_of(const std::vector<std::string>& paths);

}  // namespace roam_tools
