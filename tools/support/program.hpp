// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam_tools {

/// What a tool's main() returns: the status of `run`; after an exception, whose words go to
/// standard error behind `name`, 2 where the user's input is wrong (roam::ConfigError), else 1.
[[nodiscard]] int run_program(const char* name, int (*run)(int argc, char** argv), int argc,
                              char** argv);

}  // namespace roam_tools
