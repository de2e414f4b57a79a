// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/core/detail/recent_values.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// Finds out by experiment whether steps are shorter with offloading than without: compares the
/// durations of steps of both kinds, each divided by the number of tasks that the job has computed
/// in that step, so that steps on a growing mesh can be compared. A model of steps without
/// offloading would not do, since it would be based on loads that offloading changes (tasks whose
/// data are in no cache take longer).
class Benefit {
 public:
  enum class Verdict : std::uint8_t {
    unknown,  ///< too few steps of one kind
    gain,
    loss,
    loss_if_still_true  ///< a loss, if steps without offloading still take what they took long ago
  };

  /// Adds a step that ran with or without offloading.
  void add(const StepView& step, bool is_offloading);
  /// True once the duration of steps without offloading is known: after the second one, since the
  /// first is often the slowest of a program.
  [[nodiscard]] bool has_baseline() const { return without_.added() >= least_without; }
  /// True if the steps with offloading, as many as there are, have been shorter.
  [[nodiscard]] bool has_gained() const;
  /// True if this step was shorter than steps without offloading.
  [[nodiscard]] bool was_shorter(const StepView& step) const;
  /// The verdict on the steps since offloading last began.
  [[nodiscard]] Verdict verdict() const;

 private:
  static constexpr std::size_t least_without = 2;
  static constexpr std::size_t remembered = 5;  // the latest steps of each kind
  static constexpr std::size_t enough_with = 5;
  // Quotas take effect in the middle of the next step, so these steps are of neither kind.
  static constexpr std::uint32_t steps_to_settle = 2;
  static constexpr std::uint64_t long_ago = 40;  // steps
  static constexpr double least_gain = 0.005;

  [[nodiscard]] double usual_without() const;

  core::RecentValues<remembered> without_;  // seconds of a step per task of the job
  core::RecentValues<remembered> with_;
  bool was_offloading_ = false;
  std::uint32_t settling_ = 0;    // steps that are still of neither kind
  std::uint64_t steps_with_ = 0;  // since the last step without
};

}  // namespace roam::offload
