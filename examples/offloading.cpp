// SPDX-License-Identifier: Apache-2.0
// Ranks that would wait compute tasks of a rank that has more of them. Each step ends with a
// reduction, as a time step does; rank 0 has four times as many cells as the others.
//   example_offloading --roam-ranks 2 --roam-workers 1 [--roam-offload none]
#include <cmath>
#include <cstdio>
#include <roam/offload/offload.hpp>
#include <roam/roam.hpp>
#include <vector>

using Cell = std::vector<double>;

// The task: a plain function of its arguments, whichever rank computes it.
Cell predict(const Cell& cell, double dt) {
  Cell next(cell.size());
  for (std::size_t i = 0; i < cell.size(); ++i) {
    next[i] = cell[i];
    for (int k = 0; k < 200; ++k) next[i] += dt * std::sin(next[i]);
  }
  return next;
}

roam::Task<> program(roam::Runtime& rt) {
  std::vector<Cell> cells(rt.rank() == 0 ? 80 : 20, Cell(50, 1.0 + rt.rank().value()));
  for (int step = 0; step < 10; ++step) {
    std::vector<roam::offload::Result<void>> done;
    for (Cell& cell : cells) {
      done.push_back(roam::offload::spawn_then<&predict>(
          rt, [&cell](Cell&& next) { cell = std::move(next); }, cell, 1e-3));
    }
    co_await roam::offload::when_all(std::move(done));
    co_await rt.barrier();
    roam::offload::next_step(rt);  // what this step took decides about the next one
  }
  double sum = 0;
  for (const Cell& cell : cells) sum += cell[0];
  const auto total = co_await rt.reduce<std::plus<>>(0, sum);
  const roam::RunSummary summary = co_await rt.summarise_statistics();
  if (rt.rank() == 0) {
    std::printf("sum %.12f; %.0f of %.0f tasks computed by other ranks\n", *total,
                roam::value_of(summary.counters, "tasks_returned"),
                roam::value_of(summary.counters, "tasks_spawned"));
  }
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
