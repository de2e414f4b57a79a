// SPDX-License-Identifier: Apache-2.0
// Migration as a two-phase hand-over (M5, M6): the source freezes and packs the object and keeps
// everything until the target has answered; calls that arrive meanwhile wait at the source and
// follow the object.
#include <memory>
#include <mutex>
#include <new>

#include "destroy_call.hpp"
#include "lent_objects.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
Error no_such_rank(ObjectId id, Rank target, std::int32_t ranks) {
  return Error("cannot migrate object " + to_string(id) + " to rank " +
               std::to_string(target.value()) + "; the job has ranks 0 to " +
               std::to_string(ranks - 1));
}
}  // namespace

void ObjectSpace::migrate(ObjectId id, Rank target) {
  if (target.value() < 0 || target.value() >= messenger_.size())
    throw no_such_rank(id, target, messenger_.size());
  route_migrate(id, target, 0, am::EpochWork::begin(messenger_));
}

Task<> ObjectSpace::migrate_and_wait(ObjectId id, Rank target) {
  if (target.value() < 0 || target.value() >= messenger_.size())
    throw no_such_rank(id, target, messenger_.size());
  const std::uint64_t holder = new_holder();
  auto held = hold(id, target, holder);
  co_await held;
  post_release(target, holder);
}

// The request's work for its epoch ends here, or goes on as the move's.
void ObjectSpace::route_migrate(ObjectId id, Rank target, std::uint16_t hops,
                                const am::EpochWork& work) {
  const std::uint64_t epoch = work.epoch();
  Shard& shard = directory_.shard(id);
  Rank location;
  Resident* leaves = nullptr;
  exec::ReadyItem* ready = nullptr;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = entry_for_sending(shard, id);
    if (entry == nullptr) return;  // gone
    location = entry->location();
    if (Resident* resident = entry->resident();
        resident != nullptr && !engine().is_ahead_of_time()) {
      location = no_rank;
      if (target != rank() || resident->state == Resident::State::in_transit)
        begin_move(*resident, epoch);
      if (resident->state == Resident::State::in_transit) {
        resident->uncommon().next_target = target;
      } else if (target == rank()) {
        resident->state = Resident::State::settled;
        ready = startable(*resident);  // what waited for it to leave
        static_cast<void>(end_moves(*resident, false));
      } else {
        resident->uncommon().target = target;
        resident->state = Resident::State::departing;
        if (!resident->is_bound()) {
          begin_transit(*resident);
          leaves = resident;
        }
      }
    }
  }
  engine().preemption_point();
  push_if(ready);
  if (leaves != nullptr) transfer(*leaves);
  if (location == no_rank) return;
  if (location == rank() && !engine().is_ahead_of_time()) location = id.home();
  if (location == rank() && !engine().is_ahead_of_time()) return;
  if (hops >= options_.max_hops && id.home() != rank()) location = id.home(), hops = 0;
  core::Packer packer = messenger_.begin();
  core::pack(packer, id.value(), target.value(), static_cast<std::uint16_t>(hops + 1), epoch);
  messenger_.post(location, am::constant_handler_id("roam.migrate"), std::move(packer), true);
  if (epoch != 0) messenger_.epochs().sent(epoch, location);
}

void ObjectSpace::on_migrate(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const Rank target(core::unpack<std::int32_t>(bytes));
  const auto hops = core::unpack<std::uint16_t>(bytes);
  const auto epoch = core::unpack<std::uint64_t>(bytes);
  if (target.value() < 0 || target.value() >= space.messenger_.size() ||
      id.home().value() >= space.messenger_.size()) {
    throw MalformedMessage("migration to or of nothing");
  }
  space.route_migrate(id, target, hops,
                      am::EpochWork::arrived(space.messenger_, epoch, "migration"));
}

bool ObjectSpace::migrate_idle(ObjectId id, Rank target) {
  Resident* const resident = begin_idle_transit(id, target);
  if (resident == nullptr) return false;
  engine().preemption_point();
  transfer(*resident);
  return true;
}

// nullptr: it is not here, or not idle. Else transfer() follows, alone or together with others.
Resident* ObjectSpace::begin_idle_transit(ObjectId id, Rank target) {
  Shard& shard = directory_.shard(id);
  const std::lock_guard guard(shard.lock);
  const Directory::Entry* entry = shard.find(id);
  Resident* const resident = entry == nullptr ? nullptr : entry->resident();
  if (resident == nullptr || resident->state != Resident::State::settled || resident->is_bound() ||
      target == rank()) {
    return nullptr;
  }
  resident->uncommon().target = target;
  begin_transit(*resident);
  return resident;
}

// Under the shard's lock. From here on arriving calls wait with their sequence unchecked; those
// already in the inbox were checked and go with the object. Both must change at once: a call that
// came between would be packed without having been counted, and its successors would wait for it
// for ever. transfer() follows, which the reference is for.
void ObjectSpace::begin_transit(Resident& resident) {
  resident.state = Resident::State::in_transit;
  resident.uncommon().leaving.append(std::move(resident.inbox));
  resident.tell(listener_, LoadListener::Change::left);
  resident.add_reference();
}

namespace {

/// Lends an array that is a member of the object: nothing changes it before the target has
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

// The resident is in transit: nobody else touches its object, record, sequence state or (detached)
// calls.
void ObjectSpace::transfer(Resident& resident) {
  core::Packer packer = messenger_.begin(resident.type.object_bytes() + 256);
  MemberLender lender(*lent_, resident);
  core::ArrayOutlet outlet{messenger_.longest_message_bytes(), &messenger_.large_memory(),
                           messenger_.gives_back_what_is_sent() ? &lender : nullptr};
  if (!pack_to_leave(packer, &outlet, resident)) return;
  resident.record.packed_bytes = packer.size() + outlet.attachment.data.size();
  resident.uncommon().message_objects = 1;
  resident.uncommon().message_bytes = resident.record.packed_bytes;
  count_leaving(resident, 1);
  engine().preemption_point();
  messenger_.post_with(std::move(outlet.attachment), resident.uncommon().target,
                       am::constant_handler_id("roam.install"), std::move(packer), true);
  resident.release();
}

// False: it cannot be packed, and stays; the reference of begin_transit() is released.
bool ObjectSpace::pack_to_leave(core::Packer& packer, core::ArrayOutlet* outlet,
                                Resident& resident) {
  resident.uncommon().departed = engine().now();
  if (observer_ != nullptr) observe(Step::packed, resident, resident.uncommon().target);
  std::string problem;
  try {
    pack_resident(packer, outlet, resident);
  } catch (...) {
    problem = words_of(std::current_exception());
  }
  if (problem.empty()) return true;
  undo_migration(resident.id, resident.version, {"packing failed: " + problem, true});
  engine().report_error("rank " + std::to_string(rank().value()) + ", object " +
                        to_string(resident.id) + " cannot be packed: " + problem);
  resident.release();
  return false;
}

void ObjectSpace::pack_call(core::Packer& packer, const Call& call) const {
  call.header().write(packer);
  const std::uint64_t placeholder = 0;
  const std::size_t at = packer.size();
  packer.write(&placeholder, sizeof placeholder);
  call.pack_arguments(packer);
  const std::uint64_t length = packer.size() - at - sizeof placeholder;
  std::memcpy(packer.buffer().data() + at, &length, sizeof length);
}

Call* ObjectSpace::unpack_call(core::Unpacker& bytes, const Resident& object) {
  const CallHeader header = CallHeader::read(bytes);
  const auto length = core::unpack<std::uint64_t>(bytes);
  const auto arguments = bytes.view(static_cast<std::size_t>(length));
  const Method& method = check(header);
  if (header.object != object.id.value()) throw MalformedMessage("call of another object");
  if (method.type() != nullptr && method.type() != &object.type)
    throw MalformedMessage("method of another class");
  core::Buffer copy = core::Buffer::allocate(arguments.size());
  copy.append(arguments.data(), arguments.size());
  return method.from_wire()(*this, method, header, std::move(copy), 0, {});
}

// The outlet, if any, is for an array of the object's, which its rank is to keep where it will have
// arrived.
void ObjectSpace::pack_resident(core::Packer& packer, core::ArrayOutlet* outlet,
                                Resident& resident) const {
  const Resident::Uncommon& uncommon = resident.uncommon();
  std::uint64_t calls = 0;
  for (const Call* call = uncommon.leaving.first; call != nullptr; call = call->next) ++calls;
  core::pack(packer, resident.id.value(), resident.version + 1, resident.type.id(), resident.record,
             resident.expected.all(), calls);
  for (const Call* call = uncommon.leaving.first; call != nullptr; call = call->next)
    pack_call(packer, *call);
  core::pack(packer, static_cast<std::uint64_t>(uncommon.early.size()));
  for (const auto& [key, call] : uncommon.early) pack_call(packer, *call);
  packer.set_outlet(outlet);
  resident.type.functions().pack(packer, resident.object);
  packer.set_outlet(nullptr);
  if (outlet != nullptr) outlet->attachment.bytes_behind = packer.size() - outlet->place;
}

Resident* ObjectSpace::unpack_resident(core::Unpacker& bytes, ObjectId id) {
  const auto type_id = core::unpack<std::uint64_t>(bytes);
  const ObjectType* type = ObjectType::find(type_id);
  if (type == nullptr) throw MalformedMessage("object of an unknown class");
  auto resident = std::make_unique<Resident>(*this, id, *type, nullptr);
  resident->record = core::unpack<Record>(bytes);
  const auto expected = core::unpack<std::vector<ExpectedSequences::Expected>>(bytes);
  for (const auto& caller : expected) {
    if (caller.origin < 0 || caller.origin >= messenger_.size())
      throw MalformedMessage("caller out of range");
  }
  resident->expected.set(expected);
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls)
    resident->take_arrived(unpack_call(bytes, *resident));
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls) {
    std::unique_ptr<Call> call(unpack_call(bytes, *resident));
    const std::pair key(call->header().origin, call->header().sequence);
    if (!resident->uncommon().early.emplace(key, call.get()).second)
      throw MalformedMessage("a call set aside twice");
    static_cast<void>(call.release());
  }
  resident->object = type->functions().unpack(bytes);
  if (bytes.has_attachment()) throw MalformedMessage("an array that is none of the object's");
  return resident.release();
}

void ObjectSpace::on_install(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  bytes.set_attachment(&message.attachment);
  const std::uint64_t size = message.buffer.size() + message.attachment.data.size();
  bool is_malformed = false;
  const Arrival arrival = space.take_in_object(bytes, message.source, size, is_malformed);
  space.engine().preemption_point();
  core::Packer packer = space.messenger_.begin();
  core::pack(packer, arrival);
  space.messenger_.post(message.source, am::constant_handler_id("roam.installed"),
                        std::move(packer), true);
  if (is_malformed) throw MalformedMessage("arrival of an object that does not decode");
}

// An object refused is malformed if its bytes do not decode.
ObjectSpace::Arrival ObjectSpace::take_in_object(core::Unpacker& bytes, Rank source,
                                                 std::uint64_t size, bool& is_malformed) {
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const auto version = core::unpack<std::uint32_t>(bytes);
  if (!id || id.home().value() >= messenger_.size())
    throw MalformedMessage("arrival of an object that cannot be");
  Refusal refusal;
  Resident* resident = nullptr;
  try {
    if (admission_) refusal.reason = admission_(id, size);
    if (refusal.reason.empty()) resident = unpack_resident(bytes, id);
  } catch (const MalformedMessage& error) {
    refusal = {std::string("unpacking failed: ") + error.what(), true};
    is_malformed = true;
  } catch (const std::bad_alloc&) {  // there may be room another time
    refusal.reason = "unpacking failed: out of memory";
  } catch (...) {
    refusal = {"unpacking failed: " + words_of(std::current_exception()), true};
  }
  if (resident != nullptr) {
    resident->version = version;
    install(resident, source, size);
  }
  return {id.value(), version, std::move(refusal)};
}

void ObjectSpace::install(Resident* resident, Rank source, std::uint64_t bytes) {
  std::unique_ptr<Resident> arrived(resident);
  const ObjectId id = resident->id;
  const std::uint32_t version = resident->version;
  Resident* former = nullptr;
  exec::ReadyItem* ready = nullptr;
  std::vector<Rank> told;
  resident->record.last_move_ns = engine().now().count();
  resident->record.packed_bytes = bytes;
  ++resident->record.moves;
  Shard& shard = directory_.shard(id);
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* known = shard.find(id);
    // It may be back before the rank it went to has answered us: its arrival is the answer.
    former = known != nullptr ? known->resident() : nullptr;
    if (former != nullptr &&
        (former->state != Resident::State::in_transit || version <= former->version))
      throw MalformedMessage("arrival of an object that lives here");
    Directory::Entry& entry = known != nullptr ? *known : new_entry(shard, id);
    static_cast<void>(arrived.release());
    take_in_arrived(*resident);
    resident->next_sequence = former != nullptr ? former->next_sequence : entry.next_sequence();
    entry.set_resident(resident);
    entry.set_place(rank(), resident->version);
    if (observer_ != nullptr) observe(Step::installed, *resident, source);
    early_count_.fetch_add(resident->early_count(), std::memory_order_release);
    resident->tell(listener_, LoadListener::Change::arrived);
    if (former != nullptr) {
      former->state = Resident::State::gone;
      while (!former->inbox.empty()) take(*resident, former->inbox.pop());
    }
    ready = startable(*resident);
    told = ranks_to_tell(*resident, source);
  }
  engine().preemption_point();
  counters_.in.fetch_add(1, std::memory_order_relaxed);
  resident_count_.fetch_add(1, std::memory_order_relaxed);
  push_if(ready);
  engine().preemption_point();
  for (const Rank other : told) send_location(other, id, version);
  if (former != nullptr) end_passage(*former, rank());
}

// Who learns of an arrival: the home in any case, unless it has sent the object and will see our
// answer.
std::vector<Rank> ObjectSpace::ranks_to_tell(const Resident& resident, Rank source) const {
  std::vector<Rank> told;
  const Rank home = resident.id.home();
  if (home != rank() && home != source) told.push_back(home);
  if (options_.location_policy != LocationPolicy::eager) return told;
  for (const auto& caller : resident.expected.all()) {
    const Rank origin(caller.origin);
    if (origin != rank() && origin != source && origin != home) told.push_back(origin);
  }
  return told;
}

// What the source kept of an object that is now elsewhere.
void ObjectSpace::end_passage(Resident& former, Rank place) {
  const Rank next_target = former.uncommon().next_target;
  const ObjectId id = former.id;
  report_migration(outcome_of(former, true));
  forget_left_calls(former);
  const bool moves_on = next_target != no_rank && next_target != place;
  const std::uint64_t epoch = end_moves(former, moves_on);
  leave_directory(former);
  if (moves_on) route_migrate(id, next_target, 0, {messenger_, epoch});
}

void ObjectSpace::on_installed(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  space.end_hand_over(core::unpack<Arrival>(bytes), message.source);
}

void ObjectSpace::end_hand_over(const Arrival& arrival, Rank target) {
  const ObjectId id(arrival.id);
  if (arrival.refusal.reason.empty()) {
    complete_migration(id, target, arrival.version);
  } else {
    undo_migration(id, arrival.version - 1, arrival.refusal);
  }
}

void ObjectSpace::complete_migration(ObjectId id, Rank from, std::uint32_t version) {
  Shard& shard = directory_.shard(id);
  Resident* resident = nullptr;
  CallQueue followers;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    resident = entry == nullptr ? nullptr : entry->resident();
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        version <= resident->version) {
      return;  // it has been back here since, or later news came first
    }
    if (observer_ != nullptr) observe(Step::learned, id, from, version, entry->version());
    followers.append(let_leave(*entry, {from, version}));
  }
  engine().preemption_point();
  follow(*resident, std::move(followers), from);
}

// Under the shard's lock. Returns the calls that came since it was packed.
CallQueue ObjectSpace::let_leave(Directory::Entry& entry, const Place& place) {
  Resident& resident = *entry.resident();
  entry.clear_resident(resident.next_sequence);
  entry.set_place(place.rank, place.version);
  resident.state = Resident::State::gone;
  CallQueue followers;
  followers.append(std::move(resident.inbox));
  return followers;
}

void ObjectSpace::follow(Resident& former, CallQueue&& followers, Rank place) {
  while (!followers.empty()) send_on(followers.pop(), place);
  engine().preemption_point();
  end_passage(former, place);
}

void ObjectSpace::forget_left_calls(Resident& resident) {
  Resident::Uncommon& uncommon = resident.uncommon();
  while (!uncommon.leaving.empty()) delete uncommon.leaving.pop();
  early_count_.fetch_sub(uncommon.early.size(), std::memory_order_release);
  for (auto& [key, call] : uncommon.early) delete call;
  uncommon.early.clear();
  resident_count_.fetch_sub(1, std::memory_order_relaxed);
}

void ObjectSpace::undo_migration(ObjectId id, std::uint32_t version, const Refusal& refusal) {
  Shard& shard = directory_.shard(id);
  Resident* resident = nullptr;
  exec::ReadyItem* ready = nullptr;
  MigrationOutcome outcome;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    resident = entry == nullptr ? nullptr : entry->resident();
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        resident->version != version)
      return;
    outcome = outcome_of(*resident, false);
    if (observer_ != nullptr) observe(Step::refused, *resident, resident->uncommon().target);
    count_leaving(*resident, -1);
    CallQueue later;
    later.append(std::move(resident->inbox));
    resident->inbox.append(std::move(resident->uncommon().leaving));
    resident->state = Resident::State::settled;
    resident->uncommon().next_target = no_rank;
    resident->uncommon().refusal = refusal.is_for_good ? refusal.reason : std::string();
    resident->tell(listener_, LoadListener::Change::arrived);
    while (!later.empty()) take(*resident, later.pop());
    ready = startable(*resident);
    static_cast<void>(end_moves(*resident, false));
    resident->add_reference();
  }
  engine().preemption_point();
  outcome.refusal = refusal.reason;
  outcome.is_for_good = refusal.is_for_good;
  report_migration(outcome);
  push_if(ready);
  resident->release();
}

MigrationOutcome ObjectSpace::outcome_of(Resident& resident, bool moved) const {
  const Resident::Uncommon& uncommon = resident.uncommon();
  return {resident.id,
          uncommon.target,
          moved,
          resident.record.packed_bytes,
          engine().now() - uncommon.departed,
          uncommon.message_objects,
          uncommon.message_bytes,
          {},
          false,
          resident.type.name()};
}

void ObjectSpace::report_migration(const MigrationOutcome& outcome) {
  (outcome.moved ? counters_.out : counters_.refused).fetch_add(1, std::memory_order_relaxed);
  if (outcome.moved && observer_ != nullptr) observe(Step::left, outcome.object, outcome.target, 0);
  if (outcome.moved) counters_.bytes_out.fetch_add(outcome.bytes, std::memory_order_relaxed);
  for (const auto& listener : migration_listeners_) listener(outcome);
}

void ObjectSpace::send_on(Call* call, Rank to) {
  const std::unique_ptr<Call> sent(call);
  CallHeader header = call->header();
  ++header.hops;
  if (observer_ != nullptr) observe(Step::forwarded, header, to);
  counters_.forwarded.fetch_add(1, std::memory_order_relaxed);
  core::Packer packer = messenger_.begin(sizeof header);
  header.write(packer);
  try {
    call->pack_arguments(packer);
  } catch (...) {  // the others go on without it (M3)
    const std::string problem = "rank " + std::to_string(rank().value()) + ", " + call->describe() +
                                " cannot be packed: " + words_of(std::current_exception());
    if (const am::ReplyTo to_whom = header.reply_to()) {
      messenger_.answer_failure(to_whom, am::ReplyStatus::handler_failed, problem);
      header.reply_token = 0;
    } else {
      engine().report_error(problem);
    }
    return post_in_place_of(header, to);
  }
  messenger_.post(to, am::constant_handler_id("roam.call"), std::move(packer), true);
  if (header.epoch != 0) messenger_.epochs().sent(header.epoch, to);
}

void ObjectSpace::send_location(Rank to, ObjectId id, std::uint32_t version) {
  if (observer_ != nullptr) observe(Step::told, id, to, version);
  core::Packer packer = messenger_.begin();
  core::pack(packer, id.value(), version);
  messenger_.post(to, am::constant_handler_id("roam.location"), std::move(packer), false);
  counters_.updates.fetch_add(1, std::memory_order_relaxed);
}

void ObjectSpace::on_location(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  space.learn_location(id, message.source, core::unpack<std::uint32_t>(bytes));
}

void ObjectSpace::learn_location(ObjectId id, Rank location, std::uint32_t version) {
  Shard& shard = directory_.shard(id);
  Resident* left = nullptr;
  CallQueue followers;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    if (observer_ != nullptr && entry != nullptr) observe(Step::heard, id, location, version);
    if (entry == nullptr || version <= entry->version()) return;  // stale
    if (observer_ != nullptr) observe(Step::learned, id, location, version, entry->version());
    left = entry->resident();
    if (left == nullptr) return entry->set_place(location, version);
    // It left here and has moved on since, before the rank it first went to could answer: the news
    // is the answer. (Dropping it would leave this rank, perhaps the home, with an old place for
    // good.)
    if (left->state != Resident::State::in_transit)
      throw MalformedMessage("news of an object that lives here");
    followers.append(let_leave(*entry, {location, version}));
  }
  engine().preemption_point();
  follow(*left, std::move(followers), location);
}

}  // namespace roam::mobile
