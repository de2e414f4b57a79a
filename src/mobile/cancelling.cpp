// SPDX-License-Identifier: Apache-2.0
#include "cancelling.hpp"

#include "migrations.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

Cancelling::Cancelling(Residents& residents) : residents_(residents) {
  am::Messenger& messenger = residents_.messenger();
  messenger.bind<&Cancelling::on_cancel>(*this);
  messenger.requests().set_cancel_listener(
      [this](ObjectId id, std::uint64_t token) { cancel(id, residents_.rank(), token, 0); });
}

namespace {
bool mark_cancelled(Call* first, Rank origin, std::uint64_t token) {
  for (Call* call = first; call != nullptr; call = call->next) {
    CallHeader& header = call->header();
    if (Rank(header.origin) != origin || header.reply_token != token ||
        header.has(CallHeader::is_part))
      continue;
    header.flags |= CallHeader::is_cancelled;
    return true;
  }
  return false;
}
}  // namespace

void Cancelling::cancel(ObjectId id, Rank origin, std::uint64_t token, std::uint16_t hops) {
  const Rank here = residents_.rank();
  Rank location;
  {
    Directory::Shard& shard = residents_.shard(id);
    const ShardLock lock(shard);
    const Directory::Entry* entry = shard.find(id);
    if (entry == nullptr && id.home() == here) return;
    location = entry == nullptr ? id.home() : entry->location();
    if (Resident* resident = entry == nullptr ? nullptr : entry->resident()) {
      if (mark_cancelled(resident->inbox.first, origin, token)) return;
      if (resident->state != Resident::State::in_transit) return;
      location = Migrations::target_of(*resident);  // where the call arrives with the object
    }
  }
  if (location == here) location = id.home();
  if (location == here || hops >= 2 * residents_.options().max_hops) return;
  residents_.messenger().post(location,
                              Cancel{id, origin, token, static_cast<std::uint16_t>(hops + 1)});
}

void Cancelling::on_cancel(const Cancel& message) {
  if (message.object.home().value() >= residents_.messenger().size())
    throw MalformedMessage("a call to cancel on nothing");
  cancel(message.object, message.origin, message.token, message.hops);
}

}  // namespace roam::mobile
