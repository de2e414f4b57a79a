// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/object_space.hpp"

#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include "owners.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/mobile_ptr.hpp"
#include "stuck_facts.hpp"

namespace roam::mobile {

ObjectSpace& current_space() {
  const exec::Context* context = exec::current();
  ObjectSpace* space =
      context == nullptr ? nullptr : context->engine->services().get<ObjectSpace>();
  if (space == nullptr) {
    throw Error("a mobile object was used on a thread where no Roam handler or main program runs");
  }
  return *space;
}

ObjectSpace::ObjectSpace(am::Messenger& messenger, const ObjectSpaceOptions& options)
    : residents_(*this, messenger, options),
      issued_(*this, residents_),
      runs_(*this, residents_),
      owners_(std::make_unique<Owners>(*this, residents_, issued_, runs_)) {
  engine().services().set<ObjectSpace>(this);
}

// No other thread uses it any more.
ObjectSpace::~ObjectSpace() {
  owners_->migrations.close_lent();
  owners_->holders.give_up_all();
  residents_.give_up_all();
}

ObjectSpaceStats ObjectSpace::stats() const {
  ObjectSpaceStats stats;
  residents_.add_to(stats);
  owners_->forwarded.add_to(stats);
  owners_->places.add_to(stats);
  owners_->forgetting.add_to(stats);
  owners_->arrived_objects.add_to(stats);
  owners_->migrations.add_to(stats);
  return stats;
}

void ObjectSpace::add_to(exec::WorkingSet& set) const {
  set.add(*this);
  set.add(owners_->arrived_calls);
  residents_.add_to(set);
  issued_.add_to(set);
}

void ObjectSpace::look_ahead(int step) const {
  constexpr int first = am::Messenger::first_step_with_messages;
  if (step == 1) issued_.look_ahead();
  if (step < first) return;
  for (std::size_t i = 0;; ++i) {
    const std::optional<std::span<const std::byte>> call =
        residents_.messenger().next_message(i, am::message_id<CallHeader>);
    if (!call) return;
    if (call->size() < sizeof(CallAddress)) continue;
    CallAddress address;
    std::memcpy(&address, call->data(), sizeof address);
    residents_.look_ahead(ObjectId(address.object), step - first);
  }
}

ObjectId ObjectSpace::adopt(const ObjectType& type, void* object) {
  const ObjectId id = residents_.new_id();
  residents_.adopt(id, type, object);
  return id;
}

void ObjectSpace::adopt_as(ObjectId id, const ObjectType& type, void* object) {
  residents_.adopt(id, type, object);
}

void ObjectSpace::destroy(ObjectId id) { owners_->ends.destroy(id); }

void ObjectSpace::migrate(ObjectId id, Rank target) { owners_->requests.migrate(id, target); }

Task<> ObjectSpace::migrate_and_wait(ObjectId id, Rank target) {
  return owners_->holders.bring(id, target);
}

void ObjectSpace::dead_letter(const am::ReplyTo& reply_to, const std::string& text) {
  owners_->dead_letters.lose(reply_to, text);
}

void ObjectSpace::set_dead_letter_handler(std::function<void(const std::string&)> handler) {
  owners_->dead_letters.set_handler(std::move(handler));
}

void ObjectSpace::set_element_listener(ElementListener* listener) {
  owners_->dead_letters.set_elements(listener);
}

void ObjectSpace::begin_nested(std::uint64_t outer) { owners_->holders.begin_nested(outer); }

void ObjectSpace::release_held(std::uint64_t holder) { owners_->holders.release(holder); }

void ObjectSpace::add_migration_listener(Outcomes listener) {
  owners_->migrations.add_listener(std::move(listener));
}

void ObjectSpace::set_admission(Admission admission) {
  owners_->arrived_objects.set_admission(std::move(admission));
}

bool ObjectSpace::migrate_idle(ObjectId id, Rank target) {
  return owners_->together.migrate(id, target);
}

std::vector<ObjectId> ObjectSpace::migrate_idle(std::span<const ObjectId> ids, Rank target) {
  return owners_->together.migrate(ids, target);
}

std::optional<LoadFacts> ObjectSpace::take_changed_load(ObjectId id) {
  return owners_->loads.take_changed(id);
}

std::uint64_t ObjectSpace::packed_bytes(ObjectId id) { return owners_->loads.packed_bytes(id); }

double ObjectSpace::for_each_resident(const Visit& visit) const {
  return owners_->loads.for_each(visit);
}

double ObjectSpace::end_load_phase(const Visit& visit) { return owners_->loads.end_phase(visit); }

void ObjectSpace::add_run_time(ObjectId id, Duration run_time) {
  owners_->loads.add_run_time(id, run_time);
}

Instant ObjectSpace::load_phase_began() const { return owners_->loads.phase_began(); }

std::uint64_t ObjectSpace::pending_calls() const { return owners_->loads.pending_calls(); }

void ObjectSpace::add_stuck(StuckFacts& facts) const {
  add_stuck_objects(facts, residents_, owners_->holders);
  if (ElementListener* const elements = owners_->dead_letters.elements())
    elements->add_stuck(facts);
}

}  // namespace roam::mobile
