// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace roam::balance {

/// Estimates how much more work the new objects of a rank will bring than what waits for them. A
/// search or a refinement creates objects from the calls of others, so that the known work is
/// always little. The estimate: as many objects as calls have created here, in the time since there
/// were last no new objects waiting, will be created once more, shared among those that wait. For a
/// program that has created all its objects the estimate is 0, since no more of them begin to run
/// than were waiting at one time. Not thread-safe.
class Growth {
 public:
  /// Reports that a new object created on this rank has begun to run.
  void began() { ++began_; }
  /// Reports how many new objects wait now, and how many of them were created on this rank; `runs`:
  /// calls are running, too.
  void waits(std::uint64_t objects, std::uint64_t created_here, bool runs);
  /// Reports that new objects have come from a rank where each was expected to bring `times` its
  /// work.
  void came(double times);
  /// Factor, at least 1, by which the work that a waiting new object is expected to bring, its own
  /// included, exceeds its own.
  [[nodiscard]] double times() const {
    return waiting_ == 0 ? 1 : 1 + to_come() / static_cast<double>(waiting_);
  }

 private:
  /// New objects that are still to be created.
  [[nodiscard]] double to_come() const {
    return std::max({0.0, static_cast<double>(began_) - static_cast<double>(most_waiting_),
                     announced_ - static_cast<double>(began_)});
  }

  std::uint64_t began_ = 0;  // since new objects last began to wait
  std::uint64_t waiting_ = 0;
  std::uint64_t most_waiting_ = 0;  // the most that waited at a time of those created here
  double announced_ = 0;            // told by the rank from which objects came
};

}  // namespace roam::balance
