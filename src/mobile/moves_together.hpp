// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "arrived_objects.hpp"
#include "migrations.hpp"

namespace roam::mobile {

/// Idle objects that move to one rank: the small ones share messages there, and the answers. Their
/// hand-overs are as independent of each other as if each had its own.
class MovesTogether {
 public:
  MovesTogether(Residents& residents, Migrations& migrations, ArrivedObjects& arrived);
  /// Moves the object if it is here, settled and not bound; true if the hand-over began.
  bool migrate(ObjectId id, Rank target) ROAM_EXCLUDES(inside_shard);
  /// The same for each of several; returns those that stay.
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
