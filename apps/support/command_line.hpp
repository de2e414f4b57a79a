// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace support {

/// Parses a program's own options, then calls `check`, which throws CLI::ValidationError for
/// invalid combinations. Returns the exit status if the program should end here - 0 after --help, 2
/// after an error, which is reported in one line - else -1.
int parse(CLI::App& app, int argc, char** argv, const std::function<void()>& check = {});

}  // namespace support
