// SPDX-License-Identifier: Apache-2.0
#include <roam/roam.hpp>

#include "parallel/parallel_run.hpp"
#include "parallel/run_settings.hpp"

int main(int argc, char** argv) {
  return roam::main(argc, argv, seismic::read_run_settings, seismic::run_waves);
}
