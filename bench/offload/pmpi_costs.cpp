// SPDX-License-Identifier: Apache-2.0
// What the library roam_pmpi costs and how well it measures, on two ranks: calls of MPI that go
// through it against the same by their other names (PMPI_...), in turn in one pair of processes;
// and delays of 10 ms that it finds, for each kind of call.
//   mpirun -n 2 --bind-to core bench_pmpi_costs [--short] [--repeats N] [--json FILE]
#include <mpi.h>
#include <roam/offload/mpi/pmpi.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
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
  static constexpr auto wait_all = MPI_Waitall;
  static constexpr auto test = MPI_Test;
  static constexpr auto allreduce = MPI_Allreduce;
  static constexpr auto iallreduce = MPI_Iallreduce;
};
struct Past {
  static constexpr auto recv = PMPI_Recv;
  static constexpr auto irecv = PMPI_Irecv;
  static constexpr auto wait = PMPI_Wait;
  static constexpr auto wait_all = PMPI_Waitall;
  static constexpr auto test = PMPI_Test;
  static constexpr auto allreduce = PMPI_Allreduce;
  static constexpr auto iallreduce = PMPI_Iallreduce;
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

// The same of eight at once: Irecv eight times and Waitall.
template <class Names>
double own_messages(int rounds) {
  constexpr int many = 8;
  double in[many] = {};
  double out = 0;
  MPI_Request requests[many];
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    for (int k = 0; k < many; ++k)
      Names::irecv(&in[k], 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF, &requests[k]);
    for (int k = 0; k < many; ++k) PMPI_Send(&out, 1, MPI_DOUBLE, 0, k, MPI_COMM_SELF);
    Names::wait_all(many, requests, MPI_STATUSES_IGNORE);
  }
  return (PMPI_Wtime() - begin) / rounds;
}

// Seconds of a call that finds nothing; `is_pending`: nothing yet.
template <class Names>
double nothing(int rounds, bool is_pending) {
  MPI_Request request = MPI_REQUEST_NULL;
  double value = 0;
  int flag = 0;
  if (is_pending) Names::irecv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF, &request);
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) Names::test(&request, &flag, MPI_STATUS_IGNORE);
  const double seconds = (PMPI_Wtime() - begin) / rounds;
  if (is_pending) PMPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_SELF);
  Names::wait(&request, MPI_STATUS_IGNORE);
  return seconds;
}

// Seconds of an Allreduce among one. In between, what has been recorded is settled, as it is after
// each step of a program.
template <class Names>
double reduction(int rounds) {
  double value = 0;
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i)
    Names::allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
  const double seconds = (PMPI_Wtime() - begin) / rounds;
  roam_pmpi_exchange();
  return seconds;
}

// The same of Iallreduce and Wait.
template <class Names>
double posted_reduction(int rounds) {
  double value = 0;
  const double begin = PMPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    Names::iallreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF, &request);
    Names::wait(&request, MPI_STATUS_IGNORE);
  }
  const double seconds = (PMPI_Wtime() - begin) / rounds;
  roam_pmpi_exchange();
  return seconds;
}

/// A call of rank 0's that waits for rank 1, and what rank 1 does in the meantime.
struct Waiting {
  std::string name;
  std::function<void()> of_rank_0;
  std::function<void()> of_rank_1;
};

std::vector<Waiting> ways_to_wait(double& value) {
  MPI_Comm const world = MPI_COMM_WORLD;
  const auto send = [&value, world] { MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, world); };
  const auto receive = [&value, world] {
    PMPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, world, MPI_STATUS_IGNORE);
  };
  // One message of rank 1's, awaited through a list of two requests.
  const auto awaited = [&value, world](auto wait) {
    return [&value, world, wait] {
      MPI_Request two[] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      MPI_Irecv(&value, 1, MPI_DOUBLE, 1, 0, world, &two[1]);
      wait(two);
    };
  };
  const auto all = [&value, world](auto call) {
    return [&value, world, call] { call(&value, world); };
  };
  const auto posted = [&value, world](auto call) {
    return [&value, world, call] {
      MPI_Request request = MPI_REQUEST_NULL;
      call(&value, world, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    };
  };
  const auto reduce = all([](double* v, MPI_Comm comm) {
    MPI_Allreduce(MPI_IN_PLACE, v, 1, MPI_DOUBLE, MPI_SUM, comm);
  });
  const auto broadcast =
      all([](double* v, MPI_Comm comm) { MPI_Bcast(v, 1, MPI_DOUBLE, 1, comm); });
  const auto barrier = all([](double*, MPI_Comm comm) { MPI_Barrier(comm); });
  const auto later = posted([](double* v, MPI_Comm comm, MPI_Request* request) {
    MPI_Iallreduce(MPI_IN_PLACE, v, 1, MPI_DOUBLE, MPI_SUM, comm, request);
  });
  const auto ibarrier =
      posted([](double*, MPI_Comm comm, MPI_Request* request) { MPI_Ibarrier(comm, request); });
  return {
      {"Recv", [&value, world] { MPI_Recv(&value, 1, MPI_DOUBLE, 1, 0, world, MPI_STATUS_IGNORE); },
       send},
      {"Probe", [receive, world] { MPI_Probe(1, 0, world, MPI_STATUS_IGNORE), receive(); }, send},
      {"Wait", awaited([](MPI_Request* two) { MPI_Wait(&two[1], MPI_STATUS_IGNORE); }), send},
      {"Waitany", awaited([](MPI_Request* two) {
         int index = 0;
         MPI_Waitany(2, two, &index, MPI_STATUS_IGNORE);
       }),
       send},
      {"Waitall", awaited([](MPI_Request* two) { MPI_Waitall(2, two, MPI_STATUSES_IGNORE); }),
       send},
      {"Barrier", barrier, barrier},
      {"Bcast", broadcast, broadcast},
      {"Allreduce", reduce, reduce},
      {"Ibarrier and Wait", ibarrier, ibarrier},
      {"Iallreduce and Wait", later, later}};
}

/// Rank 1 is late each time: what rank 0 finds, per second that rank 1 slept.
double found_of_delays(const Waiting& waiting, int rank, int delays) {
  double slept = 0;
  roam_pmpi_exchange();
  roam_pmpi_wait waits[2];
  (void)roam_pmpi_take_waits(waits, 2);
  for (int i = 0; i < delays; ++i) {
    PMPI_Barrier(MPI_COMM_WORLD);
    const double begin = PMPI_Wtime();
    if (rank == 1) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    if (rank == 1) slept += PMPI_Wtime() - begin;
    (rank == 0 ? waiting.of_rank_0 : waiting.of_rank_1)();
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
    std::printf("%-36s %8.1f ns, without %8.1f ns, costs %6.1f ns\n", name.c_str(),
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
      "8 times Irecv and Waitall, the same", [&] { return own_messages<Through>(rounds / 4); },
      [&] { return own_messages<Past>(rounds / 4); });
  compare(
      "Test of no request", [&] { return nothing<Through>(10 * rounds, false); },
      [&] { return nothing<Past>(10 * rounds, false); });
  compare(
      "Test of a message that is to come", [&] { return nothing<Through>(rounds, true); },
      [&] { return nothing<Past>(rounds, true); });
  compare(
      "Allreduce of one rank", [&] { return reduction<Through>(rounds); },
      [&] { return reduction<Past>(rounds); });
  compare(
      "Iallreduce and Wait of one rank", [&] { return posted_reduction<Through>(rounds); },
      [&] { return posted_reduction<Past>(rounds); });
  double value = 0;
  for (const Waiting& waiting : ways_to_wait(value)) {
    const double found = found_of_delays(waiting, rank, settings.is_short ? 4 : 50);
    if (rank != 0) continue;
    std::printf("delays of 10 ms found by %-20s %8.2f %%\n", waiting.name.c_str(), 100 * found);
    rows.push_back({{"name", "delays found by " + waiting.name}, {"part", found}});
  }
  if (rank == 0) bench::write_json(settings.json, rows);
  MPI_Finalize();
}
