// SPDX-License-Identifier: Apache-2.0
// Bounds what a rank knows of objects with another home. To forget an object that it has called, a
// rank must first know that none of its calls is still under way, since its next call will be
// number 0 again: it sends a last call behind the others, which the object answers when it runs,
// forgetting the rank in turn. Calls issued meanwhile wait here for the answer.
#include <mutex>

#include "close_call.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
constexpr std::size_t forgotten_at_once = 64;
constexpr std::size_t looks_for_each = 256;
constexpr Duration pause_between = std::chrono::microseconds(20);

Call* make_close_call(ObjectSpace& space, const Method&, const CallHeader& header, core::Buffer&&,
                      std::size_t, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  return new CloseCall(space, space.messenger(), header);
}
const Method close_method{{"roam.close", "roam.close"}, nullptr, false, &make_close_call};
}  // namespace

const Method& CloseCall::descriptor() { return close_method; }

void CloseCall::invoke(exec::Context& context, void*) {
  space_.close_stream(*resident, Rank(header_.origin));
  context.finished = this;
}

void ObjectSpace::forget_soon(Duration delay) {
  engine().call_at(engine().now() + delay, [this] { forget_unused(); });
}

void ObjectSpace::forget_unused() {
  is_forgetting_.store(false, std::memory_order_relaxed);
  std::size_t forgotten = 0;
  bool is_over = false;
  for (Shard& shard : directory_) {
    for (std::size_t i = 0; i < forgotten_at_once; ++i) {
      CallHeader close;
      Rank location;
      {
        const std::lock_guard guard(shard.lock);
        const std::size_t kept = shard.foreign - shard.closing.size();
        if (kept * directory_.shard_count() <= options_.directory_limit) break;
        is_over = true;
        if (!pick_unused(shard, close, location)) break;
      }
      engine().preemption_point();
      ++forgotten;
      if (location != no_rank) post_empty_call(close, location);
    }
  }
  counters_.forgotten.fetch_add(forgotten, std::memory_order_relaxed);
  // Where nothing could be forgotten it is no use to try again before something is added.
  if (is_over && forgotten > 0 && !is_forgetting_.exchange(true, std::memory_order_relaxed))
    forget_soon(pause_between);
}

// Under the shard's lock. Forgets one that was not used since the search last came by, or begins
// to.
bool ObjectSpace::pick_unused(Shard& shard, CallHeader& close, Rank& location) {
  for (std::size_t looks = 0; looks < looks_for_each; ++looks) {
    Directory::Entry* entry = shard.entries.next_in_turn();
    if (entry == nullptr || entry->resident() != nullptr) continue;
    const ObjectId id = entry->id();
    if (id.home() == rank() || shard.closing.contains(id)) continue;
    if (entry->is_recent()) {
      entry->set_recent(false);
      continue;
    }
    if (entry->next_sequence() == 0) {
      forget(shard, *entry);
      return true;
    }
    close.object = id.value();
    close.cost_seconds = 0;
    close.origin = rank().value();
    close.method = close_method.id();
    close.sequence = entry->next_sequence();
    entry->set_next_sequence(0);
    shard.closing.try_emplace(id);
    if (observer_ != nullptr) observe(Step::issued, close, entry->location(), entry->version());
    location = options_.location_policy == LocationPolicy::home ? id.home() : entry->location();
    return true;
  }
  return false;
}

void ObjectSpace::close_stream(Resident& resident, Rank origin) {
  {
    const std::lock_guard guard(directory_.shard(resident.id).lock);
    resident.expected.forget(origin.value());
  }
  engine().preemption_point();
  tell_closed(origin, resident.id);
}

void ObjectSpace::tell_closed(Rank origin, ObjectId id) {
  core::Packer packer = messenger_.begin();
  core::pack(packer, id.value());
  messenger_.post(origin, am::constant_handler_id("roam.closed"), std::move(packer), true);
}

void ObjectSpace::on_closed(void* self, am::Incoming&& message) {
  core::Unpacker bytes(message.payload());
  static_cast<ObjectSpace*>(self)->closed(ObjectId(core::unpack<std::uint64_t>(bytes)));
}

void ObjectSpace::closed(ObjectId id) {
  Shard& shard = directory_.shard(id);
  CallQueue held;
  exec::ReadyItem* ready = nullptr;
  Rank location;
  {
    const std::lock_guard guard(shard.lock);
    const auto closing = shard.closing.find(id);
    if (closing == shard.closing.end()) throw MalformedMessage("an answer nobody asked for");
    held.append(std::move(closing->second));
    shard.closing.erase(closing);
    Directory::Entry* entry = shard.find(id);
    if (entry == nullptr) {
      location = id.home();
    } else if (Resident* resident = entry->resident(); resident != nullptr) {
      while (!held.empty()) take(*resident, held.pop());
      ready = startable(*resident);
    } else if (held.empty()) {
      forget(shard, *entry);
    } else {
      location = options_.location_policy == LocationPolicy::home ? id.home() : entry->location();
    }
  }
  engine().preemption_point();
  push_if(ready);
  while (!held.empty()) send_on(held.pop(), location);
}

}  // namespace roam::mobile
