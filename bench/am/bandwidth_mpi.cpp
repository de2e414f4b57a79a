// SPDX-License-Identifier: Apache-2.0
// Bytes per second one way, against a window of MPI_Isend into as many MPI_Irecv, in turn in one
// pair of processes: a window of messages whose handler gets a vector, and a window of one-sided
// puts, each into memory of its own there.
//   mpirun -n 2 --bind-to core bench_bandwidth_mpi [--short] [--repeats N] [--window N]
//                                                  [--json FILE]
#include <mpi.h>

#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/compare_stream.hpp"

namespace {

roam::Task<> put_all(const bench::Windows& plan, roam::remote_ptr<std::byte> to,
                     const std::vector<std::byte>& values) {
  auto& memory = roam::here().memory();
  const auto slot = [&](int i) {
    return to + static_cast<std::int64_t>(i % plan.window * plan.bytes);
  };
  for (int i = 0; i + 1 < plan.messages(); ++i) static_cast<void>(memory.put(slot(i), values));
  // They land in the order sent (A2): the last one's end is the end of all.
  co_await memory.put(slot(plan.messages() - 1), values);
}

/// Seconds per put.
roam::Task<double> puts(bench::Windows plan, int count) {
  auto& memory = roam::here().memory();
  const std::vector<std::byte> values(plan.bytes);
  const std::size_t room = plan.bytes * static_cast<std::size_t>(plan.window);
  const auto to = co_await memory.remote_alloc<std::byte>(1, room);
  co_await put_all(plan, to, values);
  co_await put_all(plan, to, values);
  bench::Blocks blocks;
  blocks.begin(count, 1);
  do co_await put_all(plan, to, values);
  while (blocks.next());
  co_await memory.remote_free(to);
  co_return blocks.seconds_per_round() / plan.messages();
}

}  // namespace

int main(int argc, char** argv) {
  int window = 8;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--window", &window}});
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  std::vector<bench::StreamCase> cases;
  for (const std::size_t kib : {16, 64, 256, 1024, 2048, 4096}) {
    const std::size_t bytes = kib << 10;
    const bench::Windows plan{bytes, window, kib <= 64 ? 4 : 1};
    const std::string name = bench::size_name(bytes);
    cases.push_back(bench::stream_case({name + ", messages", "messages", bytes}, plan, 0));
    cases.push_back(
        {{name + ", puts", "puts", bytes}, plan, [plan](int count) { return puts(plan, count); }});
  }
  bench::Report report("bandwidth one way over MPI, " + std::to_string(window) + " in flight",
                       "MPI_Isend window", "GB/s");
  bench::compare_streams(
      mpi, settings, cases, report,
      [] { return roam::transport::make_mpi_network(MPI_COMM_WORLD); },
      [](const bench::StreamCase& one) { return static_cast<double>(one.raw.bytes); });
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
