/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of tasks that need each other's results, through the interface for C, on 2 ranks. */
#include <mpi.h>
#include <roam/offload.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS = 40, LENGTH = 2000, STEPS = 5 };

static int failures = 0;

static void check(int is_good, const char* what) {
  if (is_good) return;
  fprintf(stderr, "%s\n", what);
  ++failures;
}

static double slowly(double value) {
  for (int i = 0; i < 40; ++i) value = 0.5 * value + 1.0 / (1.0 + value * value);
  return value;
}

/* {from: in, to: out} */
static int smooth(const roam_buffer* buffers, int count) {
  const double* const from = (const double*)buffers[0].data;
  double* const to = (double*)buffers[1].data;
  for (size_t i = 0; i < buffers[0].bytes / sizeof *from; ++i) to[i] = slowly(from[i]);
  return count != 2;
}

/* {values: inout} */
static int twice(const roam_buffer* buffers, int count) {
  double* const values = (double*)buffers[0].data;
  for (size_t i = 0; i < buffers[0].bytes / sizeof *values; ++i) values[i] *= 2;
  return count != 1;
}

/* {a: in, b: in, sum: out} */
static int add(const roam_buffer* buffers, int count) {
  const double* const a = (const double*)buffers[0].data;
  const double* const b = (const double*)buffers[1].data;
  double sum = 0;
  for (size_t i = 0; i < buffers[0].bytes / sizeof *a; ++i) sum += a[i] + b[i];
  *(double*)buffers[2].data = sum;
  return count != 3;
}

static int fails(const roam_buffer* buffers, int count) { return buffers == NULL ? count : 3; }

static double data[GROUPS][LENGTH], left[GROUPS][LENGTH], right[GROUPS][LENGTH], sums[GROUPS];

/* left = 2 smooth(data); right = smooth(left); sums = left + right. */
static void spawn(roam_offload* tasks, int group, roam_travel travel) {
  const size_t bytes = sizeof data[group];
  const roam_buffer first[] = {{data[group], bytes, ROAM_IN}, {left[group], bytes, ROAM_INNER}};
  const roam_buffer second[] = {{left[group], bytes, ROAM_INOUT}};
  const roam_buffer third[] = {{left[group], bytes, ROAM_IN}, {right[group], bytes, ROAM_INNER}};
  const roam_buffer last[] = {{left[group], bytes, ROAM_IN},
                              {right[group], bytes, ROAM_IN},
                              {&sums[group], sizeof sums[group], ROAM_OUT}};
  const roam_group_task list[] = {
      {"smooth", first, 2}, {"twice", second, 1}, {"smooth", third, 2}, {"add", last, 3}};
  check(roam_offload_spawn_group(tasks, list, 4, travel) == ROAM_SUCCESS, "a group is taken");
}

static double expected(int group) {
  double sum = 0;
  for (int i = 0; i < LENGTH; ++i) {
    const double value = 2 * slowly(data[group][i]);
    sum += value + slowly(value);
  }
  return sum;
}

static void results_are_the_same(roam_offload* tasks, int rank) {
  for (int group = 0; group < GROUPS; ++group)
    for (int i = 0; i < LENGTH; ++i) data[group][i] = group + 1e-3 * i;
  const int groups = rank == 0 ? GROUPS : 2;
  static double results[GROUPS];
  for (int group = 0; group < groups; ++group) results[group] = expected(group);
  for (int step = 0; step < 3 * STEPS; ++step) {
    memset(sums, 0, sizeof sums);
    for (int group = 0; group < groups; ++group) spawn(tasks, group, (roam_travel)(step / STEPS));
    check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "the step ends");
    for (int group = 0; group < groups; ++group)
      check(sums[group] == results[group], "the result is the same wherever it was computed");
  }
  roam_offload_counts counts;
  roam_offload_statistics(tasks, &counts);
  /* As one task by what the data say, and because it is asked for; as four. */
  check(counts.spawned == (uint64_t)(2 * STEPS * groups + 4 * STEPS * groups), "all are spawned");
  if (rank == 0) check(counts.offloaded > 0, "the other rank computes some");
}

/* Two long buffers, of which a sum remains for the second task: that is little, and the tasks
 * travel one by one. */
static void little_inside_travels_apart(roam_offload* tasks) {
  double sum = 0;
  const roam_buffer first[] = {{data[0], sizeof data[0], ROAM_IN},
                               {data[1], sizeof data[1], ROAM_IN},
                               {&sum, sizeof sum, ROAM_OUT}};
  const roam_buffer second = {&sum, sizeof sum, ROAM_INOUT};
  const roam_group_task list[] = {{"add", first, 3}, {"twice", &second, 1}};
  roam_offload_counts before;
  roam_offload_counts after;
  roam_offload_statistics(tasks, &before);
  check(roam_offload_spawn_group(tasks, list, 2, ROAM_BY_DATA) == ROAM_SUCCESS, "taken");
  check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "and computed");
  roam_offload_statistics(tasks, &after);
  double expected_sum = 0;
  for (int i = 0; i < LENGTH; ++i) expected_sum += data[0][i] + data[1][i];
  check(after.spawned == before.spawned + 2, "as two tasks");
  check(sum == 2 * expected_sum, "one after the other");
}

static void what_cannot_be_is_refused(roam_offload* tasks) {
  double values[8] = {0};
  const roam_buffer whole = {values, sizeof values, ROAM_INOUT};
  const roam_buffer part = {values + 2, 2 * sizeof *values, ROAM_INOUT};
  const roam_buffer shorter = {values, sizeof *values, ROAM_INOUT};
  const roam_buffer inner = {values, sizeof values, ROAM_INNER};
  roam_group_task list[] = {{"twice", &whole, 1}, {"twice", &part, 1}};
  check(roam_offload_spawn_group(tasks, list, 2, ROAM_BY_DATA) == ROAM_FAILURE &&
            strstr(roam_offload_error(tasks), "overlap") != NULL,
        "buffers that overlap are refused");
  list[1].buffers = &shorter;
  check(roam_offload_spawn_group(tasks, list, 2, ROAM_BY_DATA) == ROAM_FAILURE &&
            strstr(roam_offload_error(tasks), "with 64 and with 8 bytes") != NULL,
        "a buffer of two lengths is refused");
  list[1].name = "unknown";
  check(roam_offload_spawn_group(tasks, list, 2, ROAM_BY_DATA) == ROAM_FAILURE &&
            strstr(roam_offload_error(tasks), "\"unknown\" is not registered") != NULL,
        "an unknown task is refused");
  check(roam_offload_spawn_group(tasks, list, 0, ROAM_BY_DATA) == ROAM_FAILURE, "so is no task");
  check(roam_offload_spawn(tasks, "twice", &inner, 1) == ROAM_FAILURE &&
            strstr(roam_offload_error(tasks), "in groups alone") != NULL,
        "ROAM_INNER is for groups");
}

static void failures_come_through(roam_offload* tasks) {
  double values[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  const roam_buffer all = {values, sizeof values, ROAM_INOUT};
  const roam_group_task list[] = {{"twice", &all, 1}, {"fails", &all, 1}, {"twice", &all, 1}};
  for (int travel = ROAM_TOGETHER; travel <= ROAM_APART; ++travel) {
    check(roam_offload_spawn_group(tasks, list, 3, (roam_travel)travel) == ROAM_SUCCESS, "taken");
    check(roam_offload_end_step(tasks, 0) == ROAM_FAILURE, "and fails the step");
    check(strstr(roam_offload_error(tasks), "task \"fails\" returned 3") != NULL,
          "with its status");
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  roam_offload* tasks = NULL;
  char why[256] = "";
  if (roam_offload_init(MPI_COMM_WORLD, 1, &tasks, why, sizeof why) != ROAM_SUCCESS) {
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  roam_offload_register(tasks, "smooth", smooth);
  roam_offload_register(tasks, "twice", twice);
  roam_offload_register(tasks, "add", add);
  roam_offload_register(tasks, "fails", fails);
  results_are_the_same(tasks, rank);
  little_inside_travels_apart(tasks);
  what_cannot_be_is_refused(tasks);
  failures_come_through(tasks);
  check(roam_offload_finalize(&tasks) == ROAM_SUCCESS, "the end");
  MPI_Finalize();
  return failures;
}
