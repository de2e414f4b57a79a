// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

namespace roam::balance {

/// What could have been gained in the phases since objects were last moved: for how many phases to
/// come is a gain to be expected? For as many as it has been there to be had. So a gain that is
/// small in one phase is worth moves as soon as what was missed of it exceeds their cost, and what
/// is lost, by moving too late or by moving although the program ends then, is at most about as
/// much as that cost again (the ski rental problem: Karlin et al. 1988).
class WaitHistory {
 public:
  static constexpr std::size_t most_phases = 64;

  /// The phase that has just ended: the time that could have been gained in it at most.
  void add(double seconds) {
    seconds_.push_front(seconds);
    if (seconds_.size() > most_phases) seconds_.pop_back();
  }
  /// Objects have been moved.
  void forget() { seconds_.clear(); }
  /// The phase that has just ended, in which it was not counted who calls whom although all ranks
  /// have waited: whether work is what to balance, since even work would have gained more than that
  /// waiting, in this phase and in the one before. Objects that are moved by their work alone may
  /// be parted from those that they exchange messages with.
  [[nodiscard]] bool is_work_first(double gain_by_work_seconds, double waiting_seconds) {
    const bool was = std::exchange(was_work_first_, gain_by_work_seconds >= waiting_seconds);
    return was && was_work_first_;
  }
  /// The number of phases to come, 1 to most_phases, for which a gain of `seconds` in each is to be
  /// expected: of the last phases without a break in which at least half of it was there.
  [[nodiscard]] std::uint32_t phases_with(double seconds) const {
    std::uint32_t phases = 0;
    for (const double there : seconds_) {
      if (there < least_part * seconds) break;
      ++phases;
    }
    return phases == 0 ? 1 : phases;
  }

 private:
  // Chosen: a prediction may be wrong by so much, and what phases lose differs from one to the
  // next.
  static constexpr double least_part = 0.5;
  std::deque<double> seconds_;  // the last phase first
  bool was_work_first_ = false;
};

}  // namespace roam::balance
