// SPDX-License-Identifier: Apache-2.0
// What the library roam_pmpi costs and how well it measures, on two ranks: calls of MPI that go
// through it against the same by their other names (PMPI_...), in turn in one pair of processes;
// and delays of 10 ms that it finds.
//   mpirun -n 2 --bind-to core bench_pmpi_costs [--short] [--repeats N] [--json FILE]
#include <mpi.h>
#include <roam/offload/mpi/pmpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "../support/report.hpp"

namespace {

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

struct Through {
  static constexpr auto recv = MPI_Recv;
  static constexpr auto irecv = MPI_Irecv;
  static constexpr auto wait = MPI_Wait;
  static constexpr auto test = MPI_Test;
};
struct Past {
  static constexpr auto recv = PMPI_Recv;
  static constexpr auto irecv = PMPI_Irecv;
  static constexpr auto wait = PMPI_Wait;
  static constexpr auto test = PMPI_Test;
};

// Seconds of a round trip of 8 bytes.
template <class Names>
double ping_pong(int rank, int rounds) {
  double value = 0;
  PMPI_Barrier(MPI_COMM_WORLD);
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    if (rank == 0) PMPI_Send(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);
    Names::recv(&value, 1, MPI_DOUBLE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) PMPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
  }
  return (PMPI_Wtime() - begin) / rounds;
}

// Seconds of a message to oneself that has arrived before it is waited for: Irecv and Wait.
template <class Names>
double own_message(int rounds) {
  double in = 0;
  double out = 0;
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    Names::irecv(&in, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
    PMPI_Send(&out, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
    Names::wait(&request, MPI_STATUS_IGNORE);
  }
  return (PMPI_Wtime() - begin) / rounds;
}

// Seconds of a test that finds no message.
template <class Names>
double nothing(int rounds) {
  MPI_Request none = MPI_REQUEST_NULL;
  int flag = 0;
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) Names::test(&none, &flag, MPI_STATUS_IGNORE);
  return (PMPI_Wtime() - begin) / rounds;
}

/// Rank 1 is late each time: returns the wait that rank 0 measures, per second that rank 1 slept.
double found_of_delays(int rank, int delays) {
  double slept = 0;
  double value = 0;
  roam_pmpi_exchange();
  roam_pmpi_wait waits[2];
  (void)roam_pmpi_take_waits(waits, 2);
  for (int i = 0; i < delays; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = PMPI_Wtime();
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (rank == 1) slept += PMPI_Wtime() - begin;
    if (i % 2 == 0) {
      MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    } else if (rank == 1) {
      MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
    } else {
      MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  roam_pmpi_exchange();
  const int count = roam_pmpi_take_waits(waits, 2);
  PMPI_Bcast(&slept, 1, MPI_DOUBLE, 1, MPI_COMM_WORLD);
  return count > 0 && waits[0].rank == 1 ? waits[0].seconds / slept : 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size != 2) {
    std::fputs("bench_pmpi_costs: needs two ranks\n", stderr);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int rounds = settings.is_short ? 200 : 20'000;
  nlohmann::json rows = nlohmann::json::array();
  const auto compare = [&](const std::string& name, auto through, auto past) {
    std::vector<double> with;
    std::vector<double> without;
    std::vector<double> costs;
    for (int i = 0; i < settings.repeats; ++i) {
      with.push_back(through());
      without.push_back(past());
      costs.push_back(with.back() - without.back());
    }
    if (rank != 0) return;
    std::printf("%-34s %8.1f ns, without %8.1f ns, costs %6.1f ns\n", name.c_str(),
                1e9 * median(with), 1e9 * median(without), 1e9 * median(costs));
    rows.push_back({{"name", name}, {"with", median(with)}, {"without", median(without)}});
  };
  compare(
      "ping-pong of 8 bytes, round trip", [&] { return ping_pong<Through>(rank, rounds); },
      [&] { return ping_pong<Past>(rank, rounds); });
  compare(
      "Irecv and Wait, nothing to wait for", [&] { return own_message<Through>(rounds); },
      [&] { return own_message<Past>(rounds); });
  compare(
      "Test of no request", [&] { return nothing<Through>(10 * rounds); },
      [&] { return nothing<Past>(10 * rounds); });
  const double found = found_of_delays(rank, settings.is_short ? 4 : 100);
  if (rank == 0) {
    std::printf("%-34s %8.2f %%\n", "delays of 10 ms, found", 100 * found);
    rows.push_back({{"name", "delays found"}, {"part", found}});
    bench::write_json(settings.json, rows);
  }
  MPI_Finalize();
}
