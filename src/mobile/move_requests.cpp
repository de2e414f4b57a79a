// SPDX-License-Identifier: Apache-2.0
#include "move_requests.hpp"

#include <string>
#include <utility>

#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

MoveRequests::MoveRequests(Residents& residents, Migrations& migrations)
    : residents_(residents), migrations_(migrations) {
  residents_.messenger().bind<&MoveRequests::on_migrate>(*this);
}

void MoveRequests::check(const am::Messenger& messenger, ObjectId id, Rank target) {
  const std::int32_t ranks = messenger.size();
  if (target.value() >= 0 && target.value() < ranks) return;
  throw Error("cannot migrate object " + to_string(id) + " to rank " +
              std::to_string(target.value()) + "; the job has ranks 0 to " +
              std::to_string(ranks - 1));
}

void MoveRequests::migrate(ObjectId id, Rank target) {
  check(residents_.messenger(), id, target);
  route(id, target, 0, am::EpochWork::begin(residents_.messenger()));
}

void MoveRequests::route(ObjectId id, Rank target, std::uint16_t hops, const am::EpochWork& work) {
  Directory::Shard& shard = residents_.shard(id);
  Migrations::Ask effects;
  Rank location;
  {
    const ShardLock lock(shard);
    Directory::Entry* entry = residents_.entry_for_calling(shard, id);
    if (entry == nullptr) return;  // gone
    Resident* const resident = entry->resident();
    if (resident != nullptr && !residents_.engine().is_ahead_of_time()) {
      effects = migrations_.ask(*resident, target, work.epoch());
    } else {
      location = entry->location();
    }
  }
  residents_.apply(std::move(effects));
  if (location != no_rank) pass_on(id, target, hops, location, work.epoch());
}

void MoveRequests::pass_on(ObjectId id, Rank target, std::uint16_t hops, Rank location,
                           std::uint64_t epoch) {
  const Rank here = residents_.rank();
  if (location == here && !residents_.engine().is_ahead_of_time()) location = id.home();
  if (location == here && !residents_.engine().is_ahead_of_time()) return;
  if (hops >= residents_.options().max_hops && id.home() != here) location = id.home(), hops = 0;
  am::Messenger& messenger = residents_.messenger();
  messenger.post(location, MoveRequest{id, target, static_cast<std::uint16_t>(hops + 1), epoch});
  if (epoch != 0) messenger.epochs().sent(epoch, location);
}

void MoveRequests::on_migrate(const MoveRequest& request) {
  am::Messenger& messenger = residents_.messenger();
  if (request.target.value() < 0 || request.target.value() >= messenger.size() ||
      request.object.home().value() >= messenger.size()) {
    throw MalformedMessage("migration to or of nothing");
  }
  route(request.object, request.target, request.hops,
        am::EpochWork::arrived(messenger, request.epoch, "migration"));
}

}  // namespace roam::mobile
