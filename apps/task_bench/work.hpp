// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "graph.hpp"

namespace task_bench {

/// The writer of an output: the task of this step and point.
struct Stamp {
  std::int64_t step = -1;
  std::int64_t point = -1;
  bool operator==(const Stamp& other) const { return step == other.step && point == other.point; }
};

/// The output of a task: its stamp repeated up to the size that the graph prescribes.
class Output {
 public:
  Output() = default;
  void write(const Stamp& stamp, std::int64_t bytes);
  /// The first of its stamps; the others are the same if is_whole().
  [[nodiscard]] const Stamp& stamp() const { return first_; }
  [[nodiscard]] bool is_whole(std::int64_t bytes) const;
  /// Writes the output for transports that send bytes: its first stamp, then the rest.
  void copy_to(Stamp* stamps) const;
  void copy_from(const Stamp* stamps, std::int64_t bytes);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(first_.step, first_.point, rest_);
  }

 private:
  Stamp first_;  // stored here, so that the smallest outputs need no allocated memory
  std::vector<std::int64_t> rest_;
};

/// Scratch memory for memory-bound kernels: one piece for each task that runs at the same time. Any
/// thread.
class ScratchPool {
 public:
  using Piece = std::vector<double>;
  [[nodiscard]] std::unique_ptr<Piece> take(std::int64_t bytes);
  void give_back(std::unique_ptr<Piece> piece);

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Piece>> free_;
};

/// Iterations of the kernel of task (step, point): those of the graph, except for load_imbalance.
[[nodiscard]] std::int64_t iterations_of(const Graph& graph, std::int64_t step, std::int64_t point);
/// Floating-point operations, and bytes read and written, of that many iterations.
[[nodiscard]] std::int64_t flops_of(Kernel kernel, std::int64_t iterations);
[[nodiscard]] std::int64_t bytes_of(const GraphSettings& settings, std::int64_t iterations);
/// Operations of all tasks of a graph.
[[nodiscard]] std::int64_t flops_of(const Graph& graph);
[[nodiscard]] std::int64_t bytes_of(const Graph& graph);

/// Throws std::runtime_error, naming task and inputs, unless `inputs` are the outputs that the task
/// needs, each once and whole.
void check_inputs(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Output* const> inputs);
/// Like check_inputs(), for inputs that are known to be whole, by their stamps.
void check_stamps(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Stamp> stamps);
/// Computes, or copies, on the calling thread.
void run_kernel(const Graph& graph, std::int64_t step, std::int64_t point, ScratchPool& scratch);
/// Runs a whole task: to be called by each implementation once all inputs are there.
void run_task(const Graph& graph, std::int64_t step, std::int64_t point,
              std::span<const Output* const> inputs, Output& output, ScratchPool& scratch);

}  // namespace task_bench
