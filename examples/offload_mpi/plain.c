/* SPDX-License-Identifier: Apache-2.0 */
/* Time steps over patches, with MPI between ranks and OpenMP inside them: the ranks with few patches
 * wait for rank 0 in each step. with_roam.c is the same program with tasks that they compute for it. */
#include <omp.h>

#include "patches.h"

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);

  double *values = make_patches(rank);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    double edge = exchange(values, rank, size);
#pragma omp parallel for schedule(dynamic)
    for (int patch = 0; patch < patches_of(rank); ++patch) smooth(values + patch * cells, edge);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double seconds = MPI_Wtime() - begin;

  const uint64_t sum = checksum(values, rank);
  if (rank == 0) printf("%d steps in %.3f s, checksum %016llx\n", steps, seconds, (unsigned long long)sum);
  free(values);
  MPI_Finalize();
  return 0;
}
