// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roam::core {

/// The whole file. Blocks while it reads. Throws ConfigError "cannot read FILE: reason", also for
/// folders and files over 64 MiB.
[[nodiscard]] std::string read_text_file(const std::string& path);

/// For messages that repeat what a user gave: line ends and other control characters become '?',
/// and of more than 600 bytes the end is cut off.
[[nodiscard]] std::string one_line(std::string text);

}  // namespace roam::core
