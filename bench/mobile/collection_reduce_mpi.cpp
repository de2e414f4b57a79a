// SPDX-License-Identifier: Apache-2.0
// A reduction over 100,000 elements of a collection on two ranks over MPI while one element in a
// hundred migrates, in turn with the same while none does. Every result is checked.
//   mpirun -n 2 --bind-to core bench_collection_reduce_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/raw_mpi.hpp"
#include "../support/reduced_cells.hpp"

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("reduction while 1 % migrate, over MPI", "none migrates", "us");
  roam::Options options;
  options.workers = 1;
  const auto take = [&](double still, double moving) {
    report.add("100,000 elements, 2 ranks", still, moving);
  };
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    co_await bench::reduce_in_turn(rt, settings.repeats, take);
  };
  {
    const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
    if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
