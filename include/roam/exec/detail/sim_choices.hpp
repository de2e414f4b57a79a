// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/types.hpp"

namespace roam::exec {

/// Decides what real machines leave open and a simulation has to choose. The SimDriver asks; tests
/// that explore schedules answer. The answers here are the neutral ones. Engines are named by their
/// number (their rank).
class SimChoices {
 public:
  SimChoices() = default;
  SimChoices(const SimChoices&) = delete;
  SimChoices& operator=(const SimChoices&) = delete;

  /// A number that orders events at the same instant; with equal answers the first to come is
  /// served first.
  [[nodiscard]] virtual std::uint32_t tie(std::uint32_t /*engine*/, std::uint32_t /*slot*/) {
    return 0;
  }
  /// The time between the end of a worker's last step and the beginning of its next.
  [[nodiscard]] virtual Duration step_delay(std::uint32_t /*engine*/, std::uint32_t /*worker*/) {
    return Duration(0);
  }
  /// The delay of a message beyond what the network's model says.
  [[nodiscard]] virtual Duration message_delay(std::uint32_t /*from*/, std::uint32_t /*to*/) {
    return Duration(0);
  }
  struct Preemption {
    std::uint32_t events = 0;  ///< how many happen before the preempted code goes on; 0: none
    bool same_rank = false;    ///< only the rank's own: other workers, arrivals
    Duration longest{std::chrono::milliseconds(1)};  ///< later events do not happen before
    bool acted = false;  ///< something was done from outside while choosing
  };
  /// Called at a preemption point of `engine`. May itself act on any rank, as code outside of the
  /// engines would.
  [[nodiscard]] virtual Preemption preemption(std::uint32_t /*engine*/) { return {}; }
  /// Called between any two events that are not nested. The last event was one of `engine`;
  /// `events` have happened in all. May act on any rank, as code outside of the engines would.
  /// False ends the simulation.
  [[nodiscard]] virtual bool between_events(std::uint32_t /*engine*/, std::uint64_t /*events*/) {
    return true;
  }

 protected:
  ~SimChoices() = default;
};

}  // namespace roam::exec
