// SPDX-License-Identifier: Apache-2.0
#include "arrived_calls.hpp"

#include <utility>

#include "call_epochs.hpp"
#include "resident_steps.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/object_space.hpp"

namespace roam::mobile {

ArrivedCalls::ArrivedCalls(ObjectSpace& space, Residents& residents, CallRuns& runs,
                           ForwardedCalls& forwarded)
    : space_(space), residents_(residents), runs_(runs), forwarded_(forwarded) {
  residents_.messenger().bind("roam.call", this, &ArrivedCalls::on_call, true);
}

const Method& ArrivedCalls::check(const CallHeader& header) const {
  const Method* const method = residents_.methods().find(header.method);
  if (method == nullptr) throw MalformedMessage("unknown method");
  const std::int32_t ranks = residents_.messenger().size();
  if (header.origin < 0 || header.origin >= ranks ||
      ObjectId(header.object).home().value() >= ranks || header.priority >= priority_count ||
      (header.flags & ~CallHeader::may_travel) != 0) {
    throw MalformedMessage("call header out of range");
  }
  return *method;
}

namespace {
CallHeader read_header(std::span<const std::byte> payload) {
  core::Unpacker bytes(payload);
  return CallHeader::read(bytes);
}
}  // namespace

[[gnu::flatten]] void ArrivedCalls::on_call(void* self, am::Incoming&& message) {
  static_cast<ArrivedCalls*>(self)->take(std::move(message));
}

inline void ArrivedCalls::take(am::Incoming&& message) {
  Residents& residents = residents_;  // in a register
  const CallHeader header = read_header(message.payload());
  const ObjectId id(header.object);
  const Method& method = check(header);
  Directory::Shard& shard = residents.shard(id);
  Effects<effect::PlaceForCaller, effect::Ready> effects;
  Rank known_location;
  bool accepted = false;
  {
    const ShardLock lock(shard);
    if (Directory::Entry* entry = shard.find(id); entry != nullptr) {
      known_location = entry->location();
      if (Resident* resident = entry->resident(); resident != nullptr) {
        const ObjectType* type = method.type();
        if (type != nullptr && type != &resident->type)
          throw MalformedMessage("method of another class");
        Call* call =
            method.from_wire()(space_, method, header, std::move(message.buffer),
                               message.offset + header.bytes_read(), std::move(message.attachment));
        take_in_for_epoch(residents.messenger().epochs(), *call);
        effects.ready = runs_.accept_arrived(*resident, call);
        accepted = true;
        if (header.hops > 0 && resident->state != Resident::State::in_transit &&
            Rank(header.origin) != residents.rank() &&
            residents.options().location_policy != LocationPolicy::home) {
          effects.caller = Rank(header.origin);
          effects.called = id;
          effects.called_version = entry->version();
        }
      }
    }
  }
  residents.apply(std::move(effects));
  if (!accepted) forwarded_.pass_on(std::move(message), header, known_location);
}

}  // namespace roam::mobile
