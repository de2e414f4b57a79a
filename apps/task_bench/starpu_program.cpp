// SPDX-License-Identifier: Apache-2.0
// Task Bench with StarPU's tasks: a handle without content for each output, and access modes, tell
// StarPU the effects. (Inputs and outputs are this program's own memory.)
#include <starpu.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <span>
#include <vector>

#include "report.hpp"
#include "settings.hpp"
#include "work.hpp"

namespace task_bench {

namespace {

// As StarPU's authors advise: who submits waits when so many tasks are unfinished, until there are
// a tenth fewer.
constexpr int most_submitted = 10'000;
constexpr int fewer_submitted = 9'000;

/// What the tasks of a graph share; outputs and their handles in even and in odd steps.
struct Job {
  const Graph* graph = nullptr;
  std::array<std::vector<Output>, 2> rows;
  std::array<std::vector<starpu_data_handle_t>, 2> handles;
  ScratchPool* scratch = nullptr;
  std::atomic<int>* failures = nullptr;
};

struct Point {
  Job* job;
  std::int64_t step;
  std::int64_t point;
};

// An exception must not leave a task.
void run_one(void* /*buffers*/[], void* argument) {
  const std::unique_ptr<const Point> own(static_cast<const Point*>(argument));
  Job& job = *own->job;
  const auto odd = static_cast<std::size_t>(own->step % 2);
  std::vector<const Output*> inputs;
  for (const std::int64_t input : job.graph->inputs(own->step, own->point))
    inputs.push_back(&job.rows[1 - odd][static_cast<std::size_t>(input)]);
  try {
    run_task(*job.graph, own->step, own->point, inputs,
             job.rows[odd][static_cast<std::size_t>(own->point)], *job.scratch);
  } catch (const std::exception& error) {
    if (job.failures->fetch_add(1) == 0)
      std::fprintf(stderr, "task_bench_starpu: %s\n", error.what());
  }
}

template <class T>
T* new_array(std::size_t count) {  // StarPU frees it
  void* const memory = std::malloc(count * sizeof(T));
  if (memory == nullptr) std::abort();
  return static_cast<T*>(memory);
}

void submit(Job& job, std::int64_t step, std::int64_t point, starpu_codelet& codelet) {
  const auto odd = static_cast<std::size_t>(step % 2);
  const std::span<const std::int64_t> inputs = job.graph->inputs(step, point);
  starpu_task* const task = starpu_task_create();
  task->cl = &codelet;
  task->cl_arg = new Point{&job, step, point};
  starpu_data_handle_t* handles = task->handles;
  starpu_data_access_mode* modes = task->modes;
  const std::size_t count = inputs.size() + 1;
  task->nbuffers = static_cast<int>(count);
  if (count > STARPU_NMAXBUFS) {
    handles = task->dyn_handles = new_array<starpu_data_handle_t>(count);
    modes = task->dyn_modes = new_array<starpu_data_access_mode>(count);
  }
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    handles[k] = job.handles[1 - odd][static_cast<std::size_t>(inputs[k])];
    modes[k] = STARPU_R;
  }
  handles[count - 1] = job.handles[odd][static_cast<std::size_t>(point)];
  modes[count - 1] = STARPU_RW;
  if (starpu_task_submit(task) != 0) std::abort();
}

void submit_all(std::vector<Job>& jobs, std::int64_t steps) {
  starpu_codelet codelet;
  starpu_codelet_init(&codelet);
  codelet.where = STARPU_CPU;
  codelet.cpu_funcs[0] = &run_one;
  codelet.nbuffers = STARPU_VARIABLE_NBUFFERS;
  for (std::int64_t step = 0; step < steps; ++step) {
    for (Job& job : jobs) {
      if (step >= job.graph->steps()) continue;
      for (std::int64_t point = job.graph->first(step); point < job.graph->end(step); ++point)
        submit(job, step, point, codelet);
    }
    if (starpu_task_nsubmitted() > most_submitted)
      starpu_task_wait_for_n_submitted(fewer_submitted);
  }
  starpu_task_wait_for_all();
}

int run(const Settings& settings) {
  starpu_conf conf;
  starpu_conf_init(&conf);
  conf.ncpus = settings.threads > 0 ? settings.threads : -1;
  conf.ncuda = 0;
  conf.nopencl = 0;
  if (starpu_init(&conf) != 0) {
    std::fprintf(stderr, "task_bench_starpu: StarPU does not start\n");
    return 1;
  }
  std::vector<Graph> graphs;
  for (const GraphSettings& one : settings.graphs)
    graphs.emplace_back(one, static_cast<int>(graphs.size()), settings.planted);
  std::vector<Job> jobs(graphs.size());
  ScratchPool scratch;
  std::atomic<int> failures{0};
  std::int64_t steps = 0;
  for (std::size_t g = 0; g < graphs.size(); ++g) {
    Job& job = jobs[g];
    job.graph = &graphs[g];
    job.scratch = &scratch;
    job.failures = &failures;
    for (std::size_t odd = 0; odd < 2; ++odd) {
      job.rows[odd].resize(static_cast<std::size_t>(graphs[g].width()));
      job.handles[odd].resize(job.rows[odd].size());
      for (starpu_data_handle_t& handle : job.handles[odd]) starpu_void_data_register(&handle);
    }
    steps = std::max(steps, graphs[g].steps());
  }
  const auto begin = std::chrono::steady_clock::now();
  submit_all(jobs, steps);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  for (const Job& job : jobs) {
    for (const auto& row : job.handles) {
      for (const starpu_data_handle_t handle : row) starpu_data_unregister(handle);
    }
  }
  starpu_shutdown();
  if (failures.load() > 0) return 1;
  report(graphs, 1, seconds);
  return 0;
}

}  // namespace

}  // namespace task_bench

int main(int argc, char** argv) {
  task_bench::Settings settings;
  const int status = task_bench::read_settings(argc, argv, {}, settings);
  return status >= 0 ? status : task_bench::run(settings);
}
