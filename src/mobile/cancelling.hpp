// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "messages.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Makes sure that calls that nobody awaits any more are not run, if they still wait in an inbox.
/// The message follows the object as calls do; if it comes too late, or too early, the call runs
/// and its answer is ignored.
class Cancelling {
 public:
  explicit Cancelling(Residents& residents);

 private:
  void cancel(ObjectId id, Rank origin, std::uint64_t token, std::uint16_t hops)
      ROAM_EXCLUDES(inside_shard);
  void on_cancel(const Cancel& message) ROAM_EXCLUDES(inside_shard);

  Residents& residents_;
};

}  // namespace roam::mobile
