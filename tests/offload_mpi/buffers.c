/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of tasks through the interface for C, on 2 ranks: results are the same for every mixture
 * of buffers, and Roam copies large ones as rarely as docs/offloading_mpi.md says. */
#include <dlfcn.h>
#include <mpi.h>
#include <roam/offload.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"

enum { TASKS = 12, STEPS = 5, MOST_BUFFERS = 5, LARGE = 1 << 18 };

static int failures = 0;

static void check(int is_good, const char* what, int kind) {
  if (is_good) return;
  fprintf(stderr, "kind %d: %s\n", kind, what);
  ++failures;
}

#ifdef COUNTS_COPIES
/* Every copy of at least LARGE bytes by this process is counted. MPI copies in smaller pieces. */
typedef void* copy_function(void*, const void*, size_t);
static copy_function* copy = NULL;
static atomic_long large_copies = 0;
static long copies_so_far(void) { return large_copies; }

static void* counted_copy(void* to, const void* from, size_t bytes) {
  if (bytes >= LARGE) ++large_copies;
  if (copy != NULL) return copy(to, from, bytes);
  volatile char* const target = to; /* before main() */
  const size_t first = (const char*)from < (const char*)to ? bytes : 0;
  for (size_t i = 0; i < bytes; ++i) {
    const size_t place = first > 0 ? bytes - 1 - i : i;
    target[place] = ((const char*)from)[place];
  }
  return to;
}
void* memcpy(void* restrict to, const void* restrict from, size_t bytes) {
  return counted_copy(to, from, bytes);
}
void* memmove(void* to, const void* from, size_t bytes) { return counted_copy(to, from, bytes); }
__attribute__((constructor)) static void find_copy(void) {
  copy = (copy_function*)dlsym(RTLD_NEXT, "memmove");
}
#endif

/* A kind of tasks: its buffers, and how often buffers of at least LARGE bytes are copied. */
typedef struct {
  int count;
  struct {
    size_t bytes;
    roam_access access;
  } buffers[MOST_BUFFERS];
  long when_sent;     /* on the task's own rank */
  long when_back;     /* on the same, if the result comes back */
  long when_computed; /* on another rank */
} kind_type;

static const kind_type kinds[] = {
    {2, {{LARGE, ROAM_IN}, {LARGE, ROAM_OUT}}, 1, 1, 0},
    {2, {{LARGE, ROAM_LENT}, {LARGE, ROAM_OUT}}, 0, 1, 0},
    {1, {{LARGE, ROAM_INOUT}}, 1, 1, 0},
    {3, {{8, ROAM_OUT}, {40, ROAM_IN}, {LARGE + 24, ROAM_INOUT}}, 1, 1, 0},
    {2, {{LARGE, ROAM_INOUT}, {LARGE, ROAM_OUT}}, 1, 2, 1},
    {4, {{4096, ROAM_LENT}, {LARGE, ROAM_LENT}, {8, ROAM_IN}, {17, ROAM_OUT}}, 0, 0, 0},
    {3, {{LARGE / 2, ROAM_LENT}, {LARGE, ROAM_LENT}, {17, ROAM_OUT}}, 1, 0, 0},
    {3, {{LARGE, ROAM_LENT}, {LARGE + 8, ROAM_IN}, {8, ROAM_OUT}}, 2, 0, 0},
    {5, {{100, ROAM_IN}, {24, ROAM_INOUT}, {17, ROAM_OUT}, {0, ROAM_IN}, {1, ROAM_LENT}}, 0, 0, 0},
    {2, {{9000, ROAM_INOUT}, {200000, ROAM_OUT}}, 0, 0, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int own_rank = 0;

/* Makes each byte that it writes of all that it reads. */
static int mix(const roam_buffer* buffers, int count) {
  uint64_t sum = 1469598103934665603U;
  for (int i = 0; i < count; ++i) {
    const unsigned char* const data = buffers[i].data;
    const int is_aligned = (uintptr_t)data % 64 == 0;
    if (own_rank != 0 && !is_aligned) return 1;
    if ((buffers[i].access & ROAM_IN) == 0) continue;
    for (size_t at = 0; at < buffers[i].bytes; ++at) sum = (sum ^ data[at]) * 1099511628211U;
  }
  for (int i = 0; i < count; ++i) {
    unsigned char* const data = buffers[i].data;
    if ((buffers[i].access & ROAM_OUT) == 0) continue;
    const int reads = (buffers[i].access & ROAM_IN) != 0;
    for (size_t at = 0; at < buffers[i].bytes; ++at)
      data[at] = (unsigned char)((reads ? data[at] : 0) + (sum >> at % 56) + at);
  }
  return 0;
}

/* The buffers of a task, filled; at odd addresses, which is the program's affair. */
static void make_buffers(const kind_type* kind, int task, roam_buffer* buffers) {
  for (int i = 0; i < kind->count; ++i) {
    const size_t bytes = kind->buffers[i].bytes;
    unsigned char* const data = (unsigned char*)malloc(bytes + 1) + 1;
    for (size_t at = 0; at < bytes; ++at) data[at] = (unsigned char)(at * 7 + (size_t)(task + i));
    buffers[i] = (roam_buffer){data, bytes, kind->buffers[i].access};
  }
}

static void free_buffers(int count, const roam_buffer* buffers) {
  for (int i = 0; i < count; ++i) free((unsigned char*)buffers[i].data - 1);
}

static void run_kind(roam_offload* tasks, int number, int rank) {
  const kind_type* const kind = &kinds[number];
  roam_buffer expected[TASKS][MOST_BUFFERS];
  roam_buffer buffers[TASKS][MOST_BUFFERS];
  const int own = rank == 0 ? TASKS : 0;
  for (int task = 0; task < own; ++task) {
    make_buffers(kind, task, expected[task]);
    make_buffers(kind, task, buffers[task]);
  }
  roam_offload_counts before;
  roam_offload_counts after;
  roam_offload_statistics(tasks, &before);
#ifdef COUNTS_COPIES
  const long copies_before = copies_so_far();
#endif
  for (int step = 0; step < STEPS; ++step) {
    for (int task = 0; task < own; ++task)
      roam_offload_spawn(tasks, "mix", buffers[task], kind->count);
    if (step % 2 == 0) check(roam_offload_wait(tasks, 0) == ROAM_SUCCESS, "the wait ends", number);
    check(roam_offload_end_step(tasks, 0) == ROAM_SUCCESS, "the step ends", number);
  }
#ifdef COUNTS_COPIES
  const long copies = copies_so_far() - copies_before;
#endif
  roam_offload_statistics(tasks, &after);
  const long back = (long)(after.returned - before.returned);
  if (rank == 0) check(back > 0, "the other rank computes some", number);
#ifdef COUNTS_COPIES
  const long sent = (long)(after.offloaded - before.offloaded);
  const long computed = (long)(after.guests - before.guests);
  check(copies == kind->when_sent * sent + kind->when_back * back + kind->when_computed * computed,
        "large buffers are copied as often as is said", number);
#endif
  for (int task = 0; task < own; ++task) {
    for (int step = 0; step < STEPS; ++step) mix(expected[task], kind->count);
    for (int i = 0; i < kind->count; ++i) {
      check(memcmp(expected[task][i].data, buffers[task][i].data, buffers[task][i].bytes) == 0,
            "results are the same wherever they were computed", number);
    }
    free_buffers(kind->count, expected[task]);
    free_buffers(kind->count, buffers[task]);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  own_rank = rank;
  check(use_half(TASKS / 2), "there is a strategy", 0);
  setenv("ROAM_OFFLOAD_RECOMPUTE", "false", 1); /* what is away comes back, however late */
  roam_offload* tasks = roam_offload_start(MPI_COMM_WORLD, 1);
  roam_offload_register(tasks, "mix", mix);
  for (int kind = 0; kind < KINDS; ++kind) run_kind(tasks, kind, rank);
  roam_offload_finalize(&tasks);
  MPI_Finalize();
  return failures;
}
