// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <utility>

#include "migrations.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

using Step = ProtocolWatch::Step;

Places::Places(Residents& residents) : residents_(residents) {
  residents_.messenger().bind<&Places::on_location>(*this);
}

void Places::tell(Rank other, ObjectId id, std::uint32_t version) {
  residents_.watch().saw(Step::told, id, other, version);
  residents_.messenger().post(other, Location{id, version});
  told_.fetch_add(1, std::memory_order_relaxed);
}

void Places::on_location(const Location& news, Rank source) {
  learn(news.object, source, news.version);
}

void Places::learn(ObjectId id, Rank location, std::uint32_t version) {
  Directory::Shard& shard = residents_.shard(id);
  Migrations::Left effects;
  {
    const ShardLock lock(shard);
    Directory::Entry* entry = shard.find(id);
    if (entry != nullptr) residents_.watch().saw(Step::heard, id, location, version);
    if (entry == nullptr || version <= entry->version()) return;  // stale
    residents_.watch().saw(Step::learned, id, location, version, entry->version());
    const Resident* const left = entry->resident();
    if (left == nullptr) return entry->set_place(location, version);
    // The object left this rank and has moved on before the rank to which it first went could
    // answer: the news counts as the answer. (If it were dropped, this rank, perhaps the home,
    // would have a stale place for good.)
    if (left->state != Resident::State::in_transit)
      throw MalformedMessage("news of an object that lives here");
    effects = Migrations::let_leave(*entry, {location, version});
  }
  residents_.apply(std::move(effects));
}

}  // namespace roam::mobile
