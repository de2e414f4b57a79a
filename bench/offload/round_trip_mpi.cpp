// SPDX-License-Identifier: Apache-2.0
// An empty offloaded task, from its spawning to its result, against messages of the same sizes by
// raw MPI, in turn in one pair of processes: rank 0 sends the task's input to rank 1, which sends
// its output back. Both sides send from, and receive into, memory of their own; the arrays of tasks
// are made anew for each.
//   mpirun -n 2 --bind-to core bench_round_trip_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <cstddef>
#include <roam/offload/offload.hpp>
#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../support/raw_mpi.hpp"
#include "../support/report.hpp"

namespace {

namespace offload = roam::offload;
using Bytes = roam::Array<std::byte>;

struct Sizes {
  std::size_t in;
  std::size_t out;
};

/// The task: computes nothing.
Bytes output_of(std::span<const std::byte> input, std::size_t bytes) {
  auto output = roam::here().make_array<std::byte>(bytes);
  output[0] = input[0];
  return output;
}

double seconds_by_mpi(const Sizes& sizes, int rank, int count, int rounds) {
  std::vector<std::byte> in(sizes.in);
  std::vector<std::byte> out(sizes.out);
  const auto send = [](const std::vector<std::byte>& from, int to) {
    MPI_Send(from.data(), static_cast<int>(from.size()), MPI_BYTE, to, 0, MPI_COMM_WORLD);
  };
  const auto receive = [](std::vector<std::byte>& into, int from) {
    MPI_Recv(into.data(), static_cast<int>(into.size()), MPI_BYTE, from, 0, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  };
  bench::Blocks blocks;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < rounds * (count + 2); ++i) {
    if (i == 2 * rounds) blocks.begin(count, rounds);
    if (rank == 0) {
      send(in, 1);
      receive(out, 1);
    } else {
      receive(in, 0);
      send(out, 0);
    }
    if (i >= 2 * rounds) static_cast<void>(blocks.next());
  }
  return blocks.seconds_per_round();
}

roam::Task<double> seconds_by_tasks(roam::Runtime& rt, const Sizes sizes, int count, int rounds) {
  bench::Blocks blocks;
  for (int i = 0; i < rounds * (count + 2); ++i) {
    if (i == 2 * rounds) blocks.begin(count, rounds);
    auto input = rt.make_array<std::byte>(sizes.in);
    input[0] = std::byte{1};
    static_cast<void>(co_await offload::spawn<&output_of>(rt, std::move(input), sizes.out));
    if (i >= 2 * rounds) static_cast<void>(blocks.next());
  }
  co_return blocks.seconds_per_round();
}

double task_phase(const Sizes& sizes, int count, int rounds) {
  roam::Options options;
  options.workers = 1;
  auto& offloading = options.edit<roam::OffloadOptions>();
  offloading.strategy = {"ccp", {}};  // it decides nothing: there are no steps
  offloading.keep_per_worker = 0;     // each task goes
  offloading.recompute = false;
  double seconds = 0;
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    offload::HomeTasks& tasks = offload::Offloader::of(rt).tasks();
    const offload::Quota all{0, 1, 1'000'000'000};
    tasks.set_quotas({&all, 1});
    seconds = co_await seconds_by_tasks(rt, sizes, count, rounds);
    if (tasks.counts().returned != tasks.counts().spawned) MPI_Abort(MPI_COMM_WORLD, 1);
  };
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("an empty offloaded task over MPI", "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    for (const auto& [name, sizes] :
         {std::pair{"100 kB in, 92 kB out", Sizes{100'000, 92'000}},
          std::pair{"8 KiB in, 8 KiB out", Sizes{8192, 8192}},
          std::pair{"1 MB in, 1 MB out", Sizes{1'000'000, 1'000'000}}}) {
      const int count = 4 * bench::blocks_for(sizes.in, settings.is_short);
      const int rounds = bench::rounds_for(sizes.in);
      const double raw = seconds_by_mpi(sizes, mpi.rank(), count, rounds);
      report.add(name, raw, task_phase(sizes, count, rounds));
    }
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
