// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

#include "roam/core/types.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/trace/run_trace.hpp"

namespace roam::offload {

/// The latest steps that have been decided, for reports; on rank 0. Memory is bounded: the latest
/// `most_steps` are stored, each with its `most_edges_of_step` heaviest waits and as many flows,
/// and at most `most_edges` in all steps together; earlier steps are removed and only counted.
/// Without graphs, steps have only sums. Thread-safe.
class StepRecords {
 public:
  static constexpr std::size_t most_steps = 4096;
  static constexpr std::size_t most_edges_of_step = 1000;
  static constexpr std::size_t most_edges = 1'000'000;  // 16 bytes each

  explicit StepRecords(bool keeps_graphs) : keeps_graphs_(keeps_graphs) {}

  /// Adds a step; `strategy` must already have decided about it. `rank_of`: the rank that the
  /// strategy calls by a number, if that is another one for some.
  using RankOf = std::function<Rank(std::int32_t number)>;
  void add(const StepView& step, const Strategy& strategy, Instant when,
           const RankOf& rank_of = {});
  [[nodiscard]] std::vector<trace::OffloadStep> steps() const;
  [[nodiscard]] std::uint64_t left_out() const;

 private:
  const bool keeps_graphs_;
  mutable std::mutex mutex_;
  std::deque<trace::OffloadStep> steps_;  // under mutex_
  std::size_t edges_ = 0;                 // under mutex_: number of edges in all steps
  std::uint64_t left_out_ = 0;            // under mutex_
};

}  // namespace roam::offload
