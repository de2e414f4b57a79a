// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "messages.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Sends and receives news of where objects are (M7). Stale news, with a smaller version, is
/// ignored.
class Places {
 public:
  explicit Places(Residents& residents);
  /// Tells another rank that the object is here.
  void tell(Rank other, ObjectId id, std::uint32_t version);
  void add_to(ObjectSpaceStats& stats) const {
    stats.location_updates = told_.load(std::memory_order_relaxed);
  }

 private:
  void learn(ObjectId id, Rank location, std::uint32_t version) ROAM_EXCLUDES(inside_shard);
  void on_location(const Location& news, Rank source) ROAM_EXCLUDES(inside_shard);

  Residents& residents_;
  std::atomic<std::uint64_t> told_{0};
};

}  // namespace roam::mobile
