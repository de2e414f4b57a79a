// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "roam/balance/load.hpp"

namespace roam::balance {

/// Sees a rank's work come in cycles: the steps of an iterative program, bursts. A cycle lasts from
/// the first work after there was none to the next such moment. What is the matter for good then
/// shows in how much of a cycle the workers are busy, not in what happens to be left of this one.
/// Not thread-safe.
class WorkCycles {
 public:
  /// So many cycles are remembered.
  static constexpr std::uint32_t memory = 8;
  /// The rank's load now; to be told at every change.
  void watch(const RankLoad& load, Instant now);
  /// An object has come or left: what was seen of idleness before says little of it now.
  void forget_idleness() { window_ = {}; }
  /// Fills in cycle_seconds, busy_part, idle_left_seconds, idle_part and observed_seconds.
  void describe(RankLoad& load, Instant now) const;

 private:
  /// Idle seconds of the last while.
  class Window {
   public:
    void add(double seconds, double idle);
    [[nodiscard]] double seconds() const { return old_.seconds + new_.seconds; }
    [[nodiscard]] double idle() const { return old_.idle + new_.idle; }

   private:
    struct Part {
      double seconds = 0;
      double idle = 0;
    };
    Part old_;
    Part new_;
  };
  Instant last_{0};
  Instant begin_{0};      // of this cycle
  double idle_ = 0;       // seconds of this cycle, mean of the workers
  double idle_part_ = 1;  // of the workers, since last_
  Window window_;
  bool is_empty_ = true;
  std::uint32_t count_ = 0;               // cycles over; the one before the first work is none
  std::array<double, memory> lengths_{};  // of the last cycles, seconds
  std::array<double, memory> busy_{};
  double usual_seconds_ = 0;  // their medians
  double usual_busy_ = 0;
};

}  // namespace roam::balance
