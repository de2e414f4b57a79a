// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/resident.hpp"

#include <algorithm>

#include "hold_call.hpp"
#include "move_state.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

static_assert(sizeof(Resident) <= 216, "ten million of them have to fit");

namespace {
auto place_in(std::vector<ExpectedSequences::Expected>& all, std::int32_t origin) {
  return std::lower_bound(all.begin(), all.end(), origin,
                          [](const auto& entry, std::int32_t rank) { return entry.origin < rank; });
}
}  // namespace

std::uint32_t& ExpectedSequences::other(std::int32_t origin) {
  if (first_.origin < 0 && !others_) {
    first_.origin = origin;
    return first_.next;
  }
  if (!others_) others_ = std::make_unique<std::vector<Expected>>();
  const auto place = place_in(*others_, origin);
  if (place != others_->end() && place->origin == origin) return place->next;
  return others_->insert(place, {origin, 0})->next;
}

void ExpectedSequences::forget(std::int32_t origin) {
  if (first_.origin == origin) {
    first_ = {};
    if (!others_ || others_->empty()) return;
    first_ = others_->back();
    others_->pop_back();
  } else if (others_) {
    const auto place = place_in(*others_, origin);
    if (place != others_->end() && place->origin == origin) others_->erase(place);
  }
  if (others_ && others_->empty()) others_.reset();
}

std::vector<ExpectedSequences::Expected> ExpectedSequences::all() const {
  std::vector<Expected> all;
  if (others_) all = *others_;
  if (first_.origin >= 0) all.push_back(first_);
  return all;
}

void ExpectedSequences::set(const std::vector<Expected>& all) {
  *this = {};
  for (const Expected& entry : all) of(entry.origin) = entry.next;
}

// On an object that is going to depart, a coroutine that has begun goes on. As long as a coroutine
// without access binds the object to this rank, calls start, too, because it may wait for one of
// them; except calls that only bring the object elsewhere.
bool Resident::can_start_unsettled() const {
  if (state != State::departing) return false;
  if (inbox.first->header().has(CallHeader::regains_access)) return true;
  return suspended > 0 && &inbox.first->method() != &HoldCall::descriptor();
}

Resident::RareState::RareState() = default;

Resident::RareState::~RareState() {
  for (auto& [key, call] : early) delete call;
}

Resident::~Resident() {
  while (!inbox.empty()) delete inbox.pop();
  if (object != nullptr) type.functions().destroy(object);
}

void Resident::run(exec::Context& context) { space.runs().run(*this, context, false); }
void Resident::run_boosted(exec::Context& context) { space.runs().run(*this, context, true); }

}  // namespace roam::mobile
