// SPDX-License-Identifier: Apache-2.0
// The steps that every call takes. They are inlined where they are used: a local call takes about
// as long as the function calls would.
#pragma once

#include <algorithm>

#include "roam/mobile/detail/call_runs.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

inline exec::ReadyItem* Residents::startable(Resident& resident) {
  if (!resident.can_start()) return nullptr;
  const Priority urgency = resident.urgency();
  if (resident.queued) {
    if (resident.boosted || urgency >= resident.priority) return nullptr;
    return boost(resident);
  }
  resident.queued = true;
  resident.priority = urgency;
  const Record& record = resident.record;
  resident.announced_work = static_cast<float>(record.pending_seconds + record.pending_weight);
  resident.add_user();
  return &resident;
}

inline void Residents::enter(Resident& resident, Call* call) {
  watch_.saw(Step::accepted, call->header());
  CallHeader& header = call->header();
  Record& record = resident.record;
  if (listener_ != nullptr && header.cost_seconds < 0) {
    const double estimate = listener_->estimate(call->method().id(), header.weight, record);
    if (estimate >= 0) {
      header.cost_seconds = static_cast<float>(estimate);
      header.flags |= CallHeader::is_estimated;
    }
  }
  ++record.pending_calls;
  (header.cost_seconds >= 0 ? record.pending_seconds : record.pending_weight) +=
      header.cost_seconds >= 0 ? header.cost_seconds : header.weight;
}

inline void Residents::take_in(Resident& resident, Call* call) {
  enter(resident, call);
  resident.inbox.push(call);
  resident.count(*call, 1);
}

inline void Residents::take(Resident& resident, Call* call) {
  if (resident.state == Resident::State::in_transit) {
    watch_.saw(Step::parked, call->header());
    return resident.inbox.push(call);  // its sequence is checked where the object goes
  }
  const CallHeader& header = call->header();
  std::uint32_t& expected = resident.expected.of(header.origin);
  if (header.sequence != expected) return set_aside(resident, call);
  ++expected;
  take_in(resident, call);
  if (resident.has_early()) take_in_early(resident, header.origin, expected);
  tell(resident, LoadListener::Change::load);
}

inline void Residents::start(Resident& resident, Call* call) {
  const CallHeader& header = call->header();
  if (!header.has(CallHeader::regains_access)) [[likely]] {  // otherwise it had started before
    watch_.saw(Step::started, header, no_rank, 0, call);
    if (listener_ != nullptr) {
      resident.activity.begin(header.cost_seconds, header.weight, engine_.recent_now());
      tell(resident, LoadListener::Change::load);
    }
  }
  if (call->method().is_exclusive()) {
    resident.exclusive_running = true;
  } else {
    ++resident.shared_running;
  }
}

inline exec::ReadyItem* Residents::accept(Resident& resident, Call* call) {
  take(resident, call);
  return startable(resident);
}

inline Call* Residents::start_first(Resident& resident) {
  Call* const call = resident.inbox.pop();
  resident.count(*call, -1);
  start(resident, call);
  return call;
}

inline void Residents::begin_at_once(Resident& resident, Call* call, std::uint32_t& expected) {
  ++expected;
  enter(resident, call);
  resident.add_user();
  start(resident, call);
}

inline void Residents::end(Shard& shard, Resident& resident, const Call& call, Duration run_time) {
  const CallHeader& header = call.header();
  watch_.saw(Step::ended, header, no_rank, 0, &call);
  if (call.method().is_exclusive()) {
    resident.exclusive_running = false;
  } else {
    --resident.shared_running;
  }
  Record& record = resident.record;
  --record.pending_calls;
  if (header.cost_seconds >= 0) {
    record.pending_seconds = std::max(0.0, record.pending_seconds - header.cost_seconds);
  } else {
    record.pending_weight = std::max(0.0, record.pending_weight - header.weight);
  }
  record.phase_seconds += seconds(run_time);
  shard.phase_seconds += seconds(run_time);
  if (listener_ == nullptr) return;
  resident.activity.end(header.cost_seconds, header.weight);
  if (header.cost_seconds < 0 || header.has(CallHeader::is_estimated))
    listener_->measured(call.method().id(), header.weight, seconds(run_time), record);
}

// A call that an idle worker has received, and that may start, starts before another thread takes
// the lock; it does not enter the inbox.
inline exec::ReadyItem* CallRuns::accept_arrived(Resident& resident, Call* call) {
  if (next_call_ == nullptr || !resident.may_start_at_once(*call))
    return residents_.accept(resident, call);
  std::uint32_t& expected = resident.expected.of(call->header().origin);
  if (call->header().sequence != expected || !residents_.engine().run_next(next_call_.get()))
    return residents_.accept(resident, call);
  residents_.begin_at_once(resident, call, expected);
  next_call_->put(resident, call);
  return nullptr;
}

}  // namespace roam::mobile
