// SPDX-License-Identifier: Apache-2.0
// What the history says about calls: exactly once (M2), in order (M3), alone where that is promised
// (M4), not after the end (M8), and on known ways (M7).
#include <algorithm>

#include "testing/history.hpp"

namespace roam::testing {

using Kind = mobile::ProtocolEvent::Kind;

namespace {
// A call may follow an object that keeps moving; one that goes round in circles comes here too.
constexpr std::uint32_t most_forwards = 300;

std::string name(const mobile::CallHeader& header) {
  return "call " + std::to_string(header.origin) + "/" + std::to_string(header.sequence);
}
}  // namespace

History::CallRecord& History::call_of(ObjectRecord& object, const mobile::CallHeader& header) {
  std::vector<CallRecord>& calls = object.calls[static_cast<std::size_t>(header.origin)];
  if (calls.size() <= header.sequence) calls.resize(header.sequence + 1);
  return calls[header.sequence];
}

void History::call_step(const Event& event) {
  ObjectRecord* const object = find(event.object);
  if (object == nullptr || !object->id) return;  // one that never was: a dead letter
  if (event.kind == Kind::issued) return issued(event, *object);
  if (event.kind == Kind::dead) return dead(event, *object);
  CallRecord& call = call_of(*object, *event.call);
  if (call.state == CallState::none)
    return violate("M2", name(*event.call) + " was never issued", event.object);
  switch (event.kind) {
    case Kind::accepted:
      return accepted(event, *object, call);
    case Kind::set_aside:
      ++totals_.set_aside;
      return arrived(event, call);
    case Kind::parked:
      call.arrived = true;
      return;
    case Kind::started:
      return started(event, *object, call);
    case Kind::ended:
      return ended(event, *object, call);
    case Kind::forwarded:
      ++totals_.forwarded;
      call.arrived = false;
      if (++call.forwards > most_forwards)
        violate("M7", name(*event.call) + " is passed on without end", event.object);
      return;
    default:
      return;
  }
}

// Calls of one execution stay in order; of two executions they need not.
std::uint32_t History::stream_of() {
  const exec::Context* const context = exec::current();
  const exec::Execution* const execution = context == nullptr ? nullptr : context->execution;
  if (execution == nullptr) return 0;
  const auto [found, is_new] = streams_.try_emplace(execution, next_stream_);
  if (is_new) ++next_stream_;
  return found->second;
}

void History::issued(const Event& event, ObjectRecord& object) {
  CallRecord& call = call_of(object, *event.call);
  if (call.state != CallState::none)
    return violate("M3", name(*event.call) + ": the number was given twice", event.object);
  if (event.version < object.heard[event.at.index()])
    violate("M7", "rank " + std::to_string(event.at.value()) + " forgot newer news of the place",
            event.object);
  call.state = CallState::issued;
  call.stream = stream_of();
  call.external = call.stream == 0;
  call.exclusive = event.method->is_exclusive();
  ++totals_.calls;
  if (!call.external) ++under_way_;
}

// The sender of a call that came by way of others is to be told.
void History::arrived(const Event& event, CallRecord& call) {
  if (call.arrived) return;
  call.arrived = true;
  if (event.call->hops > 0 && event.at != event.call->origin)
    debts_.push_back({event.at, event.call->origin, event.object});
}

void History::accepted(const Event& event, ObjectRecord& object, CallRecord& call) {
  if (call.state != CallState::issued)
    return violate("M2", name(*event.call) + " is taken in twice", event.object);
  arrived(event, call);
  call.state = CallState::accepted;
  object.accepted.push_back({event.call->origin, event.call->sequence});
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
  auto last = std::ranges::find(object.streams, call.stream,
                                &std::pair<std::uint32_t, std::uint32_t>::first);
  if (last == object.streams.end()) {
    object.streams.emplace_back(call.stream, event.call->sequence);
  } else if (std::exchange(last->second, event.call->sequence) > event.call->sequence) {
    return violate("M3", name(*event.call) + " starts after a later one of its sender",
                   event.object);
  }
  const CallKey key{event.call->origin, event.call->sequence};
  if (object.started >= object.accepted.size() || object.accepted[object.started] != key)
    return violate("M4", name(*event.call) + " overtakes one that came before it", event.object);
  ++object.started;
  call.state = CallState::started;
  if (call.exclusive) {
    object.exclusive_running = true;
  } else {
    ++object.shared_running;
  }
  streams_[event.execution] = next_stream_++;
  ++totals_.handlers;
}

void History::ended(const Event& event, ObjectRecord& object, CallRecord& call) {
  if (call.state != CallState::started)
    return violate("M2", name(*event.call) + " ends but did not run", event.object);
  if (call.exclusive) {
    object.exclusive_running = false;
  } else {
    --object.shared_running;
  }
  finish(call, CallState::ended);
}

void History::dead(const Event& event, ObjectRecord& object) {
  if (!object.destroyed)
    return violate("M8", name(*event.call) + " finds no object, though it lives", event.object);
  ++totals_.dead_calls;
  // The home gives calls to objects that it knows to be gone no number.
  const bool is_unnumbered = event.at == event.call->origin && event.at == event.object.home();
  CallRecord& call = call_of(object, *event.call);
  if (call.state >= CallState::started) {
    if (!is_unnumbered)
      violate("M8", name(*event.call) + " has run and finds no object", event.object);
    return;
  }
  if (call.state != CallState::none) finish(call, CallState::dead);
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
  } else if (event.version <= event.former_version) {
    violate("M7", "rank " + std::to_string(event.at.value()) + " believes stale news of the place",
            event.object);
  }
}

}  // namespace roam::testing
