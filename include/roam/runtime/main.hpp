// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <utility>

#include "roam/runtime/run.hpp"

namespace roam {

namespace detail {
/// The part of roam::main() that does not depend on types.
int run_main(int argc, char** argv, const std::function<int(int, char**)>& read_settings,
             const Runtime::Program& program, const Options& defaults);
}  // namespace detail

/// The main() of a program that has command-line arguments of its own:
///
///   int main(int argc, char** argv) { return roam::main(argc, argv, read_settings, program); }
///
/// Calls read_settings(argc, argv, settings), once in each process, with the arguments that are
/// left when Roam's options have been taken out; then roam::run() with program(runtime, settings)
/// on every rank. Ranks of one process share the settings, which nobody may change any more. Any
/// parser of command lines will do. Returns the program's exit status: what read_settings returns
/// if that is not negative, so that help and mistakes end the program there (0 and 2 are usual);
/// 2, with the reason on standard error, if it throws; else that of roam::run(). With --roam-help
/// and with wrong options of Roam's nothing is read. `defaults`: the program's own for Roam's
/// options, as for roam::run().
template <class Settings, class Program>
int main(int argc, char** argv, int (*read_settings)(int argc, char** argv, Settings& settings),
         const Program& program, const Options& defaults = detail::default_options()) {
  Settings settings{};
  return detail::run_main(
      argc, argv,
      [&](int count, char** arguments) { return read_settings(count, arguments, settings); },
      [&](Runtime& rank) { return program(rank, std::as_const(settings)); }, defaults);
}

}  // namespace roam
