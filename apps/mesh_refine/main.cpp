// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>
#include <vector>

#include "parallel/parallel_run.hpp"
#include "parallel/program_settings.hpp"

int main(int argc, char** argv) {
  // Roam's options are taken out of a copy first, so that the rest are this program's.
  std::vector<char*> arguments(argv, argv + argc + 1);
  int left = argc;
  mesh_refine::ProgramSettings settings;
  int exit_status = 0;
  const auto program = [&](roam::Runtime& rt) {
    return mesh_refine::refine_in_parallel(rt, settings, exit_status);
  };
  try {
    const roam::ParsedArguments parsed = roam::take_options(left, arguments.data());
    if (!parsed.help) {
      const int status = mesh_refine::read_settings(left, arguments.data(), settings);
      if (status >= 0) return status;
    }
  } catch (const roam::ConfigError&) {
    // Reported below.
  }
  const int status = roam::run(argc, argv, program);
  return status != 0 ? status : exit_status;
}
