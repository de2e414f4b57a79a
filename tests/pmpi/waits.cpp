// SPDX-License-Identifier: Apache-2.0
// What the library roam_pmpi measures, on 3 ranks: delays of known length are found in every call
// that waits, and charged to the rank that was late. A program of MPI alone.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "roam/offload/mpi/pmpi.h"

namespace {

int own_rank = 0;
int failures = 0;

void check(bool is_good, const std::string& what) {
  if (is_good) return;
  std::fprintf(stderr, "rank %d: %s\n", own_rank, what.c_str());
  ++failures;
}

double now() { return MPI_Wtime(); }

/// Lets the others wait; how long it was.
double sleep_for(double seconds) {
  const double begin = now();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  return now() - begin;
}

std::vector<double> take_waits() {
  roam_pmpi_wait waits[8];
  const int count = roam_pmpi_take_waits(waits, 8);
  std::vector<double> seconds(3, 0.0);
  for (int i = 0; i < count; ++i) {
    check(i == 0 || waits[i].seconds <= waits[i - 1].seconds, "the longest comes first");
    seconds[static_cast<std::size_t>(waits[i].rank)] = waits[i].seconds;
  }
  return seconds;
}

constexpr double pause = 0.25;
// A core that is busy with something else lets ranks be late by themselves.
constexpr double noise = 0.1;

/// `late` is delayed and then does its part, the others do theirs at once. `waits`: which of them
/// wait for it. All meet before and after.
void expect_wait(const char* what, int late, const std::vector<int>& waits,
                 const std::function<void()>& part, double delay = pause) {
  PMPI_Barrier(MPI_COMM_WORLD);
  roam_pmpi_exchange();
  (void)take_waits();
  double slept = 0;
  if (own_rank == late) slept = sleep_for(delay);
  part();
  roam_pmpi_exchange();
  PMPI_Bcast(&slept, 1, MPI_DOUBLE, late, MPI_COMM_WORLD);
  const std::vector<double> found = take_waits();
  const bool is_waiting = std::ranges::find(waits, own_rank) != waits.end();
  for (int rank = 0; rank < 3; ++rank) {
    const double expected = is_waiting && rank == late ? slept : 0.0;
    const double seconds = found[static_cast<std::size_t>(rank)];
    check(std::abs(seconds - expected) <= noise,
          std::string(what) + ": waited " + std::to_string(seconds) + " s for rank " +
              std::to_string(rank) + ", expected " + std::to_string(expected));
  }
}

void receives() {
  int value = 7;
  const auto send_to = [&](int to) { MPI_Send(&value, 1, MPI_INT, to, 5, MPI_COMM_WORLD); };
  const auto from_1_to_0 = [&](const char* what, const std::function<void()>& receive) {
    expect_wait(what, 1, {0}, [&] {
      value = own_rank == 1 ? 42 : 0;
      if (own_rank == 1) send_to(0);
      if (own_rank == 0) receive();
      check(own_rank == 2 || value == 42, std::string(what) + ": another value");
    });
  };
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  const auto post = [&](int source) {
    MPI_Irecv(&value, 1, MPI_INT, source, 5, MPI_COMM_WORLD, &request);
  };
  from_1_to_0("Recv",
              [&] { MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
  from_1_to_0("Recv from any", [&] {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  from_1_to_0("Probe", [&] {
    MPI_Probe(MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, &status);
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  });
  from_1_to_0("Mprobe", [&] {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Mprobe(1, 5, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  });
  from_1_to_0("Wait", [&] {
    post(1);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(request == MPI_REQUEST_NULL, "Wait leaves its request");
  });
  from_1_to_0("Wait for any", [&] {
    post(MPI_ANY_SOURCE);
    MPI_Wait(&request, &status);
    check(status.MPI_SOURCE == 1 && status.MPI_TAG == 5, "Wait's status");
  });
  from_1_to_0("Wait, persistent", [&] {
    MPI_Recv_init(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  });
  from_1_to_0("Waitany", [&] {
    post(1);
    MPI_Request two[] = {MPI_REQUEST_NULL, request};
    int index = -1;
    MPI_Waitany(2, two, &index, &status);
    check(index == 1 && status.MPI_SOURCE == 1, "Waitany's index and status");
  });
  from_1_to_0("Waitsome", [&] {
    post(1);
    MPI_Request two[] = {MPI_REQUEST_NULL, request};
    int done = 0;
    int indices[2] = {};
    MPI_Waitsome(2, two, &done, indices, MPI_STATUSES_IGNORE);
    check(done == 1 && indices[0] == 1, "Waitsome's indices");
  });
  expect_wait("Test", 1, {}, [&] {  // does not wait
    if (own_rank == 1) send_to(0);
    if (own_rank != 0) return;
    post(1);
    for (int flag = 0; flag == 0;) MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  });
}

// Rank 0 waits for both others, the last of which comes a while after the first.
void wait_for_all() {
  PMPI_Barrier(MPI_COMM_WORLD);
  (void)take_waits();
  double slept = own_rank == 0 ? 0.0 : sleep_for(pause * own_rank);
  int values[3] = {};
  if (own_rank == 0) {
    MPI_Request requests[3] = {};
    MPI_Status statuses[3];
    for (int i = 1; i < 3; ++i)
      MPI_Irecv(&values[i], 1, MPI_INT, i, 8, MPI_COMM_WORLD, &requests[3 - i]);
    requests[0] = MPI_REQUEST_NULL;
    MPI_Waitall(3, requests, statuses);
    check(values[1] == 1 && values[2] == 2, "Waitall's values");
    check(statuses[0].MPI_SOURCE == MPI_ANY_SOURCE, "the status of no request is empty");
    check(statuses[1].MPI_SOURCE == 2 && statuses[2].MPI_SOURCE == 1, "Waitall's statuses");
    check(requests[1] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL, "Waitall's requests");
  } else {
    MPI_Send(&own_rank, 1, MPI_INT, 0, 8, MPI_COMM_WORLD);
  }
  std::vector<double> all(3);
  PMPI_Gather(&slept, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const std::vector<double> found = take_waits();
  if (own_rank != 0) return;
  check(std::abs(found[1] - all[1]) <= noise, "Waitall: rank 1 until it came");
  check(std::abs(found[2] - (all[2] - all[1])) <= noise, "Waitall: rank 2 from then on");
}

void exchanges() {
  int in = 0;
  // Each to the next one, so that rank 2 is waited for by rank 0 alone.
  const int next = (own_rank + 1) % 3;
  const int previous = (own_rank + 2) % 3;
  expect_wait("Sendrecv", 2, {0}, [&] {
    MPI_Sendrecv(&own_rank, 1, MPI_INT, next, 3, &in, 1, MPI_INT, previous, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    check(in == previous, "Sendrecv's value");
  });
  expect_wait("Sendrecv_replace", 2, {0}, [&] {
    in = own_rank;
    MPI_Sendrecv_replace(&in, 1, MPI_INT, next, 3, previous, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(in == previous, "Sendrecv_replace's value");
  });
}

void collectives() {
  MPI_Comm const world = MPI_COMM_WORLD;
  MPI_Request request = MPI_REQUEST_NULL;
  int in[3] = {own_rank, own_rank, own_rank};
  int out[3] = {};
  const auto finish = [&] { MPI_Wait(&request, MPI_STATUS_IGNORE); };
  expect_wait("Barrier", 1, {0, 2}, [&] { MPI_Barrier(world); });
  expect_wait("Allreduce", 1, {0, 2}, [&] {
    MPI_Allreduce(in, out, 1, MPI_INT, MPI_SUM, world);
    check(out[0] == 3, "Allreduce's value");
  });
  expect_wait("Allreduce in place", 2, {0, 1}, [&] {
    int value = own_rank;
    MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, world);
    check(value == 3, "Allreduce's value in place");
  });
  expect_wait("Reduce", 1, {0}, [&] { MPI_Reduce(in, out, 1, MPI_INT, MPI_SUM, 0, world); });
  expect_wait("Bcast", 0, {1, 2}, [&] { MPI_Bcast(out, 1, MPI_INT, 0, world); });
  expect_wait("Bcast, of which nobody needs the late one", 2, {},
              [&] { MPI_Bcast(out, 1, MPI_INT, 0, world); });
  expect_wait("Gather", 2, {0}, [&] { MPI_Gather(in, 1, MPI_INT, out, 1, MPI_INT, 0, world); });
  expect_wait("Scatter", 0, {1, 2},
              [&] { MPI_Scatter(in, 1, MPI_INT, out, 1, MPI_INT, 0, world); });
  expect_wait("Allgather", 0, {1, 2},
              [&] { MPI_Allgather(in, 1, MPI_INT, out, 1, MPI_INT, world); });
  expect_wait("Alltoall", 1, {0, 2}, [&] { MPI_Alltoall(in, 1, MPI_INT, out, 1, MPI_INT, world); });
  expect_wait("Iallreduce and Wait", 1, {0, 2}, [&] {
    MPI_Iallreduce(in, out, 1, MPI_INT, MPI_SUM, world, &request);
    finish();
    check(out[0] == 3, "Iallreduce's value");
  });
  expect_wait("Ibarrier and Waitall", 2, {0, 1}, [&] {
    MPI_Ibarrier(world, &request);
    MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
  });
  expect_wait("of two, the late one counts once each", 1, {0, 2}, [&] {
    MPI_Barrier(world);
    MPI_Barrier(world);
  });
}

void communicators() {
  // Ranks 2, 1, 0; rank 1 is late in both.
  MPI_Comm turned = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -own_rank, &turned);
  expect_wait("Barrier of others", 1, {0, 2}, [&] { MPI_Barrier(turned); });
  expect_wait("Bcast of others", 2, {0, 1}, [&] {
    int value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, turned);
  });
  MPI_Comm gone = MPI_COMM_NULL;
  MPI_Comm_dup(turned, &gone);
  expect_wait("of a communicator that has ended", 0, {1, 2}, [&] {
    MPI_Barrier(gone);
    MPI_Comm_free(&gone);
  });
  MPI_Comm_free(&turned);
  // Rank 2 is not in it.
  MPI_Comm pair = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, own_rank == 2 ? MPI_UNDEFINED : 0, own_rank, &pair);
  expect_wait("Barrier of two", 1, {0}, [&] {
    if (pair != MPI_COMM_NULL) MPI_Barrier(pair);
  });
  if (pair != MPI_COMM_NULL) MPI_Comm_free(&pair);
}

// A request that is complete only after its communicator has ended.
void requests_that_stay() {
  for (int round = 0; round < 3; ++round) {
    MPI_Comm gone = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &gone);
    int value = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    if (own_rank == 0) MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, gone, &request);
    if (own_rank == 2) {
      (void)sleep_for(0.05);
      MPI_Send(&own_rank, 1, MPI_INT, 0, 4, gone);
    }
    MPI_Comm_free(&gone);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    check(own_rank != 0 || value == 2, "the message of a communicator that has ended");
  }
}

// One thread after the other waits, the second with the record of the first, which has ended.
void threads() {
  const auto in_a_thread = [](const std::function<void()>& part) { std::thread(part).join(); };
  int value = 0;
  expect_wait("Recv in two threads", 1, {0}, [&] {
    const auto receive = [&] {
      MPI_Recv(&value, 1, MPI_INT, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    if (own_rank == 0) in_a_thread(receive);
    if (own_rank == 0) in_a_thread(receive);
    for (int i = 0; own_rank == 1 && i < 2; ++i) MPI_Send(&i, 1, MPI_INT, 0, 5, MPI_COMM_WORLD);
  });
  const auto before = roam_pmpi_calls();
  const auto call = [] {
    int flag = 0;
    MPI_Request none = MPI_REQUEST_NULL;
    MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
  };
  for (int i = 0; i < 5; ++i) in_a_thread(call);
  call();
  check(roam_pmpi_calls() - before == 6, "calls of threads that have ended count");
}

void counts() {
  const auto before = roam_pmpi_calls();
  int flag = 0;
  MPI_Request none = MPI_REQUEST_NULL;
  MPI_Barrier(MPI_COMM_SELF);
  MPI_Test(&none, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&none, MPI_STATUS_IGNORE);
  check(roam_pmpi_calls() - before == 3, "calls are counted once each");
}

}  // namespace

int main() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  check(roam_pmpi_calls() == 1, "MPI_Init_thread has come through");
  receives();
  wait_for_all();
  exchanges();
  collectives();
  communicators();
  requests_that_stay();
  if (provided >= MPI_THREAD_SERIALIZED) threads();
  counts();
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
