// SPDX-License-Identifier: Apache-2.0
#include "arrived_objects.hpp"

#include <new>

#include "call_epochs.hpp"
#include "rare_state.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"

namespace roam::mobile {

ArrivedObjects::ArrivedObjects(Residents& residents, ObjectPacking& packing)
    : residents_(residents), packing_(packing) {
  residents_.messenger().bind<&ArrivedObjects::on_install>(*this);
}

void ArrivedObjects::on_install(const Install& head, am::Incoming&& rest) {
  am::Messenger& messenger = residents_.messenger();
  core::Unpacker bytes(rest.payload());
  bytes.set_attachment(&rest.attachment);
  const std::uint64_t size = rest.buffer.size() + rest.attachment.data.size();
  bool is_malformed = false;
  const Installed answer{take_in(head, bytes, rest.source, size, is_malformed)};
  messenger.engine().preemption_point();
  messenger.post(rest.source, answer);
  if (is_malformed) throw MalformedMessage("arrival of an object that does not decode");
}

Arrival ArrivedObjects::take_in(const Install& head, core::Unpacker& bytes, Rank source,
                                std::uint64_t size, bool& is_malformed) {
  const auto& [id, version] = head;
  if (!id || id.home().value() >= residents_.messenger().size())
    throw MalformedMessage("arrival of an object that cannot be");
  Refusal refusal;
  std::unique_ptr<Resident> resident;
  try {
    if (admission_) refusal.reason = admission_(id, size);
    if (refusal.reason.empty()) resident = packing_.unpack(bytes, id, version);
  } catch (const MalformedMessage& error) {
    refusal = {std::string("unpacking failed: ") + error.what(), true};
    is_malformed = true;
  } catch (const std::bad_alloc&) {  // there may be enough memory another time
    refusal.reason = "unpacking failed: out of memory";
  } catch (...) {
    refusal = {"unpacking failed: " + words_of(std::current_exception()), true};
  }
  if (resident != nullptr) install(std::move(resident), version, source, size);
  return {id, version, std::move(refusal)};
}

void ArrivedObjects::install(std::unique_ptr<Resident>&& arrived, std::uint32_t version,
                             Rank source, std::uint64_t bytes) {
  const ObjectId id = arrived->id;
  const Instant now = residents_.engine().now();
  Effects<effect::PlaceForOthers, effect::Ready, effect::EndedPassage> effects;
  effects.arrived = id;
  effects.arrived_version = version;
  Directory::Shard& shard = residents_.shard(id);
  {
    const ShardLock lock(shard);
    Directory::Entry* known = shard.find(id);
    // The object may be back before the rank to which it went has answered: then its arrival counts
    // as the answer.
    Resident* const former = known != nullptr ? known->resident() : nullptr;
    if (former != nullptr &&
        (former->state != Resident::State::in_transit || version <= former->version))
      throw MalformedMessage("arrival of an object that lives here");
    Directory::Entry& entry = known != nullptr ? *known : residents_.new_entry(shard, id);
    Resident& resident = *arrived.release();
    resident.record.last_move_ns = now.count();
    resident.record.packed_bytes = bytes;
    ++resident.record.moves;
    take_in_for_epochs(resident);
    resident.next_sequence = former != nullptr ? former->next_sequence : entry.next_sequence();
    entry.set_resident(&resident);
    entry.set_place(residents_.rank(), version);
    residents_.watch().saw(ProtocolWatch::Step::installed, resident, source);
    residents_.count_early(static_cast<std::ptrdiff_t>(resident.early_count()));
    residents_.tell(resident, LoadListener::Change::arrived);
    if (former != nullptr) {
      former->state = Resident::State::gone;
      while (!former->inbox.empty()) residents_.take(resident, former->inbox.pop());
      effects.former = former;
      effects.former_to = residents_.rank();
    }
    effects.ready = residents_.startable(resident);
    effects.others = ranks_to_tell(resident, source);
  }
  count_.fetch_add(1, std::memory_order_relaxed);
  residents_.count_residents(1);
  residents_.apply(std::move(effects));
}

void ArrivedObjects::take_in_for_epochs(Resident& arrived) {
  am::Epochs& epochs = residents_.messenger().epochs();
  for (Call* call = arrived.inbox.first; call != nullptr; call = call->next)
    take_in_with_object(epochs, *call);
  if (!arrived.has_early()) return;
  for (const auto& [key, call] : arrived.rare().early) take_in_with_object(epochs, *call);
}

// Always includes the home, unless that has sent the object and gets the answer.
std::vector<Rank> ArrivedObjects::ranks_to_tell(const Resident& arrived, Rank source) const {
  std::vector<Rank> told;
  const Rank here = residents_.rank();
  const Rank home = arrived.id.home();
  if (home != here && home != source) told.push_back(home);
  if (residents_.options().location_policy != LocationPolicy::eager) return told;
  for (const auto& caller : arrived.expected.all()) {
    const Rank origin(caller.origin);
    if (origin != here && origin != source && origin != home) told.push_back(origin);
  }
  return told;
}

}  // namespace roam::mobile
