// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "coarse/preparation_error.hpp"
#include "coarse/temporary_directory.hpp"

namespace mesh_refine {

/// A program that is needed is not installed. The message says how to get it.
class MissingProgram : public PreparationError {
 public:
  using PreparationError::PreparationError;
};

struct ProgramResult {
  int exit_status = 0;     ///< 128 + signal when killed by a signal
  bool timed_out = false;  ///< it ran past the limit and was killed
  double seconds = 0.0;
  std::uint64_t peak_bytes = 0;  ///< most resident memory, its own or of the shell around it
  std::string output;            ///< standard output and error together
};

/// Runs `arguments[0]` (looked up in PATH, not interpreted by a shell) with its output collected in
/// the file "log" of `directory`. Blocks until it ends or `limit` has passed. Should this process
/// end before the program, the program is killed, and then the directory removed. Throws
/// MissingProgram with `remedy` when there is no such program, std::system_error when no process
/// can be started. Thread-safe.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& arguments,
                                        const TemporaryDirectory& directory,
                                        std::chrono::milliseconds limit, const std::string& remedy);

}  // namespace mesh_refine
