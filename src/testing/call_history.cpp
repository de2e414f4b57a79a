// SPDX-License-Identifier: Apache-2.0
// The part of the history that checks calls: exactly once (M2), in order (M3), exclusive where
// promised (M4), not after the end (M8), and by known routes (M7).
#include <algorithm>

#include "testing/history.hpp"

namespace roam::testing {

using Kind = mobile::ProtocolEvent::Kind;

namespace {
// Limit of forwards: a call may follow an object that keeps moving, but one that goes round in
// circles exceeds this.
constexpr std::uint32_t most_forwards = 300;

std::string name(const mobile::CallHeader& header) {
  return "call " + std::to_string(header.origin) + "/" + std::to_string(header.sequence);
}
}  // namespace

// The record of a call. Numbers begin anew after a close; until the last series of a rank has
// arrived, records belong to the first series that is still arriving. Calls that find no object are
// in no order.
History::CallRecord* History::call_of(const Event& event, ObjectRecord& object) {
  CallsOfRank& calls = object.calls[static_cast<std::size_t>(event.call->origin)];
  const std::uint32_t sequence = event.call->sequence;
  CallRecord* found = nullptr;
  for (std::size_t i = object.destroyed ? 0 : calls.arriving; i < calls.series.size(); ++i) {
    if (sequence >= calls.series[i].size()) continue;
    CallRecord* const call = calls.series[i][sequence];
    if (call == nullptr) continue;
    if (!object.destroyed) return call;
    found = call;
    if (call->state < CallState::started) break;
  }
  return found;
}

// A call that has started is identified by its execution, since its number may be in use again.
History::CallRecord* History::running(const Event& event, ObjectRecord& object) {
  const auto call = std::ranges::find(object.running, event.execution, &CallRecord::execution);
  return call == object.running.end() ? nullptr : *call;
}

void History::call_step(const Event& event) {
  ObjectRecord* const object = find(event.object);
  if (object == nullptr || !object->id) return;  // the object never existed: a dead letter
  if (event.kind == Kind::issued) return issued(event, *object);
  if (event.kind == Kind::withdrawn) return withdrawn(event, *object);
  if (event.kind == Kind::dead) return dead(event, *object);
  const bool has_started = event.kind == Kind::ended || event.kind == Kind::put_back ||
                           event.kind == Kind::gave_up || event.kind == Kind::regained;
  CallRecord* const call = has_started ? running(event, *object) : call_of(event, *object);
  if (call == nullptr)
    return violate(
        "M2", name(*event.call) + (has_started ? " ends and has not started" : " was never issued"),
        event.object);
  switch (event.kind) {
    case Kind::accepted:
      return accepted(event, *object, *call);
    case Kind::set_aside:
      ++totals_.set_aside;
      return arrived(event, *call);
    case Kind::parked:
      call->arrived = true;
      return;
    case Kind::started:
      return started(event, *object, *call);
    case Kind::ended:
      return ended(*object, *call);
    case Kind::put_back:
      return put_back(*object, *call);
    case Kind::gave_up:
      return give_up_access(*object, *call);
    case Kind::regained:
      return regained(event, *object, *call);
    case Kind::forwarded:
      ++totals_.forwarded;
      call->arrived = false;
      if (++call->forwards > most_forwards)
        violate("M7", name(*event.call) + " is passed on without end", event.object);
      return;
    default:
      return;
  }
}

namespace {
// Identifies what runs on a worker; never 0.
std::uint64_t number_of_run(const exec::Context& context) {
  if (context.engine == nullptr) return 1;
  std::vector<std::uint64_t> finished;
  context.engine->note_finished(finished);
  return context.slot < finished.size() ? finished[context.slot] + 1 : 1;
}
}  // namespace

// Identifies the sender of a call. Calls of one execution stay in order; those of two executions
// need not. The history is told when a method of an object ends, but not when a function on a rank
// does, and the next one may be stored at the same address: therefore what a function issues counts
// as one sender's only for one run, between two awaits.
std::uint32_t History::stream_of() {
  const exec::Context* const context = exec::current();
  const exec::Execution* const execution = context == nullptr ? nullptr : context->execution;
  if (execution == nullptr) return 0;
  Stream& stream = streams_[execution];
  const bool is_call = stream.number != 0 && stream.run == 0;
  if (is_call) return stream.number;
  const bool lasts =
      context->label != nullptr && std::string_view(context->label) == "main program";
  const std::uint64_t run = lasts ? 1 : number_of_run(*context);
  if (stream.number == 0 || stream.run != run) stream = {next_stream_++, run};
  return stream.number;
}

void History::issued(const Event& event, ObjectRecord& object) {
  CallsOfRank& calls = object.calls[event.at.index()];
  std::vector<CallRecord*>& series = calls.series.back();
  if (series.size() <= event.call->sequence) series.resize(event.call->sequence + 1, nullptr);
  if (series[event.call->sequence] != nullptr)
    return violate("M3", name(*event.call) + ": the number was given twice", event.object);
  if (event.version < object.heard[event.at.index()])
    violate("M7", "rank " + std::to_string(event.at.value()) + " forgot newer news of the place",
            event.object);
  CallRecord& call = calls_.emplace_back();
  series[event.call->sequence] = &call;
  call.stream = stream_of();
  call.external = call.stream == 0;
  call.exclusive = event.method->is_exclusive();
  call.closes = event.method->name() == "roam.close";
  call.number = ++totals_.calls;
  if (!call.external) ++under_way_;
  if (call.closes) calls.series.emplace_back();
}

// Removes the last call that its rank has issued.
void History::withdrawn(const Event& event, ObjectRecord& object) {
  CallRecord*& call = object.calls[event.at.index()].series.back()[event.call->sequence];
  finish(*std::exchange(call, nullptr), CallState::ended);
}

// The sender of a call that came through other ranks has to be told the object's place.
void History::arrived(const Event& event, CallRecord& call) {
  if (call.arrived) return;
  call.arrived = true;
  if (senders_are_told_ && event.call->hops > 0 && event.at != event.call->origin)
    debts_.push_back({event.at, event.call->origin, event.object});
}

void History::accepted(const Event& event, ObjectRecord& object, CallRecord& call) {
  if (call.state != CallState::issued)
    return violate("M2", name(*event.call) + " is taken in twice", event.object);
  arrived(event, call);
  call.state = CallState::accepted;
  object.accepted.push_back(call.number);
}

void History::started(const Event& event, ObjectRecord& object, CallRecord& call) {
  if (object.destroyed)
    return violate("M8", name(*event.call) + " starts after the object's end", event.object);
  if (object.owner != event.at || object.in_transit)
    return violate("M5", name(*event.call) + " starts where the object does not live",
                   event.object);
  if (call.state != CallState::accepted)
    return violate("M2", name(*event.call) + " starts a second time", event.object);
  if (object.exclusive_running || (call.exclusive && object.shared_running > 0))
    return violate("M4", name(*event.call) + " starts beside a call that excludes it",
                   event.object);
  if (!is_in_order(object, call))
    return violate("M3", name(*event.call) + " starts after a later one of its sender",
                   event.object);
  if (object.started >= object.accepted.size() || object.accepted[object.started] != call.number)
    return violate("M4", name(*event.call) + " overtakes one that came before it", event.object);
  ++object.started;
  call.state = CallState::started;
  call.execution = event.execution;
  object.running.push_back(&call);
  take_access(object, call);
  if (call.closes) ++object.calls[static_cast<std::size_t>(event.call->origin)].arriving;
  streams_[event.execution] = {next_stream_++, 0};
  ++totals_.handlers;
}

void History::take_access(ObjectRecord& object, CallRecord& call) {
  call.has_access = true;
  if (call.exclusive) {
    object.exclusive_running = true;
  } else {
    ++object.shared_running;
  }
}

void History::give_up_access(ObjectRecord& object, CallRecord& call) {
  if (!std::exchange(call.has_access, false)) return;
  if (call.exclusive) {
    object.exclusive_running = false;
  } else {
    --object.shared_running;
  }
}

void History::regained(const Event& event, ObjectRecord& object, CallRecord& call) {
  if (object.exclusive_running || (call.exclusive && object.shared_running > 0))
    return violate("M4", name(*event.call) + " goes on beside a call that excludes it",
                   event.object);
  take_access(object, call);
}

// Calls not issued by a handler have no order.
bool History::is_in_order(ObjectRecord& object, const CallRecord& call) {
  if (call.external) return true;
  const auto last = std::ranges::find(object.streams, call.stream,
                                      &std::pair<std::uint32_t, std::uint64_t>::first);
  if (last != object.streams.end()) return std::exchange(last->second, call.number) <= call.number;
  object.streams.emplace_back(call.stream, call.number);
  return true;
}

void History::ended(ObjectRecord& object, CallRecord& call) {
  give_up_access(object, call);
  std::erase(object.running, &call);
  streams_.erase(call.execution);
  finish(call, CallState::ended);
}

// Only exclusive calls are put back: none has started since.
void History::put_back(ObjectRecord& object, CallRecord& call) {
  give_up_access(object, call);
  std::erase(object.running, &call);
  streams_.erase(call.execution);
  call.state = CallState::accepted;
  --object.started;
}

void History::dead(const Event& event, ObjectRecord& object) {
  if (!object.destroyed)
    return violate("M8", name(*event.call) + " finds no object, though it lives", event.object);
  ++totals_.dead_calls;
  // The home gives no number to calls to objects that it knows to be gone.
  const bool is_unnumbered = event.at == event.call->origin && event.at == event.object.home();
  CallRecord* const call = call_of(event, object);
  if (call != nullptr && call->state < CallState::started) return finish(*call, CallState::dead);
  if (!is_unnumbered)
    violate("M8", name(*event.call) + " has run and finds no object", event.object);
}

void History::finish(CallRecord& call, CallState state) {
  call.state = state;
  if (!call.external) --under_way_;
}

void History::settle() {
  for (const News& news : news_) {
    std::uint32_t& newest = find(news.object)->heard[news.at.index()];
    newest = std::max(newest, news.version);
  }
  news_.clear();
}

void History::place_step(const Event& event) {
  ObjectRecord* const object = find(event.object);
  if (object == nullptr || !object->id) return;
  if (event.kind == Kind::told) {
    const auto debt = std::ranges::find_if(debts_, [&](const Debt& d) {
      return d.at == event.at && d.to == event.other && d.object == event.object;
    });
    if (debt != debts_.end()) debts_.erase(debt);
  } else if (event.kind == Kind::heard) {
    news_.push_back({event.at, event.version, event.object});
  } else if (event.kind == Kind::forgot) {
    object->heard[event.at.index()] = 0;
    std::erase_if(news_, [&](const News& news) {
      return news.at == event.at && news.object == event.object;
    });
  } else if (event.version <= event.former_version) {
    violate("M7", "rank " + std::to_string(event.at.value()) + " believes stale news of the place",
            event.object);
  }
}

}  // namespace roam::testing
