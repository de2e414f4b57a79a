// SPDX-License-Identifier: Apache-2.0
#include "object_ends.hpp"

#include <utility>

#include "destroy_call.hpp"
#include "rare_state.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

namespace {
Call* make_destroy_call(ObjectSpace& space, const Method&, const CallHeader& header, core::Buffer&&,
                        std::size_t, core::Attachment&& attachment) {
  if (attachment.data) throw MalformedMessage("the method takes no array");
  return new DestroyCall(space, space.messenger(), header);
}
}  // namespace

const Method DestroyCall::method{
    {"roam.destroy", "roam.destroy"}, nullptr, true, &make_destroy_call};

ObjectEnds::ObjectEnds(ObjectSpace& space, Residents& residents, IssuedCalls& issued,
                       Migrations& migrations, DeadLetters& dead_letters)
    : space_(space),
      residents_(residents),
      issued_(issued),
      migrations_(migrations),
      dead_letters_(dead_letters) {
  residents_.messenger().bind<&ObjectEnds::on_gone>(*this);
}

void ObjectEnds::destroy(ObjectId id) {
  CallHeader header;
  header.object = id.value();
  header.cost_seconds = 0;
  header.origin = residents_.rank().value();
  header.method = DestroyCall::descriptor().id();
  issued_.issue_call(
      header, [&] { return new DestroyCall(space_, residents_.messenger(), header); },
      [&](Rank to, std::uint32_t sequence) {
        header.sequence = sequence;
        issued_.post_empty(header, to);
      });
}

CallQueue ObjectEnds::take_out(Directory::Shard& shard, Resident& resident) {
  CallQueue orphans;
  residents_.watch().saw(ProtocolWatch::Step::destroyed, resident);
  resident.state = Resident::State::gone;
  orphans.append(std::move(resident.inbox));
  if (resident.has_early()) {
    residents_.count_early(-static_cast<std::ptrdiff_t>(resident.early_count()));
    for (auto& [key, call] : resident.rare().early) orphans.push(call);
    resident.rare().early.clear();
  }
  const Rank home = resident.id.home();
  Directory::Entry& entry = *shard.find(resident.id);
  entry.clear_resident(resident.next_sequence);
  if (home == residents_.rank()) {
    residents_.forget(shard, entry);
  } else {
    entry.set_place(home, entry.version() + 1);
  }
  residents_.tell(resident, LoadListener::Change::left);
  return orphans;
}

void ObjectEnds::end(Resident& ended) {
  const Rank home = ended.id.home();
  residents_.count_residents(-1);
  residents_.engine().preemption_point();
  if (home != residents_.rank()) {
    residents_.messenger().post(home, Gone{ended.id});
  } else {
    dead_letters_.element_ended(ended.id);
  }
  end_moves(ended);
  migrations_.leave_directory(ended);
}

void ObjectEnds::end_moves(Resident& ended) {
  inside_shard.assert_held();  // gone: nobody asks it to move any more
  migrations_.end_moves(ended);
}

void ObjectEnds::on_gone(const Gone& message) {
  if (message.object.home() != residents_.rank())
    throw MalformedMessage("end of an object of another home");
  gone(message.object);
}

// Handles the end, on another rank, of an object whose home is this rank.
void ObjectEnds::gone(ObjectId id) {
  Directory::Shard& shard = residents_.shard(id);
  Effects<effect::EndedPassage, effect::Orphans> effects;
  {
    const ShardLock lock(shard);
    Directory::Entry* entry = shard.find(id);
    if (entry == nullptr) return;
    if (Resident* const former = entry->resident(); former != nullptr) {
      if (former->state != Resident::State::in_transit)
        throw MalformedMessage("end of an object that lives here");
      // The object left this rank, moved on and ended before the rank to which it first went could
      // answer: its end counts as the answer.
      effects.orphans = Migrations::let_end(*former);
      effects.former = former;
    }
    residents_.forget(shard, *entry);
  }
  dead_letters_.element_ended(id);
  residents_.apply(std::move(effects));
}

}  // namespace roam::mobile
