// SPDX-License-Identifier: Apache-2.0
// One-way time of an active message over UCX against MPI_Send and MPI_Recv, in turn in one pair of
// processes. MPI is the program's: Roam meets over it and sends nothing by it.
//   mpirun -n 2 --bind-to core bench_ping_pong_ucx [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <memory>
#include <roam/transport/ucx/ucx_network.hpp>

#include "../support/compare_ping_pong.hpp"
#include "../support/mpi_bootstrap.hpp"

int main(int argc, char** argv) {
  return bench::compare_ping_pong(argc, argv, "active message over UCX, one way", [] {
    return roam::transport::make_ucx_network(std::make_unique<bench::MpiBootstrap>());
  });
}
