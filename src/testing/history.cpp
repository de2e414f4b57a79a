// SPDX-License-Identifier: Apache-2.0
// The history as a whole, and its checks of objects: one at a time, with the same state everywhere
// (M5, M6, M8), quiescence (M10).
#include "testing/history.hpp"

#include <algorithm>
#include <exception>

#include "roam/core/detail/type_name.hpp"

namespace roam::testing {

using Kind = mobile::ProtocolEvent::Kind;

History::History(std::int32_t ranks, bool compare_states, bool senders_are_told)
    : ranks_(static_cast<std::size_t>(ranks)),
      compare_states_(compare_states),
      senders_are_told_(senders_are_told),
      objects_(ranks_) {}

void History::violate(std::string promise, std::string what, ObjectId object) {
  if (violation_) return;
  if (timeline_ != nullptr) timeline_->add("VIOLATION of " + promise + ": " + what, object);
  violation_ = Violation{std::move(promise), std::move(what), object};
}

void History::happened(const Event& event) {
  if (timeline_ != nullptr) timeline_->add(event);
  switch (event.kind) {
    case Kind::quiescent:
    case Kind::finished:
      return verdict(event);
    case Kind::created:
      return created(event);
    case Kind::told:
    case Kind::heard:
    case Kind::forgot:
    case Kind::learned:
      return place_step(event);
    case Kind::packed:
    case Kind::installed:
    case Kind::refused:
    case Kind::left:
    case Kind::destroyed:
      return object_step(event);
    default:
      return call_step(event);
  }
}

History::ObjectRecord* History::find(ObjectId id) {
  if (!id || id.home().index() >= ranks_) return nullptr;
  std::vector<ObjectRecord>& there = objects_[id.home().index()];
  return id.serial() <= there.size() ? &there[id.serial() - 1] : nullptr;
}

ObjectId History::choose_object(std::uint64_t drawn) const {
  std::size_t count = 0;
  for (const auto& there : objects_) count += there.size();
  if (count == 0) return {};
  std::size_t number = (drawn >> 8U) % count;
  for (const auto& there : objects_) {
    if (number < there.size()) return there[number].id;
    number -= there.size();
  }
  return {};
}

Rank History::owner(ObjectId id) const {
  return objects_[id.home().index()][id.serial() - 1].owner;
}

void History::created(const Event& event) {
  std::vector<ObjectRecord>& there = objects_[event.object.home().index()];
  // Two workers may number their objects in one order and enter them in the other.
  if (there.size() < event.object.serial()) there.resize(event.object.serial());
  ObjectRecord& object = there[event.object.serial() - 1];
  object.id = event.object;
  object.owner = event.at;
  object.calls.resize(ranks_);
  object.heard.resize(ranks_, 0);
}

std::uint64_t History::digest_of(const Event& event) const {
  if (!compare_states_ || event.type == nullptr) return 0;
  try {
    core::Packer packer(core::Buffer::allocate(256));
    event.type->functions().pack(packer, event.state);
    const auto bytes = packer.buffer().bytes();
    return core::fnv1a({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  } catch (const std::exception&) {  // an object that cannot be packed does not move either
    return 0;
  }
}

void History::object_step(const Event& event) {
  ObjectRecord* const object = find(event.object);
  if (object == nullptr) return violate("M1", "an object that nobody created", event.object);
  switch (event.kind) {
    case Kind::packed:
      return packed(event, *object);
    case Kind::installed:
      return installed(event, *object);
    case Kind::refused:
      return refused(event, *object);
    case Kind::destroyed:
      if (object->owner != event.at || object->in_transit || object->destroyed)
        violate("M8", "the object is destroyed where it does not live", event.object);
      object->destroyed = true;
      return;
    default:
      return;
  }
}

void History::packed(const Event& event, ObjectRecord& object) {
  if (object.owner != event.at || object.in_transit || object.destroyed)
    return violate("M5", "the object leaves a rank on which it does not live", event.object);
  if (!object.running.empty())  // coroutines that wait without access continue here
    return violate("M5", "the object is packed while a handler runs on it", event.object);
  object.in_transit = true;
  object.digest = digest_of(event);
}

void History::installed(const Event& event, ObjectRecord& object) {
  if (!object.in_transit || object.destroyed)
    return violate("M6", "a second copy of the object comes to life", event.object);
  if (event.version <= object.version)
    violate("M7", "the version of the object's place has not grown with its move", event.object);
  if (digest_of(event) != object.digest)
    violate("M5", "the object arrives in another state than it left in", event.object);
  object.in_transit = false;
  object.owner = event.at;
  object.version = event.version;
  ++totals_.migrations;
  // The rank that sent it learns this by the answer.
  const Rank home = event.object.home();
  if (home != event.at && home != event.other) debts_.push_back({event.at, home, event.object});
}

void History::refused(const Event& event, ObjectRecord& object) {
  if (!object.in_transit || object.owner != event.at)
    return violate("M6", "a second copy of the object comes to life", event.object);
  if (digest_of(event) != object.digest)
    violate("M6", "the object comes back in another state", event.object);
  object.in_transit = false;
  ++totals_.refused;
}

void History::verdict(const Event& event) {
  if (event.at != 0) return;  // other ranks hear of it later, when the next part may have begun
  if (under_way_ > 0)
    violate("M10", std::to_string(under_way_) + " calls are under way at the quiescence found", {});
  if (event.kind == Kind::quiescent && at_quiescence_ && !violation_) at_quiescence_();
}

void History::check_end() {
  if (!debts_.empty()) {
    const Debt& debt = debts_.front();
    violate("M7",
            "rank " + std::to_string(debt.at.value()) + " never told rank " +
                std::to_string(debt.to.value()) + " where the object is",
            debt.object);
  }
  for (const auto& there : objects_) {
    for (const ObjectRecord& object : there) check_ended(object);
  }
}

void History::check_ended(const ObjectRecord& object) {
  for (std::size_t origin = 0; origin < object.calls.size(); ++origin) {
    for (const std::vector<CallRecord*>& series : object.calls[origin].series) {
      for (std::size_t n = 0; n < series.size(); ++n) {
        const CallRecord* const call = series[n];
        if (call == nullptr || call->state >= CallState::ended || call->external) continue;
        violate("M2",
                "call " + std::to_string(origin) + "/" + std::to_string(n) +
                    " was issued and never ended",
                object.id);
      }
    }
  }
}

}  // namespace roam::testing
