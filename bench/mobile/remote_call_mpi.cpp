// SPDX-License-Identifier: Apache-2.0
// One-way time of a call on an object of another rank over MPI, one worker each, 8 B, in turn with
// an active message.
//   mpirun -n 2 --bind-to core bench_remote_call_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/object_ping_pong.hpp"
#include "../support/raw_mpi.hpp"

namespace {

bench::MessageAndCall roam_phase(int blocks) {
  roam::Options options;
  options.workers = 1;
  bench::MessageAndCall seconds;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) seconds = co_await bench::message_and_call_one_way(blocks, 50);
  };
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("call on an object of another rank, 8 B, one way", "active message", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const bench::MessageAndCall seconds = roam_phase(settings.is_short ? 40 : 100);
    if (mpi.rank() == 0) report.add("over MPI", seconds.message, seconds.call);
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
