// SPDX-License-Identifier: Apache-2.0
// Task Bench with OpenMP's tasks: depend clauses, as many as the task has inputs, tell the
// compiler's runtime the effects (OpenMP 5.0).
#include <omp.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <exception>
#include <vector>

#include "report.hpp"
#include "settings.hpp"
#include "work.hpp"

namespace task_bench {

namespace {

// libgomp's time per task grows without limit with the number of unfinished tasks; so the program
// waits for all of them after this many.
constexpr std::int64_t most_pending = 512;

/// The outputs of a graph in even and in odd steps.
using Rows = std::array<std::vector<Output>, 2>;

// An exception must not leave a task.
void run_one(const Graph& graph, std::int64_t step, std::int64_t point, Rows& rows,
             ScratchPool& scratch, std::atomic<int>& failures) {
  const auto odd = static_cast<std::size_t>(step % 2);
  std::vector<const Output*> inputs;
  for (const std::int64_t input : graph.inputs(step, point))
    inputs.push_back(&rows[1 - odd][static_cast<std::size_t>(input)]);
  try {
    run_task(graph, step, point, inputs, rows[odd][static_cast<std::size_t>(point)], scratch);
  } catch (const std::exception& error) {
    if (failures.fetch_add(1) == 0) std::fprintf(stderr, "task_bench_openmp: %s\n", error.what());
  }
}

void issue(const Graph& graph, std::int64_t step, Rows& rows, ScratchPool& scratch,
           std::atomic<int>& failures) {
  const auto odd = static_cast<std::size_t>(step % 2);
  [[maybe_unused]] const Output* const before = rows[1 - odd].data();
  [[maybe_unused]] Output* const own = rows[odd].data();
  for (std::int64_t point = graph.first(step); point < graph.end(step); ++point) {
    const std::span<const std::int64_t> inputs = graph.inputs(step, point);
    [[maybe_unused]] const std::int64_t* const needs = inputs.data();
    [[maybe_unused]] const auto count = static_cast<int>(inputs.size());
#pragma omp task depend(iterator(k = 0                                                     \
                                 : count),                                                 \
                        in                                                                 \
                        : before[needs[k]]) depend(inout                                   \
                                                   : own[point]) firstprivate(step, point) \
    shared(graph, rows, scratch, failures)
    run_one(graph, step, point, rows, scratch, failures);
  }
}

int run(const Settings& settings) {
  std::vector<Graph> graphs;
  std::vector<Rows> rows;
  std::int64_t steps = 0;
  for (const GraphSettings& one : settings.graphs) {
    const Graph& graph =
        graphs.emplace_back(one, static_cast<int>(graphs.size()), settings.planted);
    std::vector<Output> row(static_cast<std::size_t>(graph.width()));
    rows.push_back({row, row});
    steps = std::max(steps, graph.steps());
  }
  ScratchPool scratch;
  std::atomic<int> failures{0};
  if (settings.threads > 0) omp_set_num_threads(settings.threads);
  double begin = 0;
#pragma omp parallel
  {
#pragma omp single
    {
      begin = omp_get_wtime();
      std::int64_t pending = 0;
      for (std::int64_t step = 0; step < steps; ++step) {
        for (std::size_t k = 0; k < graphs.size(); ++k) {
          if (step >= graphs[k].steps()) continue;
          issue(graphs[k], step, rows[k], scratch, failures);
          pending += graphs[k].end(step) - graphs[k].first(step);
        }
        if (pending < most_pending) continue;
#pragma omp taskwait
        pending = 0;
      }
    }
  }
  const double seconds = omp_get_wtime() - begin;
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
