// SPDX-License-Identifier: Apache-2.0
// Messages per second, one way: a plain loop of sends that gives its worker back after every burst,
// against windows of 256 MPI_Isend into as many MPI_Irecv, in turn in one pair of processes.
//   mpirun -n 2 --bind-to core bench_rate_mpi [--short] [--repeats N] [--burst N] [--json FILE]
#include <mpi.h>

#include <algorithm>
#include <roam/transport/mpi/mpi_network.hpp>
#include <string>

#include "../support/compare_stream.hpp"

namespace {

constexpr int window = 256;

bench::StreamCase make_case(const std::string& name, const std::string& series, std::size_t bytes,
                            int burst, bool is_short) {
  const std::size_t most_bytes = std::size_t{is_short ? 2U : 8U} << 20;
  const int most_windows = is_short ? 16 : 64;
  const int windows = std::clamp(static_cast<int>(most_bytes / (bytes * window)), 1, most_windows);
  return bench::stream_case({name, series, bytes}, {bytes, window, windows}, burst);
}

}  // namespace

int main(int argc, char** argv) {
  int burst = window;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--burst", &burst}});
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  std::vector<bench::StreamCase> cases;
  for (const std::size_t bytes : {8, 32, 64, 128, 256, 512, 1024, 2048, 4096})
    cases.push_back(make_case(bench::size_name(bytes), "size", bytes, burst, settings.is_short));
  for (const int other : {4, 16, 64, 1024, 0}) {
    const std::string name =
        other == 0 ? "8 B, all at once" : "8 B, bursts of " + std::to_string(other);
    cases.push_back(make_case(name, "burst", 8, other, settings.is_short));
  }
  bench::Report report("messages one way over MPI, bursts of " + std::to_string(burst),
                       "MPI_Isend window", "million/s");
  bench::compare_streams(
      mpi, settings, cases, report,
      [] { return roam::transport::make_mpi_network(MPI_COMM_WORLD); },
      [](const bench::StreamCase&) { return 1.0; });
  if (mpi.rank() == 0) report.finish(settings);
  return 0;
}
