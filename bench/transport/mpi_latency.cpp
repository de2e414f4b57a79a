// SPDX-License-Identifier: Apache-2.0
// One-way time of a message between two ranks over the MPI endpoint alone, without handlers,
// workers and serialisation, against MPI_Send and MPI_Recv, in turn in one pair of processes. Large
// ones also as bulk transfers into a buffer of their own.
//   mpirun -n 2 --bind-to core bench_mpi_latency [--short] [--repeats N] [--json FILE]
//
// In instructions, which no other program of the machine disturbs; each counted_ function executes
// those of 1000 messages of 8 bytes:
//   mpirun -n 2 valgrind --tool=callgrind --callgrind-out-file=counted.%p
//     bench_mpi_latency --lockstep 8
//   callgrind_annotate --inclusive=yes --threshold=100 counted.<process> | grep 'counted_.*\['
#include <mpi.h>

#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/compare_endpoint.hpp"

int main(int argc, char** argv) {
  return bench::compare_endpoint(argc, argv, "a message over the MPI endpoint alone, one way",
                                 [] { return roam::transport::make_mpi_network(MPI_COMM_WORLD); });
}
