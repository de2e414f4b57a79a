// SPDX-License-Identifier: Apache-2.0
#include "stuck_facts.hpp"

#include <utility>

#include "hold_call.hpp"
#include "rare_state.hpp"

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

StuckObject describe_object(Rank rank, Resident& resident) ROAM_REQUIRES(inside_shard) {
  StuckObject object;
  object.rank = rank.value();
  object.id = resident.id.value();
  object.type = resident.type.name();
  for (const Call* call = resident.inbox.first; call != nullptr; call = call->next) {
    if (object.queued++ < StuckFacts::most_calls) object.queue.push_back(describe_call(*call));
  }
  if (!resident.has_early()) return object;
  for (const auto& [key, call] : resident.rare().early) {
    if (object.set_aside_count++ >= StuckFacts::most_calls) continue;
    object.set_aside.push_back(describe_call(*call));
    object.set_aside.back().expected = resident.expected.of(key.first);
  }
  return object;
}

}  // namespace

void add_stuck_objects(StuckFacts& facts, const Residents& residents, const Holders& holders) {
  const auto held_by = holders.holders_by_object();
  for (Directory::Shard& shard : residents.directory()) {
    const ShardLock lock(shard);
    Residents::for_each_in(shard, [&](Resident& resident) {
      inside_shard.assert_held();
      if (!resident.is_running() && resident.inbox.empty() && !resident.has_early()) return;
      StuckObject object = describe_object(residents.rank(), resident);
      if (const auto held = held_by.find(object.id); held != held_by.end()) {
        object.holder = held->second.holder;
        object.holder_execution = held->second.execution;
      }
      facts.add(std::move(object));
    });
  }
}

}  // namespace roam::mobile
