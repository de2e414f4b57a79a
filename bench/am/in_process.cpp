// SPDX-License-Identifier: Apache-2.0
// One-way time of an active message between two ranks of one process, on a core each, against
// MPI_Send and MPI_Recv between two processes on the same two cores, in turn: the second process
// sleeps while the ranks of the first play.
//   mpirun -n 2 --bind-to core bench_in_process [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/transport/in_process.hpp>

#include "../support/compare_ping_pong.hpp"
#include "../support/cores.hpp"

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("two ranks in one process, one way", "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const std::size_t bytes : bench::curve_sizes(settings.is_short)) {
      const double raw =
          mpi.one_way(bytes, bench::blocks_for(bytes, settings.is_short), bench::rounds_for(bytes));
      const bench::CoresOfBoth cores;
      if (mpi.rank() == 0) {
        roam::transport::InProcessNetwork network(2);
        const double ours = bench::roam_one_way(network, roam::ProgressMode::shared, bytes,
                                                settings.is_short, true);
        report.add({bench::size_name(bytes), "in process", bytes}, raw, ours);
      }
      mpi.sleep_until_both_are_here();
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
