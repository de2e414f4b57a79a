// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "dead_letters.hpp"
#include "roam/mobile/detail/issued_calls.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Sends calls on to another rank because their object is not here, or no longer (M7).
class ForwardedCalls {
 public:
  ForwardedCalls(Residents& residents, IssuedCalls& issued, DeadLetters& dead_letters)
      : residents_(residents), issued_(issued), dead_letters_(dead_letters) {}
  /// Sends on a call as it came, because its object is not here. `known_location` is no_rank if
  /// nothing is known of the object.
  void pass_on(CallHeader header, am::Incoming&& arguments, Rank known_location)
      ROAM_EXCLUDES(inside_shard);
  /// Sends on a call that has waited here, and deletes it.
  void send_on(Call* call, Rank to) ROAM_EXCLUDES(inside_shard);
  void add_to(ObjectSpaceStats& stats) const {
    stats.calls_forwarded = count_.load(std::memory_order_relaxed);
  }

 private:
  void count(const CallHeader& header, Rank to);

  Residents& residents_;
  IssuedCalls& issued_;
  DeadLetters& dead_letters_;
  std::atomic<std::uint64_t> count_{0};
};

}  // namespace roam::mobile
