// SPDX-License-Identifier: Apache-2.0
#ifndef ROAM_OFFLOAD_MPI_PMPI_H
#define ROAM_OFFLOAD_MPI_PMPI_H

/** @file
 * How long this process has waited inside MPI, and for whom: measured by the library roam_pmpi,
 * which is linked before MPI or named in LD_PRELOAD, and takes calls of MPI in between (profiling
 * interface, MPI-4.0, section 15.2). With it, roam_offload_end_step() reports these waits to the
 * strategy without a call of the program's.
 *
 * - A wait for a message (Recv, Sendrecv, Probe, Mprobe, Wait, Waitany, Waitsome, Waitall) is
 *   charged to its sender. A call that waits for several messages charges each stretch of time to
 *   the one that ended it.
 * - A wait in a collective call, or for one that does not block, is charged to the member that came
 *   last; for Bcast and Scatter, to the root. When each member came is told relative to a common
 *   barrier (the last exchange), so that clocks of hosts need not agree.
 *
 * Sends, one-sided calls, neighbourhood collectives and collectives between groups are not
 * measured. Calls from C, C++ and Fortran count once each. Threads: as MPI allows them.
 */

/* A header for C: what is said of C++ does not hold for it. NOLINTBEGIN */
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What this process has waited for one rank. */
typedef struct {
  int rank;       /**< that was late, in MPI_COMM_WORLD */
  double seconds; /**< of all waits together */
  uint64_t times; /**< how many waits */
} roam_pmpi_wait;

/** Settles who came last in the collective calls since the last exchange. Collective over
 * MPI_COMM_WORLD: all ranks call it at the same place of the program; it ends with a barrier.
 * Without it, waits in collective calls stay unknown. At most the first 65,536 collective calls of
 * each communicator between two exchanges count. */
void roam_pmpi_exchange(void);

/** Hands out what this process has waited since the last call of this function, longest first, and
 * forgets it: at most `capacity` entries, whose number it returns. Local. */
int roam_pmpi_take_waits(roam_pmpi_wait* waits, int capacity);

/** Calls of MPI that have come through the library so far. */
uint64_t roam_pmpi_calls(void);

#ifdef __cplusplus
}
#endif
/* NOLINTEND */

#endif
