// SPDX-License-Identifier: Apache-2.0
// Migration as a two-phase hand-over (M5, M6): the source freezes and packs the object and keeps
// everything until the target has answered; calls that arrive meanwhile wait at the source and
// follow the object.
#include <mutex>

#include "destroy_call.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

void ObjectSpace::migrate(ObjectId id, Rank target) {
  if (target.value() < 0 || target.value() >= messenger_.size()) {
    throw Error("cannot migrate object " + to_string(id) + " to rank " +
                std::to_string(target.value()) + "; the job has ranks 0 to " +
                std::to_string(messenger_.size() - 1));
  }
  route_migrate(id, target, 0);
}

void ObjectSpace::route_migrate(ObjectId id, Rank target, std::uint16_t hops) {
  Shard& shard = directory_.shard(id);
  Rank location;
  Resident* leaves = nullptr;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = entry_for_sending(shard, id);
    if (entry == nullptr) return;  // gone
    location = entry->location;
    if (Resident* resident = entry->resident; resident != nullptr && !engine().is_ahead_of_time()) {
      location = no_rank;
      if (resident->state == Resident::State::in_transit) {
        resident->next_target = target;
      } else if (target == rank()) {
        resident->state = Resident::State::settled;
      } else {
        resident->target = target;
        resident->state = Resident::State::departing;
        if (!resident->is_running()) {
          begin_transit(*resident);
          leaves = resident;
          leaves->add_reference();
        }
      }
    }
  }
  engine().preemption_point();
  if (leaves != nullptr) {
    transfer(*leaves);
    leaves->release();
  }
  if (location == no_rank) return;
  if (location == rank() && !engine().is_ahead_of_time()) location = id.home();
  if (location == rank() && !engine().is_ahead_of_time()) return;
  if (hops >= options_.max_hops && id.home() != rank()) location = id.home(), hops = 0;
  core::Packer packer = messenger_.begin();
  core::pack(packer, id.value(), target.value(), static_cast<std::uint16_t>(hops + 1));
  messenger_.post(location, am::constant_handler_id("roam.migrate"), std::move(packer), true);
}

void ObjectSpace::on_migrate(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const Rank target(core::unpack<std::int32_t>(bytes));
  const auto hops = core::unpack<std::uint16_t>(bytes);
  if (target.value() < 0 || target.value() >= space.messenger_.size() ||
      id.home().value() >= space.messenger_.size()) {
    throw MalformedMessage("migration to or of nothing");
  }
  space.route_migrate(id, target, hops);
}

bool ObjectSpace::migrate_idle(ObjectId id, Rank target) {
  Resident* resident = nullptr;
  {
    Shard& shard = directory_.shard(id);
    const std::lock_guard guard(shard.lock);
    const Directory::Entry* entry = shard.find(id);
    resident = entry == nullptr ? nullptr : entry->resident;
    if (resident == nullptr || resident->state != Resident::State::settled ||
        resident->is_running() || target == rank()) {
      return false;
    }
    resident->target = target;
    begin_transit(*resident);
    resident->add_reference();
  }
  engine().preemption_point();
  transfer(*resident);
  resident->release();
  return true;
}

// Under the shard's lock. From here on arriving calls wait with their sequence unchecked; those
// already in the inbox were checked and go with the object. Both must change at once: a call that
// came between would be packed without having been counted, and its successors would wait for it
// for ever.
void ObjectSpace::begin_transit(Resident& resident) {
  resident.state = Resident::State::in_transit;
  resident.leaving.append(std::move(resident.inbox));
  load_changed(resident, LoadListener::Change::left);
}

// The resident is in transit: nobody else touches its object, record, sequence state or (detached)
// calls.
void ObjectSpace::transfer(Resident& resident) {
  resident.departed = engine().now();
  if (observer_ != nullptr) observe(Step::packed, resident, resident.target);
  core::Packer packer = messenger_.begin(resident.type.object_bytes() + 256);
  try {
    pack_resident(packer, resident);
  } catch (const std::exception& error) {
    undo_migration(resident.id, resident.version, std::string("packing failed: ") + error.what());
    engine().report_error("rank " + std::to_string(rank().value()) + ", object " +
                          to_string(resident.id) + " cannot be packed: " + error.what());
    return;
  }
  resident.record.packed_bytes = packer.size();
  engine().preemption_point();
  messenger_.post(resident.target, am::constant_handler_id("roam.install"), std::move(packer),
                  true);
}

void ObjectSpace::pack_call(core::Packer& packer, const Call& call) const {
  packer.write(&call.header(), sizeof(CallHeader));
  const std::uint64_t placeholder = 0;
  const std::size_t at = packer.size();
  packer.write(&placeholder, sizeof placeholder);
  call.pack_arguments(packer);
  const std::uint64_t length = packer.size() - at - sizeof placeholder;
  std::memcpy(packer.buffer().data() + at, &length, sizeof length);
}

Call* ObjectSpace::unpack_call(core::Unpacker& bytes) {
  CallHeader header;
  bytes.read(&header, sizeof header);
  const auto length = core::unpack<std::uint64_t>(bytes);
  const auto arguments = bytes.view(static_cast<std::size_t>(length));
  const auto method = methods_.find(header.method);
  if (method == methods_.end()) throw MalformedMessage("unknown method");
  core::Buffer copy = core::Buffer::allocate(arguments.size());
  copy.append(arguments.data(), arguments.size());
  return method->second->from_wire()(*this, *method->second, header, std::move(copy), 0, {});
}

void ObjectSpace::pack_resident(core::Packer& packer, const Resident& resident) const {
  std::uint64_t calls = 0;
  for (const Call* call = resident.leaving.first; call != nullptr; call = call->next) ++calls;
  core::pack(packer, resident.id.value(), resident.version + 1, resident.type.id(), resident.record,
             resident.expected.entries(), calls);
  for (const Call* call = resident.leaving.first; call != nullptr; call = call->next)
    pack_call(packer, *call);
  core::pack(packer, static_cast<std::uint64_t>(resident.early.size()));
  for (const auto& [key, call] : resident.early) pack_call(packer, *call);
  resident.type.functions().pack(packer, resident.object);
}

Resident* ObjectSpace::unpack_resident(core::Unpacker& bytes, ObjectId id) {
  const auto type_id = core::unpack<std::uint64_t>(bytes);
  const ObjectType* type = ObjectType::find(type_id);
  if (type == nullptr) throw MalformedMessage("object of an unknown class");
  auto resident = std::make_unique<Resident>(*this, id, *type, nullptr);
  resident->record = core::unpack<Record>(bytes);
  core::unpack_into(bytes, resident->expected.entries());
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls)
    resident->inbox.push(unpack_call(bytes));
  for (auto calls = core::unpack<std::uint64_t>(bytes); calls > 0; --calls) {
    Call* call = unpack_call(bytes);
    resident->early.emplace(std::pair(call->header().origin, call->header().sequence), call);
  }
  resident->object = type->functions().unpack(bytes);
  return resident.release();
}

void ObjectSpace::on_install(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const auto version = core::unpack<std::uint32_t>(bytes);
  const std::uint64_t size = message.buffer.size();
  std::string refusal;
  Resident* resident = nullptr;
  try {
    if (space.admission_) refusal = space.admission_(id, size);
    if (refusal.empty()) resident = space.unpack_resident(bytes, id);
  } catch (const std::exception& error) {
    refusal = std::string("unpacking failed: ") + error.what();
  }
  if (resident != nullptr) {
    resident->version = version;
    space.install(resident, message.source, size);
  }
  space.engine().preemption_point();
  core::Packer packer = space.messenger_.begin();
  core::pack(packer, id.value(), version, refusal);
  space.messenger_.post(message.source, am::constant_handler_id("roam.installed"),
                        std::move(packer), true);
}

void ObjectSpace::install(Resident* resident, Rank source, std::uint64_t bytes) {
  const ObjectId id = resident->id;
  Resident* former = nullptr;
  Resident* ready = nullptr;
  resident->record.last_move_ns = engine().now().count();
  resident->record.packed_bytes = bytes;
  ++resident->record.moves;
  Shard& shard = directory_.shard(id);
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry& entry = shard.entries[id];
    // It may be back before the rank it went to has answered us: its arrival is the answer.
    former = std::exchange(entry.resident, resident);
    entry.location = rank();
    entry.version = resident->version;
    if (observer_ != nullptr) observe(Step::installed, *resident, source);
    early_count_.fetch_add(resident->early.size(), std::memory_order_release);
    load_changed(*resident, LoadListener::Change::arrived);
    if (former != nullptr) {
      former->state = Resident::State::gone;
      while (!former->inbox.empty()) {
        if (Resident* r = accept(resident, former->inbox.pop())) ready = r;
      }
    }
    if (ready == nullptr) ready = startable(*resident);
  }
  engine().preemption_point();
  counters_.in.fetch_add(1, std::memory_order_relaxed);
  resident_count_.fetch_add(1, std::memory_order_relaxed);
  if (former != nullptr) {
    report_migration(*former, true, {});
    forget_left_calls(*former);
    former->release();
  }
  push_if(ready);
  engine().preemption_point();
  if (id.home() != rank() && id.home() != source) send_location(id.home(), id, resident->version);
}

void ObjectSpace::on_installed(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  const auto version = core::unpack<std::uint32_t>(bytes);
  const auto refusal = core::unpack<std::string>(bytes);
  if (refusal.empty()) {
    space.complete_migration(id, message.source, version);
  } else {
    space.undo_migration(id, version - 1, refusal);
  }
}

void ObjectSpace::complete_migration(ObjectId id, Rank from, std::uint32_t version) {
  Shard& shard = directory_.shard(id);
  Resident* resident = nullptr;
  CallQueue followers;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    resident = entry == nullptr ? nullptr : entry->resident;
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        version <= resident->version) {
      return;  // it has been back here since, or later news came first
    }
    if (observer_ != nullptr) observe(Step::learned, id, from, version, entry->version);
    entry->resident = nullptr;
    entry->location = from;
    entry->version = version;
    resident->state = Resident::State::gone;
    followers.append(std::move(resident->inbox));
  }
  engine().preemption_point();
  while (!followers.empty()) send_on(followers.pop(), from);
  const Rank next_target = resident->next_target;
  report_migration(*resident, true, {});
  forget_left_calls(*resident);
  resident->release();
  if (next_target != no_rank && next_target != from) route_migrate(id, next_target, 0);
}

void ObjectSpace::forget_left_calls(Resident& resident) {
  while (!resident.leaving.empty()) delete resident.leaving.pop();
  early_count_.fetch_sub(resident.early.size(), std::memory_order_release);
  for (auto& [key, call] : resident.early) delete call;
  resident.early.clear();
  resident_count_.fetch_sub(1, std::memory_order_relaxed);
}

void ObjectSpace::undo_migration(ObjectId id, std::uint32_t version, const std::string& reason) {
  Shard& shard = directory_.shard(id);
  Resident* resident = nullptr;
  Resident* ready = nullptr;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    resident = entry == nullptr ? nullptr : entry->resident;
    if (resident == nullptr || resident->state != Resident::State::in_transit ||
        resident->version != version)
      return;
    if (observer_ != nullptr) observe(Step::refused, *resident, resident->target);
    CallQueue later;
    later.append(std::move(resident->inbox));
    resident->inbox.append(std::move(resident->leaving));
    resident->state = Resident::State::settled;
    resident->next_target = no_rank;
    load_changed(*resident, LoadListener::Change::arrived);
    while (!later.empty()) {
      if (Resident* r = accept(resident, later.pop())) ready = r;
    }
    if (ready == nullptr) ready = startable(*resident);
    resident->add_reference();
  }
  engine().preemption_point();
  report_migration(*resident, false, reason);
  push_if(ready);
  resident->release();
}

void ObjectSpace::report_migration(Resident& resident, bool moved, const std::string& refusal) {
  (moved ? counters_.out : counters_.refused).fetch_add(1, std::memory_order_relaxed);
  if (moved && observer_ != nullptr) observe(Step::left, resident.id, resident.target, 0);
  if (moved) counters_.bytes_out.fetch_add(resident.record.packed_bytes, std::memory_order_relaxed);
  if (migration_listeners_.empty()) return;
  const MigrationOutcome outcome{resident.id,
                                 resident.target,
                                 moved,
                                 resident.record.packed_bytes,
                                 engine().now() - resident.departed,
                                 refusal};
  for (const auto& listener : migration_listeners_) listener(outcome);
}

void ObjectSpace::peer_failed(Rank peer) {
  std::vector<std::pair<ObjectId, std::uint32_t>> stranded;
  for (Shard& shard : directory_) {
    const std::lock_guard guard(shard.lock);
    for (const auto& [id, entry] : shard.entries) {
      const Resident* resident = entry.resident;
      if (resident != nullptr && resident->state == Resident::State::in_transit &&
          resident->target == peer) {
        stranded.emplace_back(id, resident->version);
      }
    }
  }
  for (const auto& [id, version] : stranded) {
    undo_migration(id, version, "rank " + std::to_string(peer.value()) + " failed");
  }
}

void ObjectSpace::send_on(Call* call, Rank to) {
  CallHeader header = call->header();
  ++header.hops;
  if (observer_ != nullptr) observe(Step::forwarded, header, &call->method(), to);
  core::Packer packer = messenger_.begin(sizeof header);
  packer.write(&header, sizeof header);
  call->pack_arguments(packer);
  counters_.forwarded.fetch_add(1, std::memory_order_relaxed);
  messenger_.post(to, am::constant_handler_id("roam.call"), std::move(packer), true);
  delete call;
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
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    if (observer_ != nullptr) observe(Step::heard, id, location, version);
    if (entry == nullptr || version <= entry->version) return;  // stale
    if (entry->resident == nullptr) {
      if (observer_ != nullptr) observe(Step::learned, id, location, version, entry->version);
      entry->location = location;
      entry->version = version;
      return;
    }
  }
  engine().preemption_point();
  // It left here and has moved on since, before the rank it first went to could answer: the news is
  // the answer. (Dropping it would leave this rank, perhaps the home, with an old place for good.)
  complete_migration(id, location, version);
}

}  // namespace roam::mobile
