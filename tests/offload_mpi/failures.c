/* SPDX-License-Identifier: Apache-2.0 */
/* What fails in the interface for C, on 2 ranks. Without an argument: what functions return and
 * say. With "aborts": a handle of roam_offload_start(), with which a failure ends the program. */
#include <mpi.h>
#include <roam/offload.h>
#include <stdio.h>
#include <string.h>

static int failures = 0;

static void check(int is_good, const char* what) {
  if (is_good) return;
  fprintf(stderr, "%s\n", what);
  ++failures;
}

static int twice(const roam_buffer* buffers, int count) {
  *(int*)buffers[0].data *= 2;
  return count != 1;
}

static int fails(const roam_buffer* buffers, int count) { return buffers == NULL ? count : 3; }

static void returned_failures(void) {
  char why[256] = "";
  roam_offload* tasks = NULL;
  check(roam_offload_init(MPI_COMM_WORLD, 0, &tasks, why, sizeof why) == ROAM_FAILURE &&
            tasks == NULL,
        "0 threads are refused");
  check(strstr(why, "0 threads") != NULL, "and the message says so");
  if (roam_offload_init(MPI_COMM_WORLD, 1, &tasks, why, sizeof why) != ROAM_SUCCESS) {
    fprintf(stderr, "%s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  int value = 21;
  roam_buffer buffer = {&value, sizeof value, ROAM_INOUT};
  check(roam_offload_spawn(tasks, "twice", &buffer, 1) == ROAM_FAILURE,
        "an unknown task is refused");
  check(strstr(roam_offload_error(tasks), "\"twice\" is not registered") != NULL, "by its name");
  roam_offload_register(tasks, "twice", twice);
  roam_offload_register(tasks, "fails", fails);
  buffer.access = 0;
  check(roam_offload_spawn(tasks, "twice", &buffer, 1) == ROAM_FAILURE, "no access is refused");
  buffer.access = ROAM_INOUT;
  check(roam_offload_spawn(tasks, "twice", &buffer, 1) == ROAM_SUCCESS, "a good task is taken");
  check(roam_offload_spawn_with_cost(tasks, "twice", &buffer, 1, 0) == ROAM_FAILURE,
        "a cost of 0 is refused");
  check(strstr(roam_offload_error(tasks), "a cost of 0") != NULL, "and named");
  check(roam_offload_end_step(tasks, 1) == ROAM_FAILURE, "there is no thread 1");
  check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS && value == 42, "and computed");
  check(roam_offload_spawn(tasks, "fails", &buffer, 1) == ROAM_SUCCESS, "one that fails is taken");
  check(roam_offload_end_step(tasks, 0) == ROAM_FAILURE, "and fails the step");
  check(strstr(roam_offload_error(tasks), "task \"fails\" returned 3") != NULL, "with its status");
  check(roam_offload_finalize(&tasks) == ROAM_SUCCESS && tasks == NULL, "the end");
}

static void aborts(void) {
  roam_offload* const tasks = roam_offload_start(MPI_COMM_WORLD, 1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 1) roam_offload_spawn(tasks, "unknown", NULL, 0);
  roam_offload_end_step(tasks, 0);
  fprintf(stderr, "rank %d goes on\n", rank);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  if (argc > 1 && strcmp(argv[1], "aborts") == 0) {
    aborts();
  } else {
    returned_failures();
  }
  MPI_Finalize();
  return failures;
}
