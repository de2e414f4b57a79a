// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

namespace roam::balance {

/// How much more the new objects of a rank will bring than the work that waits for them: a search
/// or a refinement creates objects from the calls of others, so that what is known of its work is
/// always little. What calls have created here since new objects have been waiting without a break
/// is taken to come once more, shared among those that wait. A program that has created all its
/// objects brings nothing: no more of them begin to run than have been waiting at once.
/// Not thread-safe.
class Growth {
 public:
  /// A new object that was created on this rank has begun to run.
  void began() { ++began_; }
  /// So many new objects wait now, so many of them created on this rank; `runs`: calls run, too.
  void waits(std::uint64_t objects, std::uint64_t created_here, bool runs);
  /// New objects have come from a rank where each was expected to bring `times` its work.
  void came(double times);
  /// Work that a waiting new object is expected to bring, its own included, over its own; 1 or
  /// more.
  [[nodiscard]] double times() const {
    return waiting_ == 0 ? 1 : 1 + to_come() / static_cast<double>(waiting_);
  }

 private:
  /// New objects that are still to be created.
  [[nodiscard]] double to_come() const {
    return std::max({0.0, static_cast<double>(began_) - static_cast<double>(most_waiting_),
                     announced_ - static_cast<double>(began_)});
  }

  std::uint64_t began_ = 0;  // since new objects have been waiting
  std::uint64_t waiting_ = 0;
  std::uint64_t most_waiting_ = 0;  // of those created here, meanwhile
  double announced_ = 0;            // by the rank from which objects came
};

}  // namespace roam::balance
