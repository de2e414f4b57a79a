// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstdio>
#include <exception>

namespace support {

/// The main function of an application written with MPI alone, to compare with. `read(argc, argv,
/// settings)` parses the command line as roam::main() has it done: it returns the exit status if
/// the program should end, else -1; errors are reported by process 0 alone. `run(settings)` does
/// the work and returns the exit status, on process 0; what it throws ends all processes with
/// status 1.
template <class Settings>
int plain_main(int argc, char** argv, int (*read)(int, char**, Settings&),
               int (*run)(const Settings&)) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Settings settings;
  int status = rank == 0 ? read(argc, argv, settings) : 0;
  MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (status < 0) {
    if (rank != 0) read(argc, argv, settings);
    try {
      status = run(settings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return status;
}

}  // namespace support
