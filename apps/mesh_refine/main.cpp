// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "parallel/parallel_run.hpp"
#include "parallel/program_settings.hpp"

int main(int argc, char** argv) {
  int exit_status = 0;
  const int status =
      roam::main(argc, argv, mesh_refine::read_settings,
                 [&](roam::Runtime& rt, const mesh_refine::ProgramSettings& settings) {
                   return mesh_refine::refine_in_parallel(rt, settings, exit_status);
                 });
  return status != 0 ? status : exit_status;
}
