// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/protocol_watch.hpp"

#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

void ProtocolWatch::report(Step step, const CallHeader& call, Rank other, std::uint32_t version,
                           const exec::Execution* execution) const {
  ProtocolEvent event;
  event.kind = step;
  event.at = rank_;
  event.object = ObjectId(call.object);
  event.call = &call;
  event.method = methods_.find(call.method);
  event.execution = execution;
  event.other = other;
  event.version = version;
  observer_->happened(event);
}

void ProtocolWatch::report(Step step, Resident& resident, Rank other) const {
  ProtocolEvent event;
  event.kind = step;
  event.at = rank_;
  event.object = resident.id;
  event.other = other;
  event.version = resident.version;
  event.type = &resident.type;
  event.state = resident.object;
  observer_->happened(event);
}

void ProtocolWatch::report(Step step, ObjectId object, Rank other, std::uint32_t version,
                           std::uint32_t former_version) const {
  ProtocolEvent event;
  event.kind = step;
  event.at = rank_;
  event.object = object;
  event.other = other;
  event.version = version;
  event.former_version = former_version;
  observer_->happened(event);
}

}  // namespace roam::mobile
