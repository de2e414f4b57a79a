/* SPDX-License-Identifier: Apache-2.0 */
/* The program's memory and tasks that are late, on 2 ranks: while rank 1 stays in a task, rank 0
 * sends it others and then computes all of them itself. In even steps inputs are lent:
 * roam_offload_wait() returns although MPI still sends them, and roam_offload_end_step() only when
 * it does not need them any more. In odd steps they are not, and rank 1's results come when the
 * step is over: they are not written anywhere. */
#include <mpi.h>
#include <roam/offload.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "half.h"

enum { TASKS = 12, FIRST_TASKS = 3, ENOUGH_STEPS = 3, MOST_STEPS = 80, LARGE = 1 << 18, MOST_SENDS = 256 };

static int failures = 0;

static void check(int is_good, const char* what, int step) {
  if (is_good) return;
  fprintf(stderr, "step %d: %s\n", step, what);
  ++failures;
}

static void sleep_for(long milliseconds) {
  const struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&time, NULL);
}

/* --- sends from the memory that is lent, by MPI's interface for tools --- */

static unsigned char* lent = NULL;
static MPI_Request sends[MOST_SENDS];
static int sends_under_way = 0;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm communicator,
              MPI_Request* request) {
  const int code = PMPI_Isend(data, count, type, to, tag, communicator, request);
  const unsigned char* const begin = data;
  const int is_lent = lent != NULL && begin >= lent && begin < lent + (size_t)TASKS * LARGE;
  if (is_lent && sends_under_way < MOST_SENDS) sends[sends_under_way++] = *request;
  return code;
}

int MPI_Testsome(int count, MPI_Request* requests, int* completed, int* indices,
                 MPI_Status* statuses) {
  MPI_Request before[MOST_SENDS];
  for (int i = 0; i < count && i < MOST_SENDS; ++i) before[i] = requests[i];
  const int code = PMPI_Testsome(count, requests, completed, indices, statuses);
  for (int i = 0; *completed != MPI_UNDEFINED && i < *completed; ++i) {
    int at = 0;
    while (at < sends_under_way && sends[at] != before[indices[i]]) ++at;
    if (at < sends_under_way) sends[at] = sends[--sends_under_way];
  }
  return code;
}

/* --- what both ranks see --- */

typedef struct {
  atomic_int held;   /* the step in which rank 1 is, or was, in a task that rank 0 ends */
  atomic_int let_go; /* the step in which rank 0 has done so last */
  atomic_int is_over;
} shared_type;
static shared_type* shared = NULL;
static int own_rank = 0;
static int step_of_guest = -1;

static MPI_Win make_shared(void) {
  MPI_Win window = MPI_WIN_NULL;
  MPI_Aint bytes = own_rank == 0 ? sizeof *shared : 0;
  int unit = 1;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
  MPI_Win_shared_query(window, 0, &bytes, &unit, &shared);
  if (own_rank == 0) {
    atomic_init(&shared->held, -1);
    atomic_init(&shared->let_go, -1);
    atomic_init(&shared->is_over, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return window;
}

/* On rank 1, the first task of each step ends a little after rank 0 says so. */
static int twice(const roam_buffer* buffers, int count) {
  if (count != 3) return 1;
  const unsigned char* const input = buffers[0].data;
  unsigned char* const output = buffers[1].data;
  const int step = *(const int*)buffers[2].data;
  for (size_t at = 0; at < buffers[1].bytes; ++at) output[at] = (unsigned char)(2 * input[at] + step);
  if (own_rank == 0 || step <= step_of_guest) return 0;
  step_of_guest = step;
  shared->held = step;
  for (int i = 0; i < 2000 && shared->let_go < step; ++i) sleep_for(1);
  sleep_for(20);
  return 0;
}

static roam_access input_of(int step) { return step % 2 == 0 ? ROAM_LENT : ROAM_IN; }

static void spawn(roam_offload* tasks, unsigned char* outputs, int task, const int* step) {
  const roam_buffer buffers[] = {{lent + (size_t)task * LARGE, LARGE, input_of(*step)},
                                 {outputs + (size_t)task * LARGE, LARGE, ROAM_OUT},
                                 {(void*)step, sizeof *step, ROAM_IN}};
  roam_offload_spawn(tasks, "twice", buffers, 3);
}

/* A step of rank 0. Returns 1 if MPI was sending what is lent when all tasks were complete. */
static int run_step(roam_offload* tasks, unsigned char* outputs, int step) {
  roam_offload_counts counts;
  roam_offload_statistics(tasks, &counts);
  const uint64_t before = counts.offloaded;
  sleep_for(10); /* rank 1 is in roam_offload_end_step() */
  for (int task = 0; task < FIRST_TASKS; ++task) spawn(tasks, outputs, task, &step);
  roam_offload_statistics(tasks, &counts);
  for (int i = 0; i < 2000 && counts.offloaded > before && shared->held < step; ++i) sleep_for(1);
  for (int task = FIRST_TASKS; task < TASKS; ++task) spawn(tasks, outputs, task, &step);
  check(roam_offload_wait(tasks, 0) == ROAM_SUCCESS, "the wait ends", step);
  const int was_sending = sends_under_way > 0;
  if (input_of(step) == ROAM_LENT) shared->let_go = step;
  check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "the step ends", step);
  check(sends_under_way == 0, "nothing that is lent is being sent after the step", step);
  return was_sending;
}

/* Looks at the results, and then writes to all that belongs to the program again. */
static void check_results(unsigned char* outputs, int step) {
  int is_right = 1;
  for (size_t at = 0; at < (size_t)TASKS * LARGE; ++at) {
    is_right = is_right && outputs[at] == (unsigned char)(2 * lent[at] + step);
    ++lent[at];
    outputs[at] = 77;
  }
  check(is_right, "results are right", step);
}

static void check_untouched(const unsigned char* outputs, int step) {
  size_t at = 0;
  while (at < (size_t)TASKS * LARGE && outputs[at] == 77) ++at;
  check(at == (size_t)TASKS * LARGE, "a late result is not written to the program's buffer", step);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  MPI_Win window = make_shared();
  check(use_half(TASKS / 2), "there is a strategy", 0);
  roam_offload* tasks = roam_offload_start(MPI_COMM_WORLD, 1);
  roam_offload_register(tasks, "twice", twice);
  unsigned char* const outputs = malloc((size_t)TASKS * LARGE);
  lent = malloc((size_t)TASKS * LARGE);
  for (size_t at = 0; at < (size_t)TASKS * LARGE; ++at) lent[at] = (unsigned char)(at % 251);
  int steps_that_waited = 0;
  /* In which steps MPI is still sending is up to how fast rank 1 receives. */
  for (int step = 0; step < MOST_STEPS && !shared->is_over; ++step) {
    if (own_rank == 0) {
      steps_that_waited += run_step(tasks, outputs, step);
      check_results(outputs, step);
      shared->let_go = step;
      shared->is_over = steps_that_waited >= ENOUGH_STEPS;
      roam_offload_end_step(tasks, 0);
      check_untouched(outputs, step);
    } else {
      roam_offload_end_step(tasks, 0);
      roam_offload_end_step(tasks, 0);
    }
  }
  roam_offload_counts counts;
  roam_offload_statistics(tasks, &counts);
  if (own_rank == 0) {
    check(steps_that_waited > 0, "tasks are complete while MPI sends their inputs", MOST_STEPS);
    check(counts.late > 0, "results come late", MOST_STEPS);
    printf("%d steps waited for MPI; %llu late results\n", steps_that_waited,
           (unsigned long long)counts.late);
  }
  roam_offload_finalize(&tasks);
  MPI_Win_free(&window);
  free(outputs);
  free(lent);
  MPI_Finalize();
  return failures > 0;
}
