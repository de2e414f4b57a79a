// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dead_letters.hpp"
#include "messages.hpp"
#include "migrations.hpp"
#include "roam/mobile/detail/issued_calls.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// How objects end (M8): by an exclusive call like any other, after which the home forgets the
/// object.
class ObjectEnds {
 public:
  ObjectEnds(ObjectSpace& space, Residents& residents, IssuedCalls& issued, Migrations& migrations,
             DeadLetters& dead_letters);
  /// Ends the object after the calls issued before by this sender.
  void destroy(ObjectId id) ROAM_EXCLUDES(inside_shard);
  /// The object ends here: takes it out of the directory, with the calls that it will not run.
  [[nodiscard]] CallQueue take_out(Directory::Shard& shard, Resident& resident)
      ROAM_REQUIRES(inside_shard);
  /// What follows from that; the orphans are lost.
  void end(Resident& ended) ROAM_EXCLUDES(inside_shard);

 private:
  void gone(ObjectId id) ROAM_EXCLUDES(inside_shard);
  void end_moves(Resident& ended);
  void on_gone(const Gone& message) ROAM_EXCLUDES(inside_shard);

  ObjectSpace& space_;
  Residents& residents_;
  IssuedCalls& issued_;
  Migrations& migrations_;
  DeadLetters& dead_letters_;
};

}  // namespace roam::mobile
