/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of an MPI program with uneven loads whose tasks are offloaded through the interface for C,
 * and computed by the program's own OpenMP threads: the median time of a step with
 * ROAM_OFFLOAD=none and with auto, in turn in one pair of processes. Two ranks, of which the
 * first has three times as many cells; each cell is one task in a step.
 *   OMP_NUM_THREADS=1 mpirun -n 2 --bind-to core bench_step_program_mpi [--short] [option value]...
 * Options, with the values they have by default: --cells-0 90, --cells-1 30, --task-us 300,
 * --in 100000 and --out 92000 (bytes), --steps 40 (of a block; the first 10 do not count),
 * --blocks 5 (of each), --strategy auto (to compare with none), --input lent (ROAM_LENT) or in. */
#include <mpi.h>
#include <omp.h>
#include <roam/offload.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { warm_up = 10, most_steps = 10000, corrected = 64 };

typedef struct {
  long cells[2];
  long task_us;
  long in;
  long out;
  long steps;
  long blocks;
  const char* strategy;
  const char* input;
} settings_type;

static settings_type settings = {{90, 30}, 300, 100000, 92000, 40, 5, "auto", "lent"};

static double thread_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The task: makes the numbers of the second buffer from those of the first, and takes as long as
 * the third one says. */
static int predict(const roam_buffer* buffers, int count) {
  if (count != 3) return 1;
  const double begin = thread_seconds();
  const double* const input = buffers[0].data;
  double* const output = buffers[1].data;
  const size_t inputs = buffers[0].bytes / sizeof *input;
  const size_t outputs = buffers[1].bytes / sizeof *output;
  for (size_t i = 0; i < outputs; ++i) output[i] = 0.75 * input[i % inputs] + 0.25;
  while (thread_seconds() - begin < *(const double*)buffers[2].data) continue;
  return 0;
}

/* The cells of a rank, one behind the other. */
typedef struct {
  long count;
  double* input;
  double* output;
} cells_type;

static void* memory_of(size_t bytes) {
  void* const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (memory == NULL) MPI_Abort(MPI_COMM_WORLD, 1);
  memset(memory, 0, bytes);
  return memory;
}

static cells_type make_cells(int rank) {
  cells_type cells = {settings.cells[rank > 0], NULL, NULL};
  cells.input = memory_of((size_t)(cells.count * settings.in));
  cells.output = memory_of((size_t)(cells.count * settings.out));
  const size_t numbers = (size_t)(cells.count * settings.in) / sizeof(double);
  for (size_t i = 0; i < numbers; ++i) cells.input[i] = (double)(i % 1000 + (size_t)rank);
  return cells;
}

static double run_step(roam_offload* tasks, const cells_type* cells, double* seconds) {
  const double begin = MPI_Wtime();
  const size_t in = (size_t)settings.in / sizeof(double);
  const size_t out = (size_t)settings.out / sizeof(double);
  const roam_access input = strcmp(settings.input, "lent") == 0 ? ROAM_LENT : ROAM_IN;
  for (long cell = 0; cell < cells->count; ++cell) {
    const roam_buffer buffers[] = {
        {cells->input + (size_t)cell * in, in * sizeof(double), input},
        {cells->output + (size_t)cell * out, out * sizeof(double), ROAM_OUT},
        {seconds, sizeof *seconds, ROAM_IN}};
    roam_offload_spawn(tasks, "predict", buffers, 3);
  }
#pragma omp parallel
  roam_offload_end_step(tasks, omp_get_thread_num());
  /* A small part of each result changes the cell's next input. */
  for (long cell = 0; cell < cells->count; ++cell) {
    for (size_t i = 0; i < in && i < out; i += (in + corrected - 1) / corrected)
      cells->input[(size_t)cell * in + i] = cells->output[(size_t)cell * out + i];
  }
  return MPI_Wtime() - begin;
}

static int compare(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

/* What a strategy has been measured to take. */
typedef struct {
  double seconds[most_steps];
  long count;
  uint64_t offloaded;
  uint64_t checksum;
} measured_type;

static void run_block(const char* strategy, int rank, measured_type* measured) {
  setenv("ROAM_OFFLOAD", strategy, 1);
  roam_offload* tasks = roam_offload_start(MPI_COMM_WORLD, omp_get_max_threads());
  roam_offload_register(tasks, "predict", predict);
  cells_type cells = make_cells(rank);
  double seconds = 1e-6 * (double)settings.task_us;
  for (long number = 0; number < settings.steps; ++number) {
    const double taken = run_step(tasks, &cells, &seconds);
    if (number >= warm_up && measured->count < most_steps)
      measured->seconds[measured->count++] = taken;
  }
  roam_offload_counts counts = {0};
  roam_offload_statistics(tasks, &counts);
  measured->offloaded += counts.returned;
  roam_offload_finalize(&tasks);
  uint64_t sum = 0;
  for (size_t i = 0; i < (size_t)(cells.count * settings.out) / sizeof(double); ++i) {
    uint64_t bits = 0;
    memcpy(&bits, &cells.output[i], sizeof bits);
    sum = sum * 1099511628211U + bits;
  }
  MPI_Allreduce(&sum, &measured->checksum, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  free(cells.input);
  free(cells.output);
}

static double report(const char* name, measured_type* measured, int rank) {
  if (measured->count == 0) return 0;
  qsort(measured->seconds, (size_t)measured->count, sizeof(double), compare);
  const double median = measured->seconds[measured->count / 2];
  if (rank == 0) {
    printf("%s: %.3f ms a step (10th percentile %.3f), %llu tasks of rank 0 computed elsewhere\n",
           name, 1e3 * median, 1e3 * measured->seconds[measured->count / 10],
           (unsigned long long)measured->offloaded);
  }
  return median;
}

static void read_settings(int argc, char** argv) {
  struct {
    const char* name;
    long* value;
  } const options[] = {{"--cells-0", &settings.cells[0]}, {"--cells-1", &settings.cells[1]},
                       {"--task-us", &settings.task_us},  {"--in", &settings.in},
                       {"--out", &settings.out},          {"--steps", &settings.steps},
                       {"--blocks", &settings.blocks}};
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--short") == 0) {
      settings.steps = warm_up + 5;
      settings.blocks = 1;
    } else if (i + 1 < argc && strcmp(argv[i], "--strategy") == 0) {
      settings.strategy = argv[++i];
    } else if (i + 1 < argc && strcmp(argv[i], "--input") == 0) {
      settings.input = argv[++i];
    } else {
      size_t known = 0;
      const size_t all = sizeof options / sizeof *options;
      while (known < all && strcmp(argv[i], options[known].name) != 0) ++known;
      if (known < all && i + 1 < argc) *options[known].value = strtol(argv[++i], NULL, 10);
    }
  }
}

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  read_settings(argc, argv);
  static measured_type none;
  static measured_type strategy;
  for (long block = 0; block < settings.blocks; ++block) {
    run_block("none", rank, &none);
    run_block(settings.strategy, rank, &strategy);
  }
  const double before = report("none", &none, rank);
  const double after = report(settings.strategy, &strategy, rank);
  const int is_alike = none.checksum == strategy.checksum;
  if (rank == 0 && before > 0 && after > 0) printf("speed-up %.3f\n", before / after);
  if (rank == 0 && !is_alike) printf("the results differ\n");
  MPI_Finalize();
  return is_alike ? 0 : 1;
}
