// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace mesh_refine {

/// A program that is needed is not installed. The message says how to get it.
class MissingProgram : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct ProgramResult {
  int exit_status = 0;     ///< 128 + signal when killed by a signal
  bool timed_out = false;  ///< it ran past the limit and was killed
  std::string output;      ///< standard output and error together
};

/// Runs `arguments[0]` (looked up in PATH, no shell) with its output collected in `log_file`.
/// Blocks until it ends or `limit` has passed. Throws MissingProgram with `remedy` when there is no
/// such program, std::system_error when it cannot be started. Thread-safe.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& arguments,
                                        const std::filesystem::path& log_file,
                                        std::chrono::milliseconds limit, const std::string& remedy);

}  // namespace mesh_refine
