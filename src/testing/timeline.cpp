// SPDX-License-Identifier: Apache-2.0
#include "testing/timeline.hpp"

#include <cstdio>

#include "roam/exec/engine.hpp"

namespace roam::testing {

namespace {

using Event = mobile::ProtocolEvent;
using Kind = Event::Kind;

std::string name_of(Rank rank) { return "rank " + std::to_string(rank.value()); }

std::string where(Rank at) {
  const exec::Context* const context = exec::current();
  std::string text = name_of(at);
  if (context == nullptr) return text + ", outside";
  const exec::Engine& engine = *context->engine;
  if (context->slot < engine.workers()) return text + ", worker " + std::to_string(context->slot);
  return text + (context->slot == engine.communication_slot() ? ", arrival " : ", outside ");
}

std::string call_of(const Event& event) {
  std::string text =
      "call " + std::to_string(event.call->origin) + "/" + std::to_string(event.call->sequence);
  if (event.method != nullptr) text += " (" + std::string(event.method->name()) + ")";
  return text;
}

std::string version_of(const Event& event) {
  return " (version " + std::to_string(event.version) + ")";
}

std::string words(const Event& event) {
  switch (event.kind) {
    case Kind::created:
      return "created";
    case Kind::issued:
      return call_of(event) + " issued, " +
             (event.other == event.at ? std::string("the object is here")
                                      : "to " + name_of(event.other)) +
             version_of(event);
    case Kind::withdrawn:
      return call_of(event) + " withdrawn: its arguments could not be copied";
    case Kind::accepted:
      return call_of(event) + " in the inbox";
    case Kind::set_aside:
      return call_of(event) + " set aside: its turn has not come";
    case Kind::parked:
      return call_of(event) + " waits: the object is under way";
    case Kind::forwarded:
      return call_of(event) + " passed on to " + name_of(event.other);
    case Kind::started:
      return call_of(event) + " starts";
    case Kind::put_back:
      return call_of(event) + " goes with the object, first of all";
    case Kind::gave_up:
      return call_of(event) + " waits without access";
    case Kind::regained:
      return call_of(event) + " has access again";
    case Kind::forgot:
      return "forgotten";
    case Kind::ended:
      return call_of(event) + " ends";
    case Kind::dead:
      return call_of(event) + " finds no object";
    case Kind::packed:
      return "packed, goes to " + name_of(event.other) + version_of(event);
    case Kind::installed:
      return "arrives from " + name_of(event.other) + version_of(event);
    case Kind::refused:
      return "was refused by " + name_of(event.other) + ", lives on here";
    case Kind::left:
      return "has arrived at " + name_of(event.other) + ", gone from here";
    case Kind::destroyed:
      return "destroyed";
    case Kind::told:
      return "tells " + name_of(event.other) + " that it is here" + version_of(event);
    case Kind::heard:
      return "hears that it is at " + name_of(event.other) + version_of(event);
    case Kind::learned:
      return "takes note: it is at " + name_of(event.other) + version_of(event);
    case Kind::quiescent:
      return "quiescence";
    case Kind::finished:
      return "end of the job";
  }
  return {};
}

}  // namespace

void Timeline::add(const Event& event) {
  std::string text = where(event.at);
  text.resize(std::max<std::size_t>(text.size(), 18), ' ');
  if (event.object) text += "object " + to_string(event.object) + ": ";
  entries_.push_back({clock_->now(), event.object, text + words(event)});
}

void Timeline::add(const std::string& text, ObjectId object) {
  entries_.push_back({clock_->now(), object, "* " + text});
}

std::vector<std::string> Timeline::lines(ObjectId object, std::size_t most) const {
  std::vector<std::string> lines;
  for (const Entry& entry : entries_) {
    if (object && entry.object && entry.object != object) continue;
    char time[32];
    std::snprintf(time, sizeof time, "%12.3f us  ", static_cast<double>(entry.when.count()) / 1e3);
    lines.push_back(time + entry.text);
  }
  if (lines.size() > most) {
    const std::size_t left_out = lines.size() - most;
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(most));
    lines.insert(lines.begin(), "(" + std::to_string(left_out) + " earlier lines left out)");
  }
  return lines;
}

}  // namespace roam::testing
