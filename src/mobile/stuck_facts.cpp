// SPDX-License-Identifier: Apache-2.0
// What one rank knows of a stuck job: its objects. See quiescence.cpp for the rest.
#include <mutex>

#include "hold_call.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {

StuckCall describe_call(const Call& call) {
  const CallHeader& header = call.header();
  StuckCall stuck;
  stuck.handler = call.method().describe();
  stuck.origin = header.origin;
  stuck.sequence = header.sequence;
  stuck.request = header.reply_token;
  if (&call.method() == &HoldCall::descriptor())
    stuck.holder = static_cast<const HoldCall&>(call).holder();
  return stuck;
}

// Under the shard's lock.
StuckObject describe_object(Rank rank, Resident& resident) {
  StuckObject object;
  object.rank = rank.value();
  object.id = resident.id.value();
  object.type = resident.type.name();
  for (const Call* call = resident.inbox.first; call != nullptr; call = call->next) {
    if (object.queued++ < StuckFacts::most_calls) object.queue.push_back(describe_call(*call));
  }
  if (!resident.has_early()) return object;
  for (const auto& [key, call] : resident.uncommon().early) {
    if (object.set_aside_count++ >= StuckFacts::most_calls) continue;
    object.set_aside.push_back(describe_call(*call));
    object.set_aside.back().expected = resident.expected.of(key.first);
  }
  return object;
}

}  // namespace

void ObjectSpace::lose_a_call_for_test(ObjectId id) {
  CallHeader header;
  header.object = id.value();
  Shard& shard = directory_.shard(id);
  const std::lock_guard guard(shard.lock);
  static_cast<void>(begin_call(shard, header));
}

void ObjectSpace::add_stuck(StuckFacts& facts) const {
  struct Holder {
    std::uint64_t holder;
    std::uint64_t execution;
  };
  std::unordered_map<std::uint64_t, Holder> holders;
  {
    const std::lock_guard guard(held_lock_);
    for (const auto& [holder, held] : held_) {
      for (const HoldCall* call : held.calls)
        holders[call->header().object] = {holder, reinterpret_cast<std::uintptr_t>(held.execution)};
    }
  }
  for (Shard& shard : directory_) {
    const std::lock_guard guard(shard.lock);
    shard.entries.for_each([&](const Directory::Entry& entry) {
      Resident* const resident = entry.resident();
      if (resident == nullptr ||
          (!resident->is_running() && resident->inbox.empty() && !resident->has_early()))
        return;
      StuckObject object = describe_object(rank(), *resident);
      if (const auto held = holders.find(object.id); held != holders.end()) {
        object.holder = held->second.holder;
        object.holder_execution = held->second.execution;
      }
      facts.add(std::move(object));
    });
  }
  if (element_listener_ != nullptr) element_listener_->add_stuck(facts);
}

}  // namespace roam::mobile
