// SPDX-License-Identifier: Apache-2.0
#include "work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <string>

#include "random.hpp"

namespace task_bench {

namespace {

constexpr std::size_t lanes = 64;           // numbers that an iteration multiplies and adds
constexpr std::int64_t stamp_bytes = 16;    // size of a step and a point
constexpr std::int64_t words_of_stamp = 2;  // in Output::rest_

std::string to_string(const Stamp& stamp) {
  return "(" + std::to_string(stamp.step) + ", " + std::to_string(stamp.point) + ")";
}

[[noreturn]] void refuse(const Graph& graph, const Stamp& task, const std::string& what) {
  throw std::runtime_error("graph " + std::to_string(graph.number()) + " (" +
                           name_of(graph.settings().pattern) + "): task " + to_string(task) + " " +
                           what);
}

// Stamps in ascending order are compared directly; others are sorted first.
void compare(const Graph& graph, const Stamp& task, std::span<const Stamp> stamps) {
  const std::span<const std::int64_t> needs = graph.needs(task.step, task.point);
  if (stamps.size() != needs.size()) {
    refuse(graph, task,
           "was given " + std::to_string(stamps.size()) + " inputs and needs " +
               std::to_string(needs.size()));
  }
  for (std::size_t k = 0; k < stamps.size(); ++k) {
    const Stamp expected{task.step - 1, needs[k]};
    if (stamps[k] == expected) continue;
    refuse(graph, task, "was given " + to_string(stamps[k]) + " and needs " + to_string(expected));
  }
}

bool is_before(const Stamp& a, const Stamp& b) { return a.point < b.point; }

void compute(std::int64_t iterations) {
  std::array<double, lanes> values;
  for (std::size_t k = 0; k < lanes; ++k) values[k] = 1e-3 * static_cast<double>(k);
  for (std::int64_t i = 0; i < iterations; ++i) {
    for (double& value : values) value = value * value + 0.1;
  }
  double sum = 0;
  for (const double value : values) sum += value;
  volatile double kept = sum;  // prevents the compiler from removing the computation
  static_cast<void>(kept);
}

// Iteration k copies the k-th part of the first half to the second half.
void copy(const GraphSettings& settings, std::int64_t iterations, std::vector<double>& scratch) {
  const auto part = scratch.size() / 2 / static_cast<std::size_t>(settings.samples);
  for (std::int64_t i = 0; i < iterations; ++i) {
    const std::size_t from = part * static_cast<std::size_t>(i % settings.samples);
    std::memcpy(scratch.data() + scratch.size() / 2 + from, scratch.data() + from,
                part * sizeof(double));
    // Prevents the compiler from removing a copy.
    asm volatile("" : : "r"(scratch.data()) : "memory");
  }
}

}  // namespace

void Output::write(const Stamp& stamp, std::int64_t bytes) {
  first_ = stamp;
  rest_.resize(static_cast<std::size_t>((bytes / stamp_bytes - 1) * words_of_stamp));
  for (std::size_t k = 0; k < rest_.size(); k += words_of_stamp) {
    rest_[k] = stamp.step;
    rest_[k + 1] = stamp.point;
  }
}

bool Output::is_whole(std::int64_t bytes) const {
  if (static_cast<std::int64_t>(rest_.size()) != (bytes / stamp_bytes - 1) * words_of_stamp)
    return false;
  for (std::size_t k = 0; k < rest_.size(); k += words_of_stamp) {
    if (rest_[k] != first_.step || rest_[k + 1] != first_.point) return false;
  }
  return true;
}

void Output::copy_to(Stamp* stamps) const {
  *stamps = first_;
  for (std::size_t k = 0; k < rest_.size(); k += words_of_stamp)
    *++stamps = {rest_[k], rest_[k + 1]};
}

void Output::copy_from(const Stamp* stamps, std::int64_t bytes) {
  first_ = *stamps;
  rest_.clear();
  for (std::int64_t k = 1; k < bytes / stamp_bytes; ++k) {
    rest_.push_back(stamps[k].step);
    rest_.push_back(stamps[k].point);
  }
}

std::unique_ptr<ScratchPool::Piece> ScratchPool::take(std::int64_t bytes) {
  {
    const std::lock_guard guard(lock_);
    if (!free_.empty()) {
      auto piece = std::move(free_.back());
      free_.pop_back();
      if (piece->size() * sizeof(double) == static_cast<std::size_t>(bytes)) return piece;
    }
  }
  return std::make_unique<Piece>(static_cast<std::size_t>(bytes) / sizeof(double), 1.0);
}

void ScratchPool::give_back(std::unique_ptr<Piece> piece) {
  const std::lock_guard guard(lock_);
  free_.push_back(std::move(piece));
}

std::int64_t iterations_of(const Graph& graph, std::int64_t step, std::int64_t point) {
  const GraphSettings& settings = graph.settings();
  if (settings.kernel == Kernel::empty) return 0;
  if (settings.kernel != Kernel::load_imbalance) return settings.iterations;
  const double random = random_unit({graph.number(), settings.is_persistent ? 0 : step, point});
  return std::llround(static_cast<double>(settings.iterations) *
                      (1 + (random - 0.5) * settings.imbalance));
}

std::int64_t flops_of(Kernel kernel, std::int64_t iterations) {
  const bool computes = kernel == Kernel::compute_bound || kernel == Kernel::load_imbalance;
  return computes ? 2 * static_cast<std::int64_t>(lanes) * iterations : 0;
}

std::int64_t bytes_of(const GraphSettings& settings, std::int64_t iterations) {
  if (settings.kernel != Kernel::memory_bound) return 0;
  return iterations * (settings.scratch_bytes / settings.samples);  // half of it read, half written
}

std::int64_t flops_of(const Graph& graph) {
  if (graph.settings().kernel != Kernel::load_imbalance)
    return graph.tasks() * flops_of(graph.settings().kernel, graph.settings().iterations);
  std::int64_t flops = 0;
  for (std::int64_t step = 0; step < graph.steps(); ++step) {
    for (std::int64_t point = graph.first(step); point < graph.end(step); ++point)
      flops += flops_of(Kernel::load_imbalance, iterations_of(graph, step, point));
  }
  return flops;
}

std::int64_t bytes_of(const Graph& graph) {
  return graph.tasks() * bytes_of(graph.settings(), graph.settings().iterations);
}

void check_stamps(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Stamp> stamps) {
  if (std::is_sorted(stamps.begin(), stamps.end(), is_before))
    return compare(graph, {step, point}, stamps);
  std::vector<Stamp> sorted(stamps.begin(), stamps.end());
  std::sort(sorted.begin(), sorted.end(), is_before);
  compare(graph, {step, point}, sorted);
}

void check_inputs(const Graph& graph, std::int64_t step, std::int64_t point,
                  std::span<const Output* const> inputs) {
  constexpr std::size_t few = 16;
  std::array<Stamp, few> few_stamps;
  std::vector<Stamp> many;
  if (inputs.size() > few) many.resize(inputs.size());
  Stamp* const stamps = inputs.size() > few ? many.data() : few_stamps.data();
  for (std::size_t k = 0; k < inputs.size(); ++k) {
    stamps[k] = inputs[k]->stamp();
    if (!inputs[k]->is_whole(graph.settings().output_bytes))
      refuse(graph, {step, point}, "was given a damaged output of " + to_string(stamps[k]));
  }
  check_stamps(graph, step, point, {stamps, inputs.size()});
}

void run_kernel(const Graph& graph, std::int64_t step, std::int64_t point, ScratchPool& scratch) {
  switch (graph.settings().kernel) {
    case Kernel::empty:
      return;
    case Kernel::compute_bound:
    case Kernel::load_imbalance:
      return compute(iterations_of(graph, step, point));
    case Kernel::memory_bound: {
      auto piece = scratch.take(graph.settings().scratch_bytes);
      copy(graph.settings(), graph.settings().iterations, *piece);
      return scratch.give_back(std::move(piece));
    }
  }
}

void run_task(const Graph& graph, std::int64_t step, std::int64_t point,
              std::span<const Output* const> inputs, Output& output, ScratchPool& scratch) {
  check_inputs(graph, step, point, inputs);
  run_kernel(graph, step, point, scratch);
  output.write({step, point}, graph.settings().output_bytes);
}

}  // namespace task_bench
