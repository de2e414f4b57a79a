// SPDX-License-Identifier: Apache-2.0
// One-way time of an active message over MPI against MPI_Send and MPI_Recv, in turn in one pair of
// processes: between the Roam jobs MPI is the program's alone.
//   mpirun -n 2 --bind-to core bench_ping_pong_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/compare_ping_pong.hpp"

int main(int argc, char** argv) {
  const auto usual = [] { return roam::transport::make_mpi_network(MPI_COMM_WORLD); };
  const auto without_boxes = [] {
    roam::transport::MpiOptions options;
    options.fast_boxes = 0;
    return roam::transport::make_mpi_network(MPI_COMM_WORLD, options);
  };
  return bench::compare_ping_pong(argc, argv, "active message over MPI, one way", usual,
                                  {{"without boxes", without_boxes}});
}
