// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "graph_settings.hpp"

namespace task_bench {

/// The distances of the points whose outputs the tasks of a step need, if they are the same for all
/// points: task (t, i) needs (t - 1, i + shift) for each shift. Beyond an edge there is nothing,
/// or, if periodic, the opposite edge.
struct Shifts {
  std::vector<std::int64_t> by;
  bool is_periodic = false;
};

/// A graph of Task Bench (E. Slaughter et al., *Task Bench: A Parameterized Benchmark for
/// Evaluating Parallel Runtime Performance*, SC20, section 2): step t has a task for each of its
/// points i, which needs outputs of step t - 1 as the pattern says:
///
///   trivial              none
///   no_comm              i
///   stencil_1d           i - 1, i, i + 1; periodic: modulo the width
///   dom                  i - 1, i; a front that begins at point 0 and sweeps over all points
///   tree                 i / 2 while there are twice as many points in each step, then i
///   fft                  i, i - 2^d, i + 2^d; d goes round from step to step
///   all_to_all           all
///   nearest              the `radix` points around i
///   spread               `radix` points at equal distances, which shift from step to step
///   random_nearest       of those of nearest each with a probability of `fraction`
///
/// Tables, so that asking costs little: one for each set of dependences that steps go round in.
/// Immutable; any thread.
class Graph {
 public:
  /// `number`: of this graph among those of a run. `planted`: a step, from 1 on, whose tasks are
  /// wired one point too far, to show that this is found; -1: none.
  Graph(const GraphSettings& settings, int number, std::int64_t planted = -1);

  [[nodiscard]] const GraphSettings& settings() const { return settings_; }
  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] std::int64_t steps() const { return settings_.steps; }
  /// The upper bound of the points in all steps.
  [[nodiscard]] std::int64_t width() const { return settings_.width; }
  /// The points of a step are those from first(t) to below end(t).
  [[nodiscard]] std::int64_t first(std::int64_t step) const;
  [[nodiscard]] std::int64_t end(std::int64_t step) const;
  [[nodiscard]] bool contains(std::int64_t step, std::int64_t point) const {
    return point >= first(step) && point < end(step);
  }
  /// The first step from `step` on that contains the point; steps() if there is none.
  [[nodiscard]] std::int64_t next_step(std::int64_t step, std::int64_t point) const;

  /// The points of the step before whose outputs task (step, point) needs, in ascending order.
  [[nodiscard]] std::span<const std::int64_t> needs(std::int64_t step, std::int64_t point) const;
  /// Like needs(), but as tasks are wired, which differs in the planted step.
  [[nodiscard]] std::span<const std::int64_t> inputs(std::int64_t step, std::int64_t point) const;
  /// The points of step + 1 that the output of (step, point) is wired to, in ascending order.
  [[nodiscard]] std::span<const std::int64_t> readers(std::int64_t step, std::int64_t point) const;
  /// inputs() as distances; nullopt: they are not the same for all points.
  [[nodiscard]] std::optional<Shifts> shifts(std::int64_t step) const;

  [[nodiscard]] std::int64_t tasks() const;
  [[nodiscard]] std::int64_t dependences() const;
  /// The number of dependences between points of different ranks, if each rank has a block of
  /// points.
  [[nodiscard]] std::int64_t dependences_between(std::int64_t ranks) const;

 private:
  /// A list of points for each point.
  struct Lists {
    std::vector<std::size_t> begin{0};  // start of each point's list, and the end of the last one
    std::vector<std::int64_t> points;
    [[nodiscard]] std::span<const std::int64_t> of(std::int64_t point) const;
  };
  struct Wiring {
    Lists inputs;
    Lists readers;
  };
  [[nodiscard]] std::size_t set_of(std::int64_t step) const;
  [[nodiscard]] std::size_t set_count() const;
  [[nodiscard]] const Wiring& wiring(std::int64_t step) const;
  [[nodiscard]] Shifts shifts_of_set(std::size_t set) const;
  [[nodiscard]] std::vector<std::int64_t> needs_of_set(std::size_t set, std::int64_t point) const;
  [[nodiscard]] Wiring wire(std::size_t set, std::int64_t too_far) const;
  [[nodiscard]] std::span<const std::int64_t> within(std::span<const std::int64_t> points,
                                                     std::int64_t step) const;

  GraphSettings settings_;
  int number_;
  std::int64_t planted_;
  std::vector<Wiring> sets_;
  Wiring planted_wiring_;
};

/// The first point of a rank's block of `width` points; for rank `ranks`, the width.
[[nodiscard]] inline std::int64_t block_begin(std::int64_t width, std::int64_t ranks,
                                              std::int64_t rank) {
  return width * rank / ranks;
}
/// The rank whose block has the point.
[[nodiscard]] inline std::int64_t block_of(std::int64_t width, std::int64_t ranks,
                                           std::int64_t point) {
  return (ranks * (point + 1) - 1) / width;
}

}  // namespace task_bench
