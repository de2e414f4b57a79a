// SPDX-License-Identifier: Apache-2.0
#include "arrived_calls.hpp"

#include <utility>

#include "call_epochs.hpp"
#include "resident_steps.hpp"
#include "roam/am/detail/system_handlers.hpp"
#include "roam/core/error.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

ArrivedCalls::ArrivedCalls(ObjectSpace& space, Residents& residents, CallRuns& runs,
                           ForwardedCalls& forwarded)
    : space_(space), residents_(residents), runs_(runs), forwarded_(forwarded) {
  residents_.messenger().bind_flattened<&ArrivedCalls::on_call>(*this);
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

inline void ArrivedCalls::on_call(const CallHeader& header, am::Incoming&& arguments) {
  Residents& residents = residents_;  // in a register
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
        Call* call = method.from_wire()(space_, method, header, std::move(arguments.buffer),
                                        arguments.offset, std::move(arguments.attachment));
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
  if (!accepted) forwarded_.pass_on(header, std::move(arguments), known_location);
}

}  // namespace roam::mobile
