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

/// Who has written an output: the task of this step and point.
struct Stamp {
  std::int64_t step = -1;
  std::int64_t point = -1;
  bool operator==(const Stamp& other) const { return step == other.step && point == other.point; }
};

/// What a task hands on: its stamp over and over, as many bytes as the graph says.
class Output {
 public:
  Output() = default;
  void write(const Stamp& stamp, std::int64_t bytes);
  /// The first of its stamps; the others are the same if is_whole().
  [[nodiscard]] const Stamp& stamp() const { return first_; }
  [[nodiscard]] bool is_whole(std::int64_t bytes) const;
  /// For transports of bytes: first of all its stamp, then the rest.
  void copy_to(Stamp* stamps) const;
  void copy_from(const Stamp* stamps, std::int64_t bytes);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(first_.step, first_.point, rest_);
  }

 private:
  Stamp first_;  // here, so that the smallest outputs need no memory of their own
  std::vector<std::int64_t> rest_;
};

/// Scratch memory for kernels that are bound by it: as many pieces as tasks run at the same time.
/// Any thread.
class ScratchPool {
 public:
  using Piece = std::vector<double>;
  [[nodiscard]] std::unique_ptr<Piece> take(std::int64_t bytes);
  void give_back(std::unique_ptr<Piece> piece);

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Piece>> free_;
};

/// Iterations of the kernel of task (step, point): those of the graph, but for load_imbalance.
[[nodiscard]] std::int64_t iterations_of(const Graph& graph, std::int64_t step, std::int64_t point);
/// Operations on numbers, and bytes read and written, of so many iterations.
[[nodiscard]] std::int64_t flops_of(Kernel kernel, std::int64_t iterations);
[[nodiscard]] std::int64_t bytes_of(const GraphSettings& settings, std::int64_t iterations);
/// Of all tasks.
[[nodiscard]] std::int64_t flops_of(const Graph& graph);
[[nodiscard]] std::int64_t bytes_of(const Graph& graph);

/// Throws std::runtime_error, naming task and inputs, unless `inputs` are the outputs that the task
/// needs, each once and whole.
void check_inputs(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Output* const> inputs);
/// The same of inputs that have been found whole, by their stamps.
void check_stamps(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Stamp> stamps);
/// Computes, or copies, on the calling thread.
void run_kernel(const Graph& graph, std::int64_t step, std::int64_t point, ScratchPool& scratch);
/// A whole task: what each implementation has to call once all inputs are there.
void run_task(const Graph& graph, std::int64_t step, std::int64_t point,
              std::span<const Output* const> inputs, Output& output, ScratchPool& scratch);

}  // namespace task_bench
