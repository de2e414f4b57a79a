// SPDX-License-Identifier: Apache-2.0
// How objects end (M8): an exclusive call like any other, after which the home forgets the object.
#include <mutex>

#include "destroy_call.hpp"
#include "roam/mobile/object_space.hpp"
#include "roam/mobile/resident.hpp"

namespace roam::mobile {

namespace {
Call* make_destroy_call(ObjectSpace& space, const Method&, const CallHeader& header, core::Buffer&&,
                        std::size_t, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  return new DestroyCall(space, space.messenger(), header);
}
const Method destroy_method{{"roam.destroy", "roam.destroy"}, nullptr, true, &make_destroy_call};
}  // namespace

const Method& DestroyCall::descriptor() { return destroy_method; }

void ObjectSpace::destroy(ObjectId id) {
  CallHeader header;
  header.object = id.value();
  header.cost_seconds = 0;
  header.origin = rank().value();
  header.method = destroy_method.id();
  issue_call(
      header, [&] { return new DestroyCall(*this, messenger_, header); },
      [&](Rank to, std::uint32_t sequence) {
        header.sequence = sequence;
        post_empty_call(header, to);
      });
}

void ObjectSpace::post_empty_call(const CallHeader& header, Rank location) {
  core::Packer packer = messenger_.begin(sizeof header);
  header.write(packer);
  messenger_.post(location, am::constant_handler_id("roam.call"), std::move(packer), true);
}

// Under the shard's lock.
CallQueue ObjectSpace::take_out(Shard& shard, Resident& resident) {
  CallQueue orphans;
  if (observer_ != nullptr) observe(Step::destroyed, resident);
  resident.state = Resident::State::gone;
  orphans.append(std::move(resident.inbox));
  if (resident.has_early()) {
    early_count_.fetch_sub(resident.early_count(), std::memory_order_release);
    for (auto& [key, call] : resident.uncommon().early) orphans.push(call);
    resident.uncommon().early.clear();
  }
  const Rank home = resident.id.home();
  Directory::Entry& entry = *shard.find(resident.id);
  entry.clear_resident(resident.next_sequence);
  if (home == rank()) {
    forget(shard, entry);
  } else {
    entry.set_place(home, entry.version() + 1);
  }
  resident.tell(listener_, LoadListener::Change::left);
  return orphans;
}

void ObjectSpace::end_object(Resident& resident, CallQueue&& orphans) {
  const Rank home = resident.id.home();
  resident_count_.fetch_sub(1, std::memory_order_relaxed);
  engine().preemption_point();
  if (home != rank()) {
    core::Packer packer = messenger_.begin();
    core::pack(packer, resident.id.value());
    messenger_.post(home, am::constant_handler_id("roam.gone"), std::move(packer), true);
  } else if (resident.id.is_element() && element_listener_ != nullptr) {
    element_listener_->element_ended(resident.id);
  }
  while (!orphans.empty()) orphans.pop()->lost_object();
  static_cast<void>(end_moves(resident, false));
  leave_directory(resident);
}

void ObjectSpace::leave_directory(Resident& resident) {
  bool was_last = false;
  {
    const std::lock_guard guard(directory_.shard(resident.id).lock);
    was_last = resident.remove_user();
  }
  if (was_last) resident.release();
}

void ObjectSpace::on_gone(void* self, am::Incoming&& message) {
  auto& space = *static_cast<ObjectSpace*>(self);
  core::Unpacker bytes(message.payload());
  const ObjectId id(core::unpack<std::uint64_t>(bytes));
  if (id.home() != space.rank()) throw MalformedMessage("end of an object of another home");
  Shard& shard = space.directory_.shard(id);
  Resident* former = nullptr;
  CallQueue orphans;
  {
    const std::lock_guard guard(shard.lock);
    Directory::Entry* entry = shard.find(id);
    if (entry == nullptr) return;
    former = entry->resident();
    if (former != nullptr) {
      if (former->state != Resident::State::in_transit)
        throw MalformedMessage("end of an object that lives here");
      // It left here, moved on and ended before the rank it first went to could answer: its end is
      // the answer.
      former->state = Resident::State::gone;
      orphans.append(std::move(former->inbox));
    }
    space.forget(shard, *entry);
  }
  if (id.is_element() && space.element_listener_ != nullptr)
    space.element_listener_->element_ended(id);
  if (former == nullptr) return;
  space.engine().preemption_point();
  former->uncommon().next_target = no_rank;  // it moves on no more
  space.end_passage(*former, no_rank);
  while (!orphans.empty()) orphans.pop()->lost_object();
}

}  // namespace roam::mobile
