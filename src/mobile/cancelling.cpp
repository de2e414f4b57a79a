// SPDX-License-Identifier: Apache-2.0
// Awaited calls that nobody awaits any more are not run, if they still wait in an inbox. The news
// follows the object as calls do; when it comes too late, or too early, the call runs and its
// answer is ignored.
#include <mutex>

#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
bool mark_cancelled(Call* first, Rank origin, std::uint64_t token) {
  for (Call* call = first; call != nullptr; call = call->next) {
    CallHeader& header = call->header();
    if (Rank(header.origin) != origin || header.reply_token != token) continue;
    header.flags |= CallHeader::is_cancelled;
    return true;
  }
  return false;
}
}  // namespace

void ObjectSpace::cancel(ObjectId id, Rank origin, std::uint64_t token, std::uint16_t hops) {
  Rank location;
  {
    Shard& shard = directory_.shard(id);
    const std::lock_guard guard(shard.lock);
    const Directory::Entry* entry = shard.find(id);
    if (entry == nullptr && id.home() == rank()) return;
    location = entry == nullptr ? id.home() : entry->location();
    if (Resident* resident = entry == nullptr ? nullptr : entry->resident()) {
      if (mark_cancelled(resident->inbox.first, origin, token)) return;
      if (resident->state != Resident::State::in_transit) return;
      location = resident->uncommon().target;  // where it comes behind the object
    }
  }
  if (location == rank()) location = id.home();
  if (location == rank() || hops >= 2 * options_.max_hops) return;
  core::Packer packer = messenger_.begin();
  core::pack(packer, id.value(), origin.value(), token, static_cast<std::uint16_t>(hops + 1));
  messenger_.post(location, am::constant_handler_id("roam.cancel"), std::move(packer), false);
}

void ObjectSpace::on_cancel(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const Rank origin(core::unpack<std::int32_t>(bytes));
  const auto token = core::unpack<std::uint64_t>(bytes);
  const auto hops = core::unpack<std::uint16_t>(bytes);
  if (id.home().value() >= space.messenger_.size())
    throw MalformedMessage("a call to cancel on nothing");
  space.cancel(id, origin, token, hops);
}

}  // namespace roam::mobile
