// SPDX-License-Identifier: Apache-2.0
#include "migrations.hpp"

#include "lent_objects.hpp"
#include "move_state.hpp"
#include "rare_state.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

using Step = ProtocolWatch::Step;

Migrations::Migrations(Residents& residents, ObjectPacking& packing)
    : residents_(residents),
      packing_(packing),
      lent_(std::make_shared<LentObjects>(residents.messenger())) {
  residents_.messenger().bind<&Migrations::on_installed>(*this);
}

Migrations::~Migrations() = default;

void Migrations::close_lent() { lent_->close(); }

void Migrations::add_to(ObjectSpaceStats& stats) const {
  stats.migrations_out = moved_.load(std::memory_order_relaxed);
  stats.migrations_refused = refused_.load(std::memory_order_relaxed);
  stats.migrated_bytes_out = moved_bytes_.load(std::memory_order_relaxed);
}

Migrations::Ask Migrations::ask(Resident& resident, Rank target, std::uint64_t epoch) {
  Ask effects;
  const bool is_under_way = resident.state == Resident::State::in_transit;
  if (target != residents_.rank() || is_under_way)
    MoveState::begin_for(residents_.messenger().epochs(), resident, epoch);
  if (is_under_way) {
    MoveState::of(resident).next_target = target;
  } else if (target == residents_.rank()) {
    resident.state = Resident::State::settled;
    effects.ready = residents_.startable(resident);  // calls that waited for it to leave
    end_moves(resident);
  } else {
    MoveState::of(resident).target = target;
    resident.state = Resident::State::departing;
    if (!resident.is_bound()) effects.departs = &begin_transit(resident);
  }
  return effects;
}

effect::Departure Migrations::bring(Resident& resident, Rank target) {
  MoveState& move = MoveState::of(resident);
  if (resident.state == Resident::State::departing) move.next_target = move.target;
  move.target = target;
  resident.state = Resident::State::departing;
  return {resident.is_bound() ? nullptr : &begin_transit(resident)};
}

// State and inbox must change in one step: a call that arrived in between would be packed without
// having been counted, and its successors would wait for it for ever. The reference is for
// hand_over().
Resident& Migrations::begin_transit(Resident& resident) {
  resident.state = Resident::State::in_transit;
  MoveState::of(resident).leaving.append(std::move(resident.inbox));
  residents_.tell(resident, LoadListener::Change::left);
  resident.add_reference();
  return resident;
}

Resident* Migrations::begin_idle_transit(ObjectId id, Rank target) {
  Directory::Shard& shard = residents_.shard(id);
  const ShardLock lock(shard);
  Resident* const resident = shard.resident(id);
  if (resident == nullptr || resident->state != Resident::State::settled || resident->is_bound() ||
      target == residents_.rank()) {
    return nullptr;
  }
  MoveState::of(*resident).target = target;
  return &begin_transit(*resident);
}

Migrations::Left Migrations::let_leave(Directory::Entry& entry, const Place& place) {
  Resident& resident = *entry.resident();
  entry.clear_resident(resident.next_sequence);
  entry.set_place(place.rank, place.version);
  resident.state = Resident::State::gone;
  Left effects;
  effects.followers.append(std::move(resident.inbox));
  effects.followed_to = place.rank;
  effects.former = &resident;
  effects.former_to = place.rank;
  return effects;
}

CallQueue Migrations::let_end(Resident& resident) {
  resident.state = Resident::State::gone;
  MoveState::of(resident).next_target = no_rank;  // it does not move on
  CallQueue orphans;
  orphans.append(std::move(resident.inbox));
  return orphans;
}

Rank Migrations::target_of(Resident& resident) { return MoveState::of(resident).target; }

std::string Migrations::refusal_of(Resident& resident) const {
  const ShardLock lock(residents_.shard(resident.id));
  const MoveState* const move = MoveState::of_or_none(resident);
  return move == nullptr ? std::string() : move->refusal;
}

void Migrations::end_moves(Resident& resident) {
  static_cast<void>(MoveState::end_all(residents_.messenger().epochs(), resident, false));
}

namespace {

/// Lends an array that is a member of the object. Nothing changes it before the target has
/// answered, and then the target has all of it.
class MemberLender final : public core::ArrayLender {
 public:
  MemberLender(LentObjects& lent, Resident& resident) : lent_(lent), resident_(resident) {}
  core::Buffer lend(const void* array, std::span<const std::byte> elements) override {
    const auto object = reinterpret_cast<std::uintptr_t>(resident_.object);
    const auto member = reinterpret_cast<std::uintptr_t>(array);
    if (member < object || member >= object + resident_.type.object_bytes()) return {};
    return lent_.lend(resident_, elements);
  }

 private:
  LentObjects& lent_;
  Resident& resident_;
};

}  // namespace

void Migrations::hand_over(Resident& resident) {
  am::Messenger& messenger = residents_.messenger();
  if (changes_hands(resident) && hand_over_state(resident)) return;
  auto message = messenger.begin(head_of(resident), resident.type.object_bytes() + 256);
  MemberLender lender(*lent_, resident);
  core::ArrayOutlet outlet{messenger.longest_message_bytes(), &messenger.large_memory(),
                           messenger.gives_back_what_is_sent() ? &lender : nullptr};
  if (!pack_to_leave(message.packer(), &outlet, resident)) return;
  note_packed(resident, message.packer().size() + outlet.attachment.data.size(), 1);
  residents_.engine().preemption_point();
  messenger.post_with(std::move(outlet.attachment), destination_of(resident), std::move(message));
  resident.release();
}

bool Migrations::changes_hands(const Resident& resident) const {
  return resident.type.functions().moves_by_pointer && residents_.messenger().shares_memory();
}

bool Migrations::hand_over_state(Resident& resident) {
  inside_shard.assert_held();  // in transit
  auto message = residents_.messenger().begin(head_of(resident));
  core::Packer& packer = message.packer();
  try {
    packing_.pack_without_state(packer, resident);
  } catch (...) {
    return false;  // a call's arguments: this is reported when the object is packed
  }
  // With more calls than this the message would be sent whole, with its attachment copied into it.
  if (packer.size() > residents_.messenger().longest_message_bytes() / 2) return false;
  note_departure(resident);
  note_packed(resident, packer.size() + resident.type.object_bytes(), 1);
  auto handed = std::make_shared<HandedObject>(resident.type, resident.object);
  resident.object = nullptr;
  MoveState::of(resident).handed = handed;
  core::Attachment attachment{HandedObject::buffer_for(std::move(handed)), 0};
  residents_.engine().preemption_point();
  residents_.messenger().post_with(std::move(attachment), destination_of(resident),
                                   std::move(message));
  resident.release();
  return true;
}

void Migrations::note_departure(Resident& resident) {
  inside_shard.assert_held();  // in transit
  MoveState& move = MoveState::of(resident);
  move.departed = residents_.engine().now();
  residents_.watch().saw(Step::packed, resident, move.target);
}

std::uint32_t Migrations::version_of(const Resident& resident) {
  inside_shard.assert_held();  // in transit
  return resident.version;
}

Install Migrations::head_of(const Resident& resident) {
  return {resident.id, version_of(resident) + 1};
}

bool Migrations::pack_to_leave(core::Packer& packer, core::ArrayOutlet* outlet,
                               Resident& resident) {
  note_departure(resident);
  std::string problem;
  try {
    packing_.pack(packer, outlet, resident);
  } catch (...) {
    problem = words_of(std::current_exception());
  }
  if (problem.empty()) return true;
  undo(resident.id, version_of(resident), {"packing failed: " + problem, true});
  residents_.engine().report_error("rank " + std::to_string(residents_.rank().value()) +
                                   ", object " + to_string(resident.id) +
                                   " cannot be packed: " + problem);
  resident.release();
  return false;
}

void Migrations::note_packed(Resident& resident, std::uint64_t bytes,
                             std::uint32_t message_objects) {
  inside_shard.assert_held();  // in transit
  resident.record.packed_bytes = bytes;
  MoveState& move = MoveState::of(resident);
  move.message_objects = message_objects;
  move.message_bytes = message_objects == 0 ? 0 : bytes;
  MoveState::count_leaving(residents_.messenger().epochs(), resident, 1);
}

void Migrations::note_message(Resident& first, std::uint32_t objects, std::uint64_t bytes) {
  inside_shard.assert_held();  // in transit
  MoveState& move = MoveState::of(first);
  move.message_objects = objects;
  move.message_bytes = bytes;
}

Rank Migrations::destination_of(Resident& packed) const {
  inside_shard.assert_held();  // in transit
  return MoveState::of(packed).target;
}

void Migrations::end_hand_over(const Arrival& arrival, Rank target) {
  const ObjectId id = arrival.object;
  if (arrival.refusal.reason.empty()) {
    complete(id, target, arrival.version);
  } else {
    undo(id, arrival.version - 1, arrival.refusal);
  }
}

void Migrations::complete(ObjectId id, Rank from, std::uint32_t version) {
  Directory::Shard& shard = residents_.shard(id);
  Left effects;
  {
    const ShardLock lock(shard);
    Directory::Entry* entry = shard.find(id);
    const Resident* const resident = entry == nullptr ? nullptr : entry->resident();
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        version <= resident->version) {
      return;  // the object has been back here since, or later news came first
    }
    residents_.watch().saw(Step::learned, id, from, version, entry->version());
    effects = let_leave(*entry, {from, version});
  }
  residents_.apply(std::move(effects));
}

// The object stays on this rank; calls that came meanwhile are put behind those that would have
// gone with it.
void Migrations::undo(ObjectId id, std::uint32_t version, const Refusal& refusal) {
  Directory::Shard& shard = residents_.shard(id);
  Effects<effect::RefusedMove, effect::Ready> effects;
  {
    const ShardLock lock(shard);
    Resident* const resident = shard.resident(id);
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        resident->version != version)
      return;
    effects.refused = outcome_of(*resident, false);
    effects.refused->refusal = refusal.reason;
    effects.refused->is_for_good = refusal.is_for_good;
    MoveState& move = MoveState::of(*resident);
    if (const auto handed = std::exchange(move.handed, nullptr))
      resident->object = handed->take();  // a rank that refuses it has not taken it
    residents_.watch().saw(Step::refused, *resident, move.target);
    MoveState::count_leaving(residents_.messenger().epochs(), *resident, -1);
    CallQueue later;
    later.append(std::move(resident->inbox));
    resident->inbox.append(std::move(move.leaving));
    resident->state = Resident::State::settled;
    move.next_target = no_rank;
    move.refusal = refusal.is_for_good ? refusal.reason : std::string();
    residents_.tell(*resident, LoadListener::Change::arrived);
    while (!later.empty()) residents_.take(*resident, later.pop());
    effects.ready = residents_.startable(*resident);
    end_moves(*resident);
  }
  residents_.apply(std::move(effects));
}

MigrationOutcome Migrations::outcome_of(Resident& resident, bool moved) const {
  const MoveState& move = MoveState::of(resident);
  return {resident.id,
          move.target,
          moved,
          resident.record.packed_bytes,
          residents_.engine().now() - move.departed,
          move.message_objects,
          move.message_bytes,
          {},
          false,
          resident.type.name()};
}

MigrationOutcome Migrations::outcome_of_left(Resident& former) const {
  inside_shard.assert_held();  // gone: only what is stored of it is left, and only here
  return outcome_of(former, true);
}

std::optional<Migrations::Onward> Migrations::give_up(Resident& former, Rank place) {
  inside_shard.assert_held();  // gone: only what is stored of it is left, and only here
  MoveState& move = MoveState::of(former);
  while (!move.leaving.empty()) delete move.leaving.pop();
  move.handed.reset();  // the target has its state
  auto& early = former.rare().early;
  residents_.count_early(-static_cast<std::ptrdiff_t>(early.size()));
  for (auto& [key, call] : early) delete call;
  early.clear();
  residents_.count_residents(-1);
  const bool moves_on = move.next_target != no_rank && move.next_target != place;
  const std::uint64_t epoch = MoveState::end_all(residents_.messenger().epochs(), former, moves_on);
  if (!moves_on) return std::nullopt;
  return Onward{move.next_target, epoch};
}

std::optional<Migrations::Onward> Migrations::end_passage(Resident& former, Rank place) {
  report(outcome_of_left(former));
  const std::optional<Onward> onward = give_up(former, place);
  leave_directory(former);
  return onward;
}

void Migrations::leave_directory(Resident& gone) {
  Effects<effect::LastUse> effects;
  {
    const ShardLock lock(residents_.shard(gone.id));
    if (gone.remove_user()) effects.unused = &gone;
  }
  residents_.apply(std::move(effects));
}

void Migrations::report(const MigrationOutcome& outcome) {
  if (outcome.moved) {
    residents_.watch().saw(Step::left, outcome.object, outcome.target, 0);
    moved_.fetch_add(1, std::memory_order_relaxed);
    moved_bytes_.fetch_add(outcome.bytes, std::memory_order_relaxed);
  } else {
    refused_.fetch_add(1, std::memory_order_relaxed);
  }
  for (const auto& listener : listeners_) listener(outcome);
}

}  // namespace roam::mobile
