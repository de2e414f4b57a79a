// SPDX-License-Identifier: Apache-2.0
// How long a job of two ranks over MPI with nothing to do takes to find that out: quiescence, and
// an epoch with one message to the other rank, in turn with MPI_Barrier.
//   mpirun -n 2 --bind-to core bench_quiescence_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/blocks.hpp"
#include "../support/raw_mpi.hpp"
#include "../support/report.hpp"

namespace {

struct Times {
  double quiescence = 0;
  double epoch = 0;
};

constexpr int rounds = 20;  // in a block
constexpr int warm_up = 2 * rounds;

int blocks_of(const bench::Settings& settings) { return settings.is_short ? 20 : 100; }

void nothing() {}

roam::Task<> wait_for_nothing(roam::Runtime& rt, int blocks, double& seconds) {
  bench::Blocks times;
  for (int i = 0; i < warm_up + rounds * blocks; ++i) {
    if (i == warm_up) times.begin(blocks, rounds);
    co_await rt.quiescence();
    if (i >= warm_up) static_cast<void>(times.next());
  }
  seconds = times.seconds_per_round();
}

roam::Task<> one_message_each(roam::Runtime& rt, int blocks, double& seconds) {
  bench::Blocks times;
  for (int i = 0; i < warm_up + rounds * blocks; ++i) {
    if (i == warm_up) times.begin(blocks, rounds);
    co_await rt.run_epoch([&rt] { rt.send<&nothing>(1); });
    if (i >= warm_up) static_cast<void>(times.next());
  }
  seconds = times.seconds_per_round();
}

Times roam_phase(int blocks) {
  roam::Options options;
  options.workers = 1;
  Times times;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    co_await wait_for_nothing(rt, blocks, times.quiescence);
    if (rt.rank() == 0) co_await one_message_each(rt, blocks, times.epoch);
  };
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return times;
}

double barrier_phase(int blocks) {
  bench::Blocks times;
  for (int i = 0; i < warm_up + rounds * blocks; ++i) {
    if (i == warm_up) times.begin(blocks, rounds);
    MPI_Barrier(MPI_COMM_WORLD);
    if (i >= warm_up) static_cast<void>(times.next());
  }
  return times.seconds_per_round();
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("end of work over MPI, 2 ranks", "MPI_Barrier", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const Times ours = roam_phase(blocks_of(settings));
    const double raw = barrier_phase(blocks_of(settings));
    if (mpi.rank() != 0) continue;
    report.add("quiescence of an idle job", raw, ours.quiescence);
    report.add("epoch of one message", raw, ours.epoch);
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
