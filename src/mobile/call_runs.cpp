// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/call_runs.hpp"

#include "destroy_call.hpp"
#include "owners.hpp"
#include "resident_steps.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

CallRuns::CallRuns(ObjectSpace& space, Residents& residents)
    : space_(space),
      residents_(residents),
      next_call_(residents.engine().workers() == 1 ? std::make_unique<NextCall>(*this) : nullptr) {}

[[gnu::flatten]] void CallRuns::run(Resident& resident, exec::Context& context, bool is_boost) {
  Residents& residents = residents_;  // in a register
  Call* call = nullptr;
  Effects<effect::Ready, effect::LastUse> effects;
  {
    const ShardLock lock(residents.shard(resident.id));
    (is_boost ? resident.boosted : resident.queued) = false;
    if (resident.can_start()) {
      call = residents.start_first(resident);
      if (!call->method().is_exclusive()) effects.ready = residents.startable(resident);
    } else if (resident.remove_user()) {  // the object moved on, or another worker took the call
      effects.unused = &resident;
    }
  }
  residents.apply(std::move(effects));
  if (call != nullptr) run_started(resident, call, context);
}

void CallRuns::run_started(Resident& resident, Call* call, exec::Context& context) {
  call->resident = &resident;
  context.execution = call;
  context.label = call->method().name().data();
  context.subject = resident.id;
  context.epoch = call->header().epoch;
  if (!call->header().has(CallHeader::is_cancelled)) [[likely]] {
    call->invoke(context, resident.object);  // may delete the call
  } else {
    residents_.messenger().answer_failure(call->header().reply_to(), am::ReplyStatus::cancelled,
                                          "cancelled");
    context.finished = call;
  }
  context.epoch = 0;
}

namespace {

// The object ends together with its last call, in the same step: otherwise another worker could
// start a later call, or a move, in between.
[[gnu::cold, gnu::noinline]] void end_object_with(ObjectSpace& space, Call& call,
                                                  Duration run_time) {
  Residents& residents = space.residents();
  Resident& resident = *call.resident;
  Directory::Shard& shard = residents.shard(resident.id);
  Effects<effect::EndedObject, effect::Orphans, effect::FinishedCall, effect::LastUse> effects;
  effects.ended = &resident;
  effects.finished = &call;
  {
    const ShardLock lock(shard);
    residents.end(shard, resident, call, run_time);
    effects.orphans = space.owners().ends.take_out(shard, resident);
    if (resident.remove_user()) effects.unused = &resident;
  }
  residents.apply(std::move(effects));
}

}  // namespace

[[gnu::flatten]] void CallRuns::completed(Call& call, Duration run_time) {
  if (&call.method() == &DestroyCall::descriptor()) [[unlikely]]
    return end_object_with(space_, call, run_time);
  Residents& residents = residents_;  // in a register
  Resident& resident = *call.resident;
  Shard& shard = residents.shard(resident.id);
  Effects<effect::Ready, effect::Departure, effect::FinishedCall, effect::LastUse> effects;
  {
    const ShardLock lock(shard);
    residents.end(shard, resident, call, run_time);
    if (resident.state != Resident::State::gone) {
      residents.tell(resident, LoadListener::Change::load);
      if (resident.state == Resident::State::departing && !resident.is_bound())
        effects.departs = &space_.owners().migrations.begin_transit(resident);
      effects.ready = residents.startable(resident);
    }
    if (resident.remove_user()) effects.unused = &resident;
  }
  effects.finished = &call;
  residents.apply(std::move(effects));
}

}  // namespace roam::mobile
