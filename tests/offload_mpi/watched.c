/* SPDX-License-Identifier: Apache-2.0 */
/* ROAM_OFFLOAD_CHECK_BUFFERS, on 2 ranks: buffers of tasks that the program changes or frees too
 * early are an error that names them; what is right is none. */
#include <mpi.h>
#include <roam/offload.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "half.h"

enum { TASKS = 24, STEPS = 12, LENGTH = 4096 };

static int failures = 0;
static int own_rank = 0;

static void check(int is_good, const char* what) {
  if (is_good) return;
  fprintf(stderr, "rank %d: %s\n", own_rank, what);
  ++failures;
}

/* buffers: two inputs, an output, a value that is counted up */
static int sum(const roam_buffer* buffers, int count) {
  if (count != 4) return 1;
  const double* const first = buffers[0].data;
  const double* const second = buffers[1].data;
  double* const result = buffers[2].data;
  for (int k = 0; k < 20; ++k)
    for (size_t i = 0; i < buffers[2].bytes / sizeof(double); ++i) result[i] = first[i] + second[i];
  ++*(int*)buffers[3].data;
  return 0;
}

static int changes_input(const roam_buffer* buffers, int count) {
  *(int*)buffers[0].data += 1;
  return count != 1;
}

static int copies(const roam_buffer* buffers, int count) {
  memcpy(buffers[1].data, buffers[0].data, buffers[0].bytes);
  return count != 2;
}

static double inputs[2][TASKS][LENGTH];
static double outputs[TASKS][LENGTH];
static int values[TASKS];

static void spawn(roam_offload* tasks, int task) {
  const roam_buffer buffers[] = {{inputs[0][task], sizeof inputs[0][task], ROAM_LENT},
                                 {inputs[1][task], sizeof inputs[1][task] / 512, ROAM_IN},
                                 {outputs[task], sizeof outputs[task] / 512, ROAM_OUT},
                                 {&values[task], sizeof values[task], ROAM_INOUT}};
  check(roam_offload_spawn(tasks, "sum", buffers, 4) == ROAM_SUCCESS, "a task is spawned");
}

static void spawn_group(roam_offload* tasks, int task, roam_travel travel) {
  const roam_buffer first[] = {{inputs[0][task], 8, ROAM_IN}, {outputs[task], 8, ROAM_INNER}};
  const roam_buffer second[] = {{outputs[task], 8, ROAM_IN}, {inputs[1][task], 8, ROAM_INOUT}};
  const roam_group_task group[] = {{"copies", first, 2}, {"copies", second, 2}};
  check(roam_offload_spawn_group(tasks, group, 2, travel) == ROAM_SUCCESS, "a group is spawned");
}

static roam_offload* begin(void) {
  char why[256] = "";
  roam_offload* tasks = NULL;
  if (roam_offload_init(MPI_COMM_WORLD, 1, &tasks, why, sizeof why) != ROAM_SUCCESS) {
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  roam_offload_register(tasks, "sum", sum);
  roam_offload_register(tasks, "changes_input", changes_input);
  roam_offload_register(tasks, "copies", copies);
  return tasks;
}

/* The step fails on rank 0, with these words, and on no other. */
static void check_failure(int status, roam_offload* tasks, const char* words) {
  if (own_rank != 0) return check(status == ROAM_SUCCESS, "the other rank goes on");
  check(status == ROAM_FAILURE, words);
  if (strstr(roam_offload_error(tasks), words) != NULL) return;
  fprintf(stderr, "not as expected: %s\n", roam_offload_error(tasks));
  ++failures;
}

static void right_use(roam_offload* tasks) {
  roam_offload_counts counts;
  for (int step = 0; step < STEPS; ++step) {
    for (int task = 0; task < (own_rank == 0 ? TASKS : 2); ++task) spawn(tasks, task);
    check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "a step ends");
    for (int task = 0; task < TASKS; ++task)
      spawn_group(tasks, task, step % 2 == 0 ? ROAM_APART : ROAM_TOGETHER);
    check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "a step with groups ends");
    for (int task = 0; task < TASKS; ++task) inputs[0][task][step] += 1;
  }
  roam_offload_statistics(tasks, &counts);
  if (own_rank == 0) check(counts.returned > 0, "tasks go to the other rank");
}

static void changed_inputs(roam_offload* tasks) {
  if (own_rank == 0) {
    spawn(tasks, 0);
    inputs[1][0][3] += 1;
  }
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "buffer 1 of task \"sum\" of rank 0 (ROAM_IN, 64 bytes) was changed or freed");
  if (own_rank == 0) {
    spawn(tasks, 0);
    check(roam_offload_wait(tasks, 0) == ROAM_SUCCESS, "the task itself is complete");
    inputs[0][0][LENGTH - 1] += 1;
  }
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "buffer 0 of task \"sum\" of rank 0 (ROAM_LENT, 32768 bytes) was changed or freed "
                "before the end of the step");
  const roam_buffer read = {&values[0], sizeof values[0], ROAM_IN};
  if (own_rank == 0) roam_offload_spawn(tasks, "changes_input", &read, 1);
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "buffer 0 of task \"changes_input\" of rank 0 (ROAM_IN, 4 bytes) was changed");
  if (own_rank == 0) {
    spawn_group(tasks, 1, ROAM_TOGETHER);
    inputs[1][1][0] += 1;
  }
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "buffer 1 of task \"copies\" of rank 0 (ROAM_INOUT, 8 bytes) was changed");
  if (own_rank == 0) {
    const roam_buffer first[] = {{inputs[0][1], 8, ROAM_IN}, {outputs[1], 8, ROAM_INNER}};
    const roam_buffer second = {outputs[1], 8, ROAM_IN};
    const roam_group_task group[] = {{"copies", first, 2}, {"changes_input", &second, 1}};
    roam_offload_spawn_group(tasks, group, 2, ROAM_APART);
  }
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "buffer 0 of task \"changes_input\" of rank 0 (ROAM_IN, 8 bytes) was changed");
}

static void freed_memory(roam_offload* tasks) {
  const size_t bytes = 1 << 16;
  if (own_rank == 0) {
    void* const memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    const roam_buffer buffer = {memory, bytes, ROAM_INOUT};
    roam_offload_spawn(tasks, "changes_input", &buffer, 1);
    munmap(memory, bytes);
  }
  check_failure(roam_offload_end_step(tasks, 0), tasks,
                "(ROAM_INOUT, 65536 bytes) is in no memory any more");
}

/* Of tasks that are away, the outputs alone: what comes back must not be written there. */
static void changed_outputs_of_tasks_elsewhere(roam_offload* tasks) {
  for (int step = 0; step < STEPS; ++step) {
    uint64_t before = 0;
    int is_away[TASKS] = {0};
    int are_away = 0;
    for (int task = 0; task < (own_rank == 0 ? TASKS : 2); ++task) {
      spawn(tasks, task);
      roam_offload_counts counts;
      roam_offload_statistics(tasks, &counts);
      is_away[task] = task > 0 && counts.offloaded > before;
      are_away += is_away[task];
      before = counts.offloaded;
    }
    for (int task = 0; task < TASKS; ++task)
      if (is_away[task]) outputs[task][0] = -1 - step;
    const int status = roam_offload_end_step(tasks, 0);
    if (are_away == 0) {
      check(status == ROAM_SUCCESS, "a step in which nothing is away ends");
      continue;
    }
    check_failure(status, tasks, "of task \"sum\" of rank 0 (ROAM_OUT, 64 bytes) was changed or freed");
    for (int task = 0; task < TASKS; ++task)
      check(!is_away[task] || outputs[task][0] == -1 - step, "and what was changed stays");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
  check(use_half(TASKS / 2), "there is a strategy");
  setenv("ROAM_OFFLOAD_RECOMPUTE", "false", 1); /* what is away comes back, however late */
  roam_offload* tasks = begin();
  if (own_rank == 0) {
    spawn(tasks, 0);
    inputs[1][0][3] += 1;
  }
  check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "nothing is checked without the option");
  roam_offload_finalize(&tasks);
  setenv("ROAM_OFFLOAD_CHECK_BUFFERS", "true", 1);
  tasks = begin();
  right_use(tasks);
  changed_inputs(tasks);
  freed_memory(tasks);
  changed_outputs_of_tasks_elsewhere(tasks);
  roam_offload_finalize(&tasks);
  MPI_Finalize();
  return failures > 0;
}
