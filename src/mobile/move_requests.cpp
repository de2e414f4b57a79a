// SPDX-License-Identifier: Apache-2.0
#include "move_requests.hpp"

#include <string>
#include <utility>

#include "roam/core/error.hpp"

namespace roam::mobile {

MoveRequests::MoveRequests(Residents& residents, Migrations& migrations)
    : residents_(residents), migrations_(migrations) {
  residents_.messenger().bind("roam.migrate", this, &MoveRequests::on_migrate);
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
  core::Packer packer = messenger.begin();
  core::pack(packer, id.value(), target.value(), static_cast<std::uint16_t>(hops + 1), epoch);
  messenger.post(location, am::constant_handler_id("roam.migrate"), std::move(packer), true);
  if (epoch != 0) messenger.epochs().sent(epoch, location);
}

void MoveRequests::on_migrate(void* self, am::Incoming&& message) {
  auto& requests = *static_cast<MoveRequests*>(self);
  am::Messenger& messenger = requests.residents_.messenger();
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const Rank target(core::unpack<std::int32_t>(bytes));
  const auto hops = core::unpack<std::uint16_t>(bytes);
  const auto epoch = core::unpack<std::uint64_t>(bytes);
  if (target.value() < 0 || target.value() >= messenger.size() ||
      id.home().value() >= messenger.size()) {
    throw MalformedMessage("migration to or of nothing");
  }
  requests.route(id, target, hops, am::EpochWork::arrived(messenger, epoch, "migration"));
}

}  // namespace roam::mobile
