// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "messages.hpp"
#include "migrations.hpp"
#include "roam/am/detail/epoch_work.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Requests from any rank that an object should move, on their way to the object.
class MoveRequests {
 public:
  MoveRequests(Residents& residents, Migrations& migrations);
  /// Asks the object to move to `target`. Throws roam::Error if the rank does not exist.
  void migrate(ObjectId id, Rank target) ROAM_EXCLUDES(inside_shard);
  /// Throws roam::Error if the rank does not exist.
  static void check(const am::Messenger& messenger, ObjectId id, Rank target);
  /// Handles a request that has come through `hops` ranks. It is work of an epoch, which ends here
  /// or continues as that of the move.
  void route(ObjectId id, Rank target, std::uint16_t hops, const am::EpochWork& work)
      ROAM_EXCLUDES(inside_shard);

 private:
  void pass_on(ObjectId id, Rank target, std::uint16_t hops, Rank location, std::uint64_t epoch);
  void on_migrate(const MoveRequest& request) ROAM_EXCLUDES(inside_shard);

  Residents& residents_;
  Migrations& migrations_;
};

}  // namespace roam::mobile
