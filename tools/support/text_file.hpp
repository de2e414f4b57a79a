// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace roam_tools {

/// Writes a file that an option names. Throws roam::ConfigError "OPTION: cannot write PATH".
void write_text_file(const std::string& path, std::string_view text, std::string_view option);

}  // namespace roam_tools
