// SPDX-License-Identifier: Apache-2.0
#include "holders.hpp"

#include <utility>

#include "hold_call.hpp"
#include "move_requests.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

Holders::Holders(ObjectSpace& space, Residents& residents, IssuedCalls& issued, CallRuns& runs,
                 Migrations& migrations)
    : space_(space), residents_(residents), issued_(issued), runs_(runs), migrations_(migrations) {
  residents_.messenger().bind<&Holders::on_release>(*this);
}

void Holders::give_up_all() {
  const core::LockGuard guard(lock_);
  for (auto& [holder, held] : held_) {
    for (HoldCall* call : held.calls) call->abandon();
  }
  held_.clear();
}

std::uint64_t Holders::new_holder() {
  return ObjectId(residents_.rank(), next_holder_.fetch_add(1, std::memory_order_relaxed)).value();
}

am::Reply<void> Holders::hold(ObjectId id, Rank where, std::uint64_t holder) {
  am::Messenger& messenger = residents_.messenger();
  auto [pending, reply_to] = messenger.expect_reply("roam.hold", id);
  am::Reply<void> reply(pending);
  CallHeader header;
  header.object = id.value();
  header.reply_token = reply_to.token;
  header.cost_seconds = 0;
  header.origin = residents_.rank().value();
  header.method = HoldCall::descriptor().id();
  issued_.issue_call(
      header, [&] { return new HoldCall(space_, messenger, header, where, holder); },
      [&](Rank to, std::uint32_t sequence) {
        header.sequence = sequence;
        auto message = messenger.begin(header, 16);
        core::pack(message.packer(), where.value(), holder);
        messenger.post(to, std::move(message));
      });
  return reply;
}

Task<> Holders::bring(ObjectId id, Rank where) {
  MoveRequests::check(residents_.messenger(), id, where);
  const std::uint64_t holder = new_holder();
  auto held = hold(id, where, holder);
  co_await held;
  post_release(where, holder);
}

void Holders::begin(HoldCall& call) {
  {
    const core::LockGuard guard(lock_);
    held_[call.holder()].calls.push_back(&call);
  }
  residents_.engine().preemption_point();
  residents_.messenger().answer(call.header().reply_to());
}

void Holders::bring_to_holder(HoldCall& call) {
  Resident& resident = *call.resident;
  Effects<effect::Ready, effect::Departure> effects;
  {
    const ShardLock lock(residents_.shard(resident.id));
    residents_.watch().saw(ProtocolWatch::Step::put_back, call.header(), no_rank, 0, &call);
    call.resident = nullptr;
    resident.exclusive_running = false;
    resident.inbox.push_front(&call);
    resident.count(call, 1);
    // The call will start again: for the balancer it ends now and becomes pending anew.
    resident.activity.end(call.header().cost_seconds, call.header().weight);
    residents_.tell(resident, LoadListener::Change::load);
    effects.departs = migrations_.bring(resident, call.where()).departs;
    effects.ready = residents_.startable(resident);
    static_cast<void>(resident.remove_user());  // its directory entry is another user
  }
  residents_.apply(std::move(effects));
}

void Holders::begin_nested(std::uint64_t outer) {
  if (outer == 0) return;
  const core::LockGuard guard(lock_);
  const auto found = held_.find(outer);
  if (found == held_.end())
    throw Error("a multicast inside another one has to be issued while that holds its objects");
  ++found->second.users;
}

std::vector<Resident*> Holders::held_by(std::uint64_t holder) const {
  std::vector<Resident*> residents;
  const core::LockGuard guard(lock_);
  const auto found = held_.find(holder);
  if (found == held_.end()) return residents;
  for (const HoldCall* call : found->second.calls) residents.push_back(call->resident);
  return residents;
}

void Holders::release(std::uint64_t holder) {
  // The release must not happen before the virtual time that the handler has reached.
  if (!residents_.engine().is_ahead_of_time()) return end(holder);
  post_release(residents_.rank(), holder);
}

void Holders::post_release(Rank where, std::uint64_t holder) {
  residents_.messenger().post(where, Release{holder});
}

void Holders::end(std::uint64_t holder) {
  std::vector<HoldCall*> calls;
  {
    const core::LockGuard guard(lock_);
    const auto found = held_.find(holder);
    if (found == held_.end() || --found->second.users > 0) return;
    calls = std::move(found->second.calls);
    held_.erase(found);
  }
  residents_.engine().preemption_point();
  for (HoldCall* call : calls) runs_.completed(*call, Duration::zero());
}

void Holders::set_execution(std::uint64_t holder, const exec::Execution* execution) {
  const core::LockGuard guard(lock_);
  const auto found = held_.find(holder);
  if (found != held_.end()) found->second.execution = execution;
}

std::unordered_map<std::uint64_t, Holders::Holder> Holders::holders_by_object() const {
  std::unordered_map<std::uint64_t, Holder> holders;
  const core::LockGuard guard(lock_);
  for (const auto& [holder, held] : held_) {
    for (const HoldCall* call : held.calls)
      holders[call->header().object] = {holder, reinterpret_cast<std::uintptr_t>(held.execution)};
  }
  return holders;
}

}  // namespace roam::mobile
