/* SPDX-License-Identifier: Apache-2.0 */
/* plain.c with its patches as tasks, which ranks that would wait compute for rank 0. */
#include <omp.h>
#include <roam/offload.h>

#include "patches.h"

static int smooth_task(const roam_buffer *buffers, int count) { /* the patch, the edge */
  if (count == 2) smooth(buffers[0].data, *(const double *)buffers[1].data);
  return count != 2;
}

int main(int argc, char **argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  roam_offload *tasks = roam_offload_start(MPI_COMM_WORLD, omp_get_max_threads());
  roam_offload_register(tasks, "smooth", smooth_task);

  double *values = make_patches(rank);
  const double begin = MPI_Wtime();
  for (int step = 0; step < steps; ++step) {
    double edge = exchange(values, rank, size);
    for (int patch = 0; patch < patches_of(rank); ++patch) {
      const roam_buffer buffers[] = {{values + patch * cells, cells * sizeof *values, ROAM_INOUT},
                                     {&edge, sizeof edge, ROAM_IN}};
      roam_offload_spawn(tasks, "smooth", buffers, 2);
    }
#pragma omp parallel
    roam_offload_end_step(tasks, omp_get_thread_num());
  }
  const double seconds = MPI_Wtime() - begin;

  const uint64_t sum = checksum(values, rank);
  if (rank == 0) printf("%d steps in %.3f s, checksum %016llx\n", steps, seconds, (unsigned long long)sum);
  roam_offload_counts counts = {0};
  roam_offload_statistics(tasks, &counts);
  if (rank == 0) printf("%llu tasks offloaded\n", (unsigned long long)counts.returned);
  roam_offload_finalize(&tasks);
  free(values);
  MPI_Finalize();
  return 0;
}
