// SPDX-License-Identifier: Apache-2.0
// One-way time of a message between two ranks over the UCX endpoint alone, without handlers,
// workers and serialisation, against MPI_Send and MPI_Recv, in turn in one pair of processes. Large
// ones also as bulk transfers into a buffer of their own.
//   mpirun -n 2 --bind-to core bench_ucx_latency [--short] [--repeats N] [--json FILE]
//
// In instructions, which no other program of the machine disturbs; each counted_ function executes
// those of 1000 messages of 8 bytes:
//   mpirun -n 2 valgrind --tool=callgrind --callgrind-out-file=counted.%p
//     bench_ucx_latency --lockstep 8
//   callgrind_annotate --inclusive=yes --threshold=100 counted.<process> | grep 'counted_.*\['
// Under a valgrind without pidfd_open, as 3.19, processes cannot watch each other, and what is
// counted is TCP.
#include <mpi.h>

#include <memory>
#include <roam/transport/ucx/ucx_network.hpp>

#include "../support/compare_endpoint.hpp"
#include "../support/mpi_bootstrap.hpp"

int main(int argc, char** argv) {
  return bench::compare_endpoint(argc, argv, "a message over the UCX endpoint alone, one way", [] {
    return roam::transport::make_ucx_network(std::make_unique<bench::MpiBootstrap>());
  });
}
