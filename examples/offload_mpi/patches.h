// SPDX-License-Identifier: Apache-2.0
/* What both programs have in common: square patches of numbers that a step smooths. */
#ifndef PATCHES_H
#define PATCHES_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 64, cells = side * side, sweeps = 10, steps = 10 };

/* Rank 0 has three times as many patches as the others. */
static inline int patches_of(int rank) { return rank == 0 ? 48 : 16; }

static inline double* make_patches(int rank) {
  const int count = patches_of(rank);
  double* values = malloc((size_t)count * cells * sizeof *values);
  if (values == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  for (int i = 0; i < count * cells; ++i) values[i] = (double)((i * 7919 + rank) % 1000);
  return values;
}

/* Smooths a patch, its edge being `edge`. */
static inline void smooth(double* values, double edge) {
  double next[cells];
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const double up = y > 0 ? values[(y - 1) * side + x] : edge;
        const double down = y + 1 < side ? values[(y + 1) * side + x] : edge;
        const double left = x > 0 ? values[y * side + x - 1] : edge;
        const double right = x + 1 < side ? values[y * side + x + 1] : edge;
        next[y * side + x] = 0.2 * (values[y * side + x] + up + down + left + right);
      }
    }
    memcpy(values, next, sizeof next);
  }
}

/* The value that the neighbour to the left shows: the next edge. */
static inline double exchange(const double* values, int rank, int size) {
  double edge = 0;
  MPI_Sendrecv(values, 1, MPI_DOUBLE, (rank + 1) % size, 0, &edge, 1, MPI_DOUBLE,
               (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return edge;
}

/* Of all bits of all ranks' patches. */
static inline uint64_t checksum(const double* values, int rank) {
  uint64_t sum = 0;
  for (int i = 0; i < patches_of(rank) * cells; ++i) {
    uint64_t bits = 0;
    memcpy(&bits, &values[i], sizeof bits);
    sum = sum * 1099511628211u + bits;
  }
  uint64_t all = 0;
  MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return all;
}

#endif
