// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/offload/detail/messages.hpp"

namespace roam::offload {

/// The ways of one rank's tasks to a victim and back in a step, which show whether the way is
/// congested: the victim has nothing to do although tasks are on their way to it, for longer than
/// it takes where no others are. Whether they wait for credit, in a transport or in the network is
/// all the same. Times are measured by one clock each: of the time that a task was away, its victim
/// says how long it was there.
class Travels {
 public:
  /// Adds a task that has come back; `travel_seconds`: under way, both ways together.
  void add(const Returned& head, double travel_seconds);
  void note_outstanding(std::uint32_t tasks);
  /// `task_seconds`: what one takes.
  [[nodiscard]] bool are_congested(double task_seconds) const;
  /// How many tasks should be away at a time where the way is congested: as many as keep it busy.
  /// By Little's law, of those that were away, the part that would have been without delays; at
  /// most half of them.
  [[nodiscard]] std::uint32_t enough_outstanding() const;
  void begin_step(std::uint32_t outstanding);

 private:
  double base_seconds_ = -1;     // of the fastest task so far, both ways; below 0: none yet
  double delayed_seconds_ = 0;   // of all tasks of the step, beyond that
  double starved_seconds_ = 0;   // of a worker of the victim, because of such delays
  double computed_seconds_ = 0;  // of the victim's workers
  double waited_seconds_ = 0;    // of the tasks at the victim
  std::uint32_t tasks_ = 0;
  std::uint32_t most_outstanding_ = 0;
};

}  // namespace roam::offload
