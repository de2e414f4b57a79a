// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam_tools {

/// The exit status for a tool's main(): that of `run`. After an exception, whose message is printed
/// on standard error behind `name`, it is 2 if the user's input is wrong (roam::ConfigError), else
/// 1.
[[nodiscard]] int run_program(const char* name, int (*run)(int argc, char** argv), int argc,
                              char** argv);

}  // namespace roam_tools
