// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/exec/engine.hpp"
#include "roam/offload/detail/guests.hpp"
#include "roam/offload/detail/home_tasks.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// Measures the steps of one rank: the changes of its counters since the last step. One thread at a
/// time.
class StepMeter {
 public:
  StepMeter(const exec::Engine& engine, const HomeTasks& tasks, const Guests& guests);
  /// The measurements of the step that ends now.
  [[nodiscard]] RankStep take(Rank rank);

 private:
  struct Reading {
    Instant when{0};
    Duration busy{0};
    Duration idle{0};
    HomeCounts home;
    GuestCounts guests;
  };
  [[nodiscard]] Reading read() const;

  const exec::Engine& engine_;
  const HomeTasks& tasks_;
  const Guests& guests_;
  Reading last_;
};

}  // namespace roam::offload
