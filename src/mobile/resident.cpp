// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/resident.hpp"

#include <algorithm>
#include <new>
#include <span>
#include <utility>

#include "hold_call.hpp"
#include "move_state.hpp"
#include "rare_state.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

static_assert(sizeof(Resident) <= 216, "ten million of them have to fit");

/// Sorted by rank, in one piece of memory with their number.
class ExpectedSequences::Others {
 public:
  using Handle = core::Owned<Others, ReleaseOthers>;
  /// With room for so many, of which there are none yet.
  [[nodiscard]] static Handle make(std::uint32_t capacity) {
    return Handle(::new (::operator new(sizeof(Others) + capacity * sizeof(Expected)))
                      Others(capacity));
  }
  [[nodiscard]] std::span<Expected> all() {
    return {std::launder(reinterpret_cast<Expected*>(this + 1)), count_};
  }
  [[nodiscard]] bool is_full() const { return count_ == capacity_; }
  [[nodiscard]] std::uint32_t capacity() const { return capacity_; }
  /// Unless it is full.
  Expected& insert(std::size_t place, const Expected& entry) {
    ::new (static_cast<void*>(reinterpret_cast<Expected*>(this + 1) + count_)) Expected;
    ++count_;
    const std::span<Expected> entries = all();
    std::move_backward(entries.begin() + static_cast<std::ptrdiff_t>(place), entries.end() - 1,
                       entries.end());
    return entries[place] = entry;
  }
  void erase(std::size_t place) {
    const std::span<Expected> entries = all();
    std::move(entries.begin() + static_cast<std::ptrdiff_t>(place) + 1, entries.end(),
              entries.begin() + static_cast<std::ptrdiff_t>(place));
    --count_;
  }

 private:
  explicit Others(std::uint32_t capacity) : capacity_(capacity) {}
  std::uint32_t count_ = 0;
  const std::uint32_t capacity_;
};

namespace {
std::size_t place_in(std::span<const ExpectedSequences::Expected> all, std::int32_t origin) {
  const auto place =
      std::ranges::lower_bound(all, origin, {}, &ExpectedSequences::Expected::origin);
  return static_cast<std::size_t>(place - all.begin());
}
}  // namespace

std::uint32_t& ExpectedSequences::other(std::int32_t origin) {
  if (first_.origin < 0 && !others_) {
    first_.origin = origin;
    return first_.next;
  }
  std::size_t place = 0;
  if (others_) {
    const std::span<Expected> all = others_->all();
    place = place_in(all, origin);
    if (place < all.size() && all[place].origin == origin) return all[place].next;
  }
  if (!others_ || others_->is_full()) grow();
  return others_->insert(place, {origin, 0}).next;
}

// To blocks of 24, 56, 120, ... bytes: with what the allocator needs, a power of two.
void ExpectedSequences::grow() {
  Others::Handle larger = Others::make(others_ ? 2 * others_->capacity() + 2 : 2);
  if (others_) {
    for (const Expected& entry : others_->all()) larger->insert(larger->all().size(), entry);
  }
  others_ = std::move(larger);
}

void ExpectedSequences::forget(std::int32_t origin) {
  if (first_.origin == origin) {
    first_ = {};
    if (!others_) return;
    first_ = others_->all().back();
    others_->erase(others_->all().size() - 1);
  } else if (others_) {
    const std::span<const Expected> all = others_->all();
    const std::size_t place = place_in(all, origin);
    if (place < all.size() && all[place].origin == origin) others_->erase(place);
  }
  if (others_ && others_->all().empty()) others_.reset();
}

std::vector<ExpectedSequences::Expected> ExpectedSequences::all() const {
  std::vector<Expected> all;
  if (others_) {
    const std::span<const Expected> others = others_->all();
    all.assign(others.begin(), others.end());
  }
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

Resident::Resident(ObjectSpace& owner, ObjectId object_id, const ObjectType& object_type,
                   void* data)
    : space(owner), id(object_id), type(object_type), object(data) {}

Resident::RareState::RareState() = default;

Resident::RareState::~RareState() {
  for (auto& [key, call] : early) delete call;
}

Resident::~Resident() {
  while (!inbox.empty()) delete inbox.pop();
  if (object != nullptr) type.functions().destroy(object);
}

Resident::RareState& Resident::rare() {
  if (!rare_) rare_ = core::make_owned<RareState>();
  return *rare_;
}

std::size_t Resident::early_count() const { return rare_ ? rare_->early.size() : 0; }

void Resident::run(exec::Context& context) { space.runs().run(*this, context, false); }
void Resident::run_boosted(exec::Context& context) { space.runs().run(*this, context, true); }

}  // namespace roam::mobile
