// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "roam/core/detail/recent_values.hpp"
#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// Whether steps are shorter with offloading than without, by experiment: the lengths of steps of
/// both kinds, each divided by the job's tasks in that step, so that steps of a mesh that grows can
/// be compared. A model of what steps would take without cannot tell, since it is made from loads
/// that offloading changes (tasks whose data are in no cache take longer).
class Benefit {
 public:
  enum class Verdict : std::uint8_t {
    unknown,  ///< too few steps of one kind
    gain,
    loss,
    loss_if_still_true  ///< a loss, if steps without offloading take what they took long ago
  };

  /// A step has ended that ran with offloading, or without.
  void add(const StepView& step, bool is_offloading);
  /// True once it is known what steps take without offloading: after the second one, since the
  /// first is often the slowest of a program.
  [[nodiscard]] bool has_baseline() const { return without_.added() >= least_without; }
  /// Of the steps since offloading began last.
  [[nodiscard]] Verdict verdict() const;

 private:
  static constexpr std::size_t least_without = 2;
  static constexpr std::size_t remembered = 5;  // the latest steps of each kind
  static constexpr std::size_t enough_with = 5;
  // Quotas hold from the middle of the next step on: no step of one kind.
  static constexpr std::uint32_t steps_to_settle = 2;
  static constexpr std::uint64_t long_ago = 40;  // steps
  static constexpr double least_gain = 0.005;

  core::RecentValues<remembered> without_;  // seconds of a step for each task of the job
  core::RecentValues<remembered> with_;
  bool was_offloading_ = false;
  std::uint32_t settling_ = 0;    // steps left
  std::uint64_t steps_with_ = 0;  // since the last step without
};

}  // namespace roam::offload
