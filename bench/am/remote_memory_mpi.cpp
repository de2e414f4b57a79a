// SPDX-License-Identifier: Apache-2.0
// One-sided access over MPI against what a program would write by hand, in turn in one pair of
// processes: a put of 1 MiB, awaited until the data is visible there, against MPI_Send and MPI_Recv
// of as much, one way; a fetch-add against a round trip of 8 bytes.
//   mpirun -n 2 --bind-to core bench_remote_memory_mpi [--short] [--repeats N] [--json FILE]
#include <mpi.h>

#include <cstdint>
#include <roam/roam.hpp>
#include <roam/transport/mpi/mpi_network.hpp>
#include <vector>

#include "../support/raw_mpi.hpp"
#include "../support/report.hpp"

namespace {

constexpr std::size_t put_bytes = std::size_t{1} << 20;

struct Seconds {
  double put = 0;
  double get = 0;
  double fetch_add = 0;
};

// Seconds for one operation, after two blocks of warm-up.
template <class Operation>
roam::Task<double> timed(int count, int rounds, Operation operation) {
  bench::Blocks blocks;
  for (int i = 0; i < rounds * (count + 2); ++i) {
    if (i == 2 * rounds) blocks.begin(count, rounds);
    co_await operation();
    if (i >= 2 * rounds) static_cast<void>(blocks.next());
  }
  co_return blocks.seconds_per_round();
}

roam::Task<> measure(roam::Runtime& rt, bool is_short, Seconds& result) {
  auto& memory = rt.memory();
  const auto there = co_await memory.remote_alloc<std::byte>(1, put_bytes);
  const auto counter = co_await memory.remote_alloc<std::int64_t>(1, 1);
  std::vector<std::byte> values(put_bytes);
  const int large = bench::blocks_for(put_bytes, is_short);
  const auto put = [&]() -> roam::Task<> { co_await memory.put(there, values); };
  const auto get = [&]() -> roam::Task<> { co_await memory.get(values, there); };
  const auto add = [&]() -> roam::Task<> { co_await memory.fetch_add(counter, 1); };
  result.put = co_await timed(large, bench::rounds_for(put_bytes), put);
  result.get = co_await timed(large, bench::rounds_for(put_bytes), get);
  result.fetch_add = co_await timed(bench::blocks_for(8, is_short), bench::rounds_for(8), add);
  co_await memory.remote_free(there);
  co_await memory.remote_free(counter);
}

Seconds roam_phase(bool is_short) {
  roam::Options options;
  options.workers = 1;
  Seconds result;
  const auto network = roam::transport::make_mpi_network(MPI_COMM_WORLD);
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) co_await measure(rt, is_short, result);
  };
  if (roam::run(*network, options, program) != 0) MPI_Abort(MPI_COMM_WORLD, 1);
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  bench::Report report("one-sided access over MPI", "MPI_Send+Recv", "us");
  for (int repeat = 0; repeat < settings.repeats; ++repeat) {
    const double large = mpi.one_way(put_bytes, bench::blocks_for(put_bytes, settings.is_short),
                                     bench::rounds_for(put_bytes));
    const double small =
        mpi.one_way(8, bench::blocks_for(8, settings.is_short), bench::rounds_for(8));
    const Seconds ours = roam_phase(settings.is_short);
    report.add("put 1 MiB", large, ours.put);
    report.add("get 1 MiB", large, ours.get);
    report.add("fetch-add, there and back", 2 * small, ours.fetch_add);
  }
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
