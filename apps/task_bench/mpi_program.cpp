// SPDX-License-Identifier: Apache-2.0
// Task Bench with MPI: each process has a block of the points of each graph and runs the steps in
// order; an output is sent once to each process that needs it.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <set>
#include <vector>

#include "report.hpp"
#include "settings.hpp"
#include "work.hpp"

namespace task_bench {

namespace {

constexpr std::int64_t most_tags =
    16'384;  // points told apart by tags; MPI's least limit is 32,767

/// One process's part of a graph.
class Part {
 public:
  Part(const Graph& graph, int ranks, int rank)
      : graph_(graph),
        ranks_(ranks),
        rank_(rank),
        begin_(block_begin(graph.width(), ranks, rank)),
        end_(block_begin(graph.width(), ranks, rank + 1)),
        stamps_(static_cast<std::size_t>(graph.settings().output_bytes) / sizeof(Stamp)) {
    if (graph.width() > most_tags) throw std::runtime_error("with MPI, -width is at most 16384");
    for (auto& row : rows_) row.resize(static_cast<std::size_t>(graph.width()));
    bytes_.resize(static_cast<std::size_t>(graph.width()) * stamps_);
    sent_.resize(static_cast<std::size_t>(end_ - begin_) * stamps_);
  }

  void run(std::int64_t step, ScratchPool& scratch) {
    const auto odd = static_cast<std::size_t>(step % 2);
    const std::int64_t begin = std::max(begin_, graph_.first(step));
    const std::int64_t end = std::min(end_, graph_.end(step));
    for (const std::int64_t point : received_) {
      rows_[1 - odd][static_cast<std::size_t>(point)].copy_from(
          &bytes_[static_cast<std::size_t>(point) * stamps_], graph_.settings().output_bytes);
    }
    for (std::int64_t point = begin; point < end; ++point) {
      inputs_.clear();
      for (const std::int64_t input : graph_.inputs(step, point))
        inputs_.push_back(&rows_[1 - odd][static_cast<std::size_t>(input)]);
      run_task(graph_, step, point, inputs_, rows_[odd][static_cast<std::size_t>(point)], scratch);
    }
    if (step + 1 < graph_.steps()) exchange(step);
  }

 private:
  [[nodiscard]] int owner(std::int64_t point) const {
    return static_cast<int>(block_of(graph_.width(), ranks_, point));
  }
  [[nodiscard]] int tag(std::int64_t point) const {
    return static_cast<int>(point + most_tags * (graph_.number() % 2));
  }

  // Sends what others need of this step, and receives what this one needs.
  void exchange(std::int64_t step) {
    const auto odd = static_cast<std::size_t>(step % 2);
    const auto bytes = static_cast<int>(stamps_ * sizeof(Stamp));
    requests_.clear();
    received_.clear();
    const std::int64_t next_end = std::min(end_, graph_.end(step + 1));
    for (std::int64_t point = std::max(begin_, graph_.first(step + 1)); point < next_end; ++point) {
      for (const std::int64_t input : graph_.inputs(step + 1, point)) {
        if (owner(input) == rank_ || !received_.insert(input).second) continue;
        MPI_Irecv(&bytes_[static_cast<std::size_t>(input) * stamps_], bytes, MPI_BYTE, owner(input),
                  tag(input), MPI_COMM_WORLD, &requests_.emplace_back());
      }
    }
    const std::int64_t end = std::min(end_, graph_.end(step));
    for (std::int64_t point = std::max(begin_, graph_.first(step)); point < end; ++point) {
      Stamp* const buffer = &sent_[static_cast<std::size_t>(point - begin_) * stamps_];
      int last = rank_;
      for (const std::int64_t reader : graph_.readers(step, point)) {  // in ascending order
        const int to = owner(reader);
        if (to == rank_ || to == last) continue;
        last = to;
        rows_[odd][static_cast<std::size_t>(point)].copy_to(buffer);
        MPI_Isend(buffer, bytes, MPI_BYTE, to, tag(point), MPI_COMM_WORLD,
                  &requests_.emplace_back());
      }
    }
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
  }

  const Graph& graph_;
  const int ranks_;
  const int rank_;
  const std::int64_t begin_;
  const std::int64_t end_;
  const std::size_t stamps_;  // stamps of an output
  // Outputs of even and odd steps, own ones and received ones.
  std::array<std::vector<Output>, 2> rows_;
  std::vector<Stamp> bytes_;  // receive buffer
  std::vector<Stamp> sent_;   // send buffer
  std::set<std::int64_t> received_;
  std::vector<const Output*> inputs_;
  std::vector<MPI_Request> requests_;
};

int run(const Settings& settings) {
  int ranks = 0;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::vector<Graph> graphs;
  graphs.reserve(settings.graphs.size());
  std::vector<Part> parts;
  std::int64_t steps = 0;
  for (const GraphSettings& one : settings.graphs) {
    const Graph& graph =
        graphs.emplace_back(one, static_cast<int>(graphs.size()), settings.planted);
    parts.emplace_back(graph, ranks, rank);
    steps = std::max(steps, graph.steps());
  }
  ScratchPool scratch;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (std::int64_t step = 0; step < steps; ++step) {
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (step < graphs[k].steps()) parts[k].run(step, scratch);
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - begin;
  if (rank == 0) report(graphs, ranks, seconds);
  return 0;
}

}  // namespace

}  // namespace task_bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  task_bench::Settings settings;
  int status = task_bench::read_settings(argc, argv, {}, settings);
  if (status < 0) {
    try {
      status = task_bench::run(settings);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "task_bench_mpi: %s\n", error.what());
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return status;
}
