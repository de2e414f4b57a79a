/* SPDX-License-Identifier: Apache-2.0 */
/* A strategy in C, on 2 ranks: it sees the measurements of both, and its quotas are what is sent. */
#include <mpi.h>
#include <roam/offload.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 6, TASKS = 24, QUOTA = 5 };

static int failures = 0;

static void check(int is_good, const char* what) {
  if (is_good) return;
  fprintf(stderr, "%s\n", what);
  ++failures;
}

/* --- the strategy: up to five tasks of the rank with most go to the other one --- */

typedef struct {
  int begun, ended, decided, asked;
  int ranks;
  uint64_t tasks, sent, waits;
} calls_type;

static void* begin(void* context, int ranks) {
  calls_type* const calls = context;
  ++calls->begun;
  calls->ranks = ranks;
  return calls;
}

static void decide(void* state, const roam_step_view* step, roam_quotas* quotas) {
  calls_type* const calls = state;
  check(step->step == (uint64_t)calls->decided, "steps come one after the other");
  check(step->rank_count == 2 && step->ranks[0].rank == 0 && step->ranks[1].rank == 1,
        "all ranks are there");
  check(step->ranks[0].workers == 1 && step->ranks[0].seconds > 0, "they are measured");
  ++calls->decided;
  for (size_t i = 0; i < step->rank_count; ++i) calls->tasks += step->ranks[i].tasks;
  for (size_t i = 0; i < step->flow_count; ++i) {
    check(step->flows[i].from == 0 && step->flows[i].to == 1, "tasks go from rank 0 to rank 1");
    check(step->flows[i].offloaded <= QUOTA, "within the quota");
    calls->sent += step->flows[i].offloaded;
  }
  for (size_t i = 0; i < step->wait_count; ++i) {
    check(step->waits[i].seconds > 0 && step->waits[i].from != step->waits[i].to,
          "a rank waits for another one");
    ++calls->waits;
  }
  const int most = step->ranks[1].tasks > step->ranks[0].tasks;
  check(roam_offload_add_quota(quotas, most, 1 - most, QUOTA - 1) == ROAM_SUCCESS, "a quota");
  check(roam_offload_add_quota(quotas, most, 1 - most, 1) == ROAM_SUCCESS, "more of it");
  check(roam_offload_add_quota(quotas, 0, 2, 1) == ROAM_FAILURE, "there is no rank 2");
  check(roam_offload_add_quota(quotas, 1, 1, 1) == ROAM_FAILURE, "none to itself");
}

static uint32_t on_request(void* state) {
  ++((calls_type*)state)->asked;
  return 0;
}

static void end(void* state) { ++((calls_type*)state)->ended; }

static void register_strategy(calls_type* calls) {
  char why[256] = "";
  roam_strategy strategy = {.description = "five to the other one", .context = calls, .begin = begin,
                            .tasks_on_request = on_request, .end = end};
  check(roam_offload_register_strategy("five", &strategy, why, sizeof why) == ROAM_FAILURE &&
            strstr(why, "\"five\" has no function decide") != NULL,
        "a strategy must decide");
  strategy.decide = decide;
  check(roam_offload_register_strategy("auto", &strategy, why, sizeof why) == ROAM_FAILURE &&
            strstr(why, "\"auto\" already") != NULL,
        "names are unique");
  check(roam_offload_register_strategy("five", &strategy, NULL, 0) == ROAM_SUCCESS,
        "a good strategy is taken");
}

/* --- the program --- */

static int count_up(const roam_buffer* buffers, int count) {
  double* const value = buffers[0].data;
  for (int i = 0; i < 100000; ++i) *value += 1 / (1 + *value);
  return count != 1;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  static calls_type calls;
  register_strategy(&calls);
  setenv("ROAM_OFFLOAD", "five", 1);
  setenv("ROAM_OFFLOAD_RECOMPUTE", "false", 1); /* how many tasks are away is then the same always */
  roam_offload* tasks = roam_offload_start(MPI_COMM_WORLD, 1);
  roam_offload_register(tasks, "count_up", count_up);
  double values[TASKS] = {0};
  for (int step = 0; step < STEPS; ++step) {
    for (int i = 0; i < (rank == 0 ? TASKS : 2); ++i) {
      const roam_buffer buffer = {&values[i], sizeof values[i], ROAM_INOUT};
      roam_offload_spawn(tasks, "count_up", &buffer, 1);
    }
    roam_offload_end_step(tasks, 0);
  }
  for (int i = 1; i < TASKS; ++i)
    check(values[i] == (rank == 0 || i < 2 ? values[0] : 0), "results are right");
  roam_offload_counts counts;
  roam_offload_statistics(tasks, &counts);
  check(rank == 0 ? counts.offloaded > 0 && counts.offloaded <= (STEPS - 1) * QUOTA : counts.offloaded == 0,
        "as many tasks are sent as the strategy says");
  roam_offload_finalize(&tasks);
  if (rank == 0) {
    printf("%d decisions, %llu waits, %llu tasks sent of %llu\n", calls.decided,
           (unsigned long long)calls.waits, (unsigned long long)calls.sent,
           (unsigned long long)calls.tasks);
    check(calls.begun == 1 && calls.ended == 1 && calls.ranks == 2, "it begins and ends once");
    check(calls.decided >= STEPS - 1 && calls.decided <= STEPS, "it decides once for each step");
    check(calls.asked == calls.decided, "it is asked for requests after each decision");
    check(calls.tasks == (uint64_t)calls.decided * (TASKS + 2), "it sees all tasks");
    check(calls.waits > 0 && calls.sent > 0, "it sees who waits, and what is sent");
  } else {
    check(calls.begun == 0 && calls.decided == 0 && calls.ended == 0, "it is asked on rank 0 alone");
  }
  MPI_Finalize();
  return failures > 0;
}
