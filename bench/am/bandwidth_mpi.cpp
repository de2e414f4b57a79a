// SPDX-License-Identifier: Apache-2.0
// Bytes per second of large messages, one way: a window of sends whose handler gets a vector,
// against a window of MPI_Isend into as many MPI_Irecv, in turn in one pair of processes.
//   mpirun -n 2 --bind-to core bench_bandwidth_mpi [--short] [--repeats N] [--window N]
//                                                  [--json FILE]
#include <mpi.h>

#include <roam/transport/mpi/mpi_network.hpp>

#include "../support/compare_stream.hpp"

int main(int argc, char** argv) {
  bench::RawMpi mpi(argc, argv);
  if (!mpi.has_two_ranks()) return 2;
  int window = 8;
  const bench::Settings settings = bench::read_settings(argc, argv, {{"--window", &window}});
  std::vector<bench::StreamCase> cases;
  for (const std::size_t kib : {16, 64, 256, 1024, 2048, 4096}) {
    const std::size_t bytes = kib << 10;
    const int windows = kib <= 64 ? 4 : 1;
    cases.push_back({{bench::size_name(bytes), "size", bytes},
                     {bytes, window * windows, 0},
                     {bytes, window, windows}});
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
