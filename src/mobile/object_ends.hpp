// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dead_letters.hpp"
#include "messages.hpp"
#include "migrations.hpp"
#include "roam/mobile/detail/issued_calls.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

/// Ends objects (M8): by an exclusive call like any other, after which the home forgets the object.
class ObjectEnds {
 public:
  ObjectEnds(ObjectSpace& space, Residents& residents, IssuedCalls& issued, Migrations& migrations,
             DeadLetters& dead_letters);
  /// Ends the object after this sender's earlier calls.
  void destroy(ObjectId id) ROAM_EXCLUDES(inside_shard);
  /// Takes an object that ends here out of the directory; returns the calls that it will not run.
  [[nodiscard]] CallQueue take_out(Directory::Shard& shard, Resident& resident)
      ROAM_REQUIRES(inside_shard);
  /// Does what follows from that; the returned calls are lost.
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
