// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::exec {

/// What real machines leave open and a simulation has to choose: asked by the SimDriver, answered
/// by whoever explores schedules. The answers here are the neutral ones. Engines are named by their
/// number (their rank).
class SimChoices {
 public:
  SimChoices() = default;
  SimChoices(const SimChoices&) = delete;
  SimChoices& operator=(const SimChoices&) = delete;

  /// Added to the order of events at the same instant; equal answers: first come, first served.
  [[nodiscard]] virtual std::uint32_t tie(std::uint32_t /*engine*/, std::uint32_t /*slot*/) {
    return 0;
  }
  /// How long after the end of its last step a worker begins the next.
  [[nodiscard]] virtual Duration step_delay(std::uint32_t /*engine*/, std::uint32_t /*worker*/) {
    return Duration(0);
  }
  /// How much later than the network's model says a message arrives.
  [[nodiscard]] virtual Duration message_delay(std::uint32_t /*from*/, std::uint32_t /*to*/) {
    return Duration(0);
  }
  struct Preemption {
    std::uint32_t events = 0;  ///< that happen before the preempted code goes on; 0: none
    bool same_rank = false;    ///< only the rank's own: other workers, arrivals
    Duration longest{std::chrono::milliseconds(1)};  ///< later events do not happen before
    bool acted = false;  ///< something was done from outside while choosing
  };
  /// At a preemption point of `engine`. May itself act from outside on any rank.
  [[nodiscard]] virtual Preemption preemption(std::uint32_t /*engine*/) { return {}; }
  /// Between any two events that are not nested: the last was of `engine`, and so many were there
  /// in all. May act from outside on any rank. False: the simulation ends here.
  [[nodiscard]] virtual bool between_events(std::uint32_t /*engine*/, std::uint64_t /*events*/) {
    return true;
  }

 protected:
  ~SimChoices() = default;
};

}  // namespace roam::exec
