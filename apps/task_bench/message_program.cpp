// SPDX-License-Identifier: Apache-2.0
// Task Bench as active messages: each rank has a block of the points of each graph; an output goes
// to each rank that needs it once, and a task is a message of the rank to itself.
#include <memory>
#include <mutex>
#include <utility>

#include "bench.hpp"
#include "column.hpp"

namespace task_bench {

namespace {

/// A point, with whether one of its tasks is queued or running.
struct Cell {
  std::mutex lock;
  Column column;         // under lock
  bool is_busy = false;  // under lock
};

/// This rank's block of one graph.
struct Block {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::unique_ptr<Cell[]> cells;
  [[nodiscard]] Cell& cell(std::int64_t point) {
    return cells[static_cast<std::size_t>(point - begin)];
  }
};

struct Blocks {
  Bench* bench = nullptr;
  std::vector<Block> of_graphs;
};

Blocks& blocks() { return roam::here().local<Blocks>(); }

void run_next(std::int32_t number, std::int64_t point);

void send_to_own(std::int32_t number, std::int64_t point) {
  roam::here().send<&run_next>(roam::here().rank(), number, point);
}

// True if the next task of this point has all its inputs and is not queued or running. Requires the
// cell's lock.
bool is_to_run(const Graph& graph, Cell& cell) {
  if (cell.is_busy || !cell.column.is_ready(graph)) return false;
  cell.is_busy = true;
  return true;
}

/// Receives the output of a task of step - 1, for this rank's tasks of this step.
void deliver(std::int32_t number, std::int64_t step, const Output& output) {
  Blocks& own = blocks();
  const Graph& graph = own.bench->graph(number);
  Block& block = own.of_graphs[static_cast<std::size_t>(number)];
  for (const std::int64_t reader : graph.readers(step - 1, output.stamp().point)) {
    if (reader < block.begin || reader >= block.end) continue;
    Cell& cell = block.cell(reader);
    bool runs = false;
    {
      const std::lock_guard guard(cell.lock);
      cell.column.take(step, Output(output));
      runs = is_to_run(graph, cell);
    }
    if (runs) send_to_own(number, reader);
  }
}

/// Runs the next task of a point, whose inputs have come.
void run_next(std::int32_t number, std::int64_t point) {
  Blocks& own = blocks();
  const Graph& graph = own.bench->graph(number);
  Block& block = own.of_graphs[static_cast<std::size_t>(number)];
  Cell& cell = block.cell(point);
  std::int64_t step = 0;
  std::vector<Output> inputs;
  {
    const std::lock_guard guard(cell.lock);
    step = cell.column.step();
    inputs = cell.column.begin_task(graph);
  }
  Output output;
  own.bench->run_task(graph, step, point, pointers_to(inputs), output);
  roam::Runtime& rt = roam::here();
  std::int64_t last = -1;
  for (const std::int64_t reader : graph.readers(step, point)) {  // in ascending order
    const std::int64_t rank = block_of(graph.width(), rt.size(), reader);
    if (std::exchange(last, rank) == rank) continue;
    if (rank == rt.rank().value()) {
      deliver(number, step + 1, output);
    } else {
      rt.send<&deliver>(roam::Rank(static_cast<std::int32_t>(rank)), number, step + 1, output);
    }
  }
  bool runs = false;
  {
    const std::lock_guard guard(cell.lock);
    cell.is_busy = false;
    runs = is_to_run(graph, cell);
  }
  if (runs) send_to_own(number, point);
}

Block make_block(const Graph& graph, std::int64_t ranks, std::int64_t rank) {
  Block block;
  block.begin = block_begin(graph.width(), ranks, rank);
  block.end = block_begin(graph.width(), ranks, rank + 1);
  block.cells = std::make_unique<Cell[]>(static_cast<std::size_t>(block.end - block.begin));
  for (std::int64_t point = block.begin; point < block.end; ++point) {
    Cell& cell = block.cell(point);
    const std::lock_guard guard(cell.lock);
    cell.column = Column(graph, point);
  }
  return block;
}

// Starts the tasks of this rank that need no inputs.
void start(const Graph& graph, Block& block) {
  for (std::int64_t point = block.begin; point < block.end; ++point) {
    bool runs = false;
    {
      Cell& cell = block.cell(point);
      const std::lock_guard guard(cell.lock);
      runs = is_to_run(graph, cell);
    }
    if (runs) send_to_own(graph.number(), point);
  }
}

}  // namespace

roam::Task<roam::Duration> run_messages(roam::Runtime& rt, Bench& bench) {
  Blocks& own = rt.local<Blocks>();
  own.bench = &bench;
  for (const Graph& graph : bench.graphs())
    own.of_graphs.push_back(make_block(graph, rt.size(), rt.rank().value()));
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  for (const Graph& graph : bench.graphs())
    start(graph, own.of_graphs[static_cast<std::size_t>(graph.number())]);
  co_await rt.quiescence();
  const roam::Duration took = rt.now() - begin;
  rt.end_measurement();
  co_return took;
}

}  // namespace task_bench
