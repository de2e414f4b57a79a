// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <vector>

namespace support {

/// The sum over all steps of the work of the process that has most, over that of the mean: no
/// balancing makes the run shorter by a larger factor. `work`: that of this process in each step,
/// in any unit; `total`: that of all processes in one step, the same in each. On process 0 of
/// MPI_COMM_WORLD, otherwise 0. Blocks until all processes have called it.
[[nodiscard]] inline double most_over_mean(const std::vector<double>& work, double total) {
  int processes = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<double> most(work.size());
  MPI_Reduce(work.data(), most.data(), static_cast<int>(work.size()), MPI_DOUBLE, MPI_MAX, 0,
             MPI_COMM_WORLD);
  if (rank != 0) return 0;
  double sum = 0;
  for (const double one : most) sum += one;
  return sum * processes / total / static_cast<double>(work.size());
}

}  // namespace support
