// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "arrived_objects.hpp"
#include "migrations.hpp"

namespace roam::mobile {

/// Moves idle objects to one rank: small ones share messages on the way there, and so do the
/// answers. Each hand-over is as independent of the others as if it had a message of its own.
class MovesTogether {
 public:
  MovesTogether(Residents& residents, Migrations& migrations, ArrivedObjects& arrived);
  /// Moves the object if it is here, settled and not bound; true if the hand-over began.
  bool migrate(ObjectId id, Rank target) ROAM_EXCLUDES(inside_shard);
  /// Does the same for several objects; returns those that do not move.
  [[nodiscard]] std::vector<ObjectId> migrate(std::span<const ObjectId> ids, Rank target)
      ROAM_EXCLUDES(inside_shard);

 private:
  void post(std::vector<Resident*>&& residents, core::Buffer&& message);
  void on_install_together(const InstallTogether& head, am::Incoming&& objects)
      ROAM_EXCLUDES(inside_shard);
  void on_installed_together(const InstalledTogether& message, Rank source)
      ROAM_EXCLUDES(inside_shard);

  Residents& residents_;
  Migrations& migrations_;
  ArrivedObjects& arrived_;
};

}  // namespace roam::mobile
