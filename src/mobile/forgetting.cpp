// SPDX-License-Identifier: Apache-2.0
#include "forgetting.hpp"

#include <utility>

#include "close_call.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

namespace {
constexpr std::size_t forgotten_at_once = 64;
constexpr std::size_t looks_for_each = 256;
constexpr Duration pause_between = std::chrono::microseconds(20);
}  // namespace

Forgetting::Forgetting(Residents& residents, IssuedCalls& issued)
    : residents_(residents), issued_(issued) {
  residents_.messenger().bind<&Forgetting::on_closed>(*this);
}

void Forgetting::set_timer(Duration delay) {
  exec::Engine& engine = residents_.engine();
  engine.call_at(engine.now() + delay, [this] { forget_unused(); });
}

void Forgetting::forget_unused() {
  is_timer_set_.store(false, std::memory_order_relaxed);
  std::size_t forgotten = 0;
  bool is_over = false;
  for (Directory::Shard& shard : residents_.directory()) {
    for (std::size_t i = 0; i < forgotten_at_once; ++i) {
      const Forgotten one = forget_one(shard);
      is_over = is_over || one.is_over;
      if (!one.was_found) break;
      residents_.engine().preemption_point();
      ++forgotten;
      if (one.location != no_rank) issued_.post_empty(one.close, one.location);
    }
  }
  forgotten_.fetch_add(forgotten, std::memory_order_relaxed);
  // If nothing could be forgotten, another attempt is useless until entries are added.
  if (is_over && forgotten > 0 && !is_timer_set_.exchange(true, std::memory_order_relaxed))
    set_timer(pause_between);
}

Forgetting::Forgotten Forgetting::forget_one(Directory::Shard& shard) {
  const ShardLock lock(shard);
  if (!is_beyond_limit(shard.foreign - shard.closing.size())) return {};
  Forgotten one = pick_unused(shard);
  one.is_over = true;
  return one;
}

// Forgets an entry that was not used since the search last came by, or begins to forget it.
Forgetting::Forgotten Forgetting::pick_unused(Directory::Shard& shard) {
  Forgotten one;
  for (std::size_t looks = 0; looks < looks_for_each; ++looks) {
    Directory::Entry* entry = shard.entries.next_in_turn();
    if (entry == nullptr || entry->resident() != nullptr) continue;
    const ObjectId id = entry->id();
    if (id.home() == residents_.rank() || shard.closing.contains(id)) continue;
    if (entry->is_recent()) {
      entry->set_recent(false);
      continue;
    }
    one.was_found = true;
    if (entry->next_sequence() == 0) {
      residents_.forget(shard, *entry);
      return one;
    }
    one.close.object = id.value();
    one.close.cost_seconds = 0;
    one.close.origin = residents_.rank().value();
    one.close.method = CloseCall::descriptor().id();
    one.close.sequence = entry->next_sequence();
    one.location = residents_.way_to(*entry);
    entry->set_next_sequence(0);
    shard.closing.begin(id);
    residents_.watch().saw(ProtocolWatch::Step::issued, one.close, entry->location(),
                           entry->version());
    return one;
  }
  return one;
}

void Forgetting::close_stream(Resident& resident, Rank origin) {
  {
    const ShardLock lock(residents_.shard(resident.id));
    resident.expected.forget(origin.value());
  }
  residents_.engine().preemption_point();
  tell_closed(residents_.messenger(), origin, resident.id);
}

void Forgetting::tell_closed(am::Messenger& messenger, Rank origin, ObjectId id) {
  messenger.post(origin, Closed{id});
}

void Forgetting::closed(ObjectId id) {
  Directory::Shard& shard = residents_.shard(id);
  Effects<effect::Ready, effect::Followers> effects;
  {
    const ShardLock lock(shard);
    std::optional<CallQueue> closed = shard.closing.end(id);
    if (!closed) throw MalformedMessage("an answer nobody asked for");
    CallQueue held = *closed;
    Directory::Entry* entry = shard.find(id);
    Resident* const resident = entry == nullptr ? nullptr : entry->resident();
    if (resident != nullptr) {
      while (!held.empty()) residents_.take(*resident, held.pop());
      effects.ready = residents_.startable(*resident);
    } else if (entry != nullptr && held.empty()) {
      residents_.forget(shard, *entry);
    } else {
      effects.followed_to = entry == nullptr ? id.home() : residents_.way_to(*entry);
      effects.followers.append(std::move(held));
    }
  }
  residents_.apply(std::move(effects));
}

}  // namespace roam::mobile
