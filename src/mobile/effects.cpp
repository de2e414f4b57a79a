// SPDX-License-Identifier: Apache-2.0
#include "roam/mobile/detail/effects.hpp"

#include "owners.hpp"
#include "roam/mobile/detail/object_space.hpp"

namespace roam::mobile {

void EffectsApplier::carry_out(const effect::PlaceForOthers& effect) {
  for (const Rank other : effect.others) tell(other, effect.arrived, effect.arrived_version);
  if (!effect.others.empty()) engine_.preemption_point();
}

void EffectsApplier::carry_out(effect::Followers& effect) {
  CallQueue& followers = effect.followers;
  while (!followers.empty()) space_.owners().forwarded.send_on(followers.pop(), effect.followed_to);
  engine_.preemption_point();
}

void EffectsApplier::report(const MigrationOutcome& outcome) {
  space_.owners().migrations.report(outcome);
}

void EffectsApplier::tell(Rank other, ObjectId id, std::uint32_t version) {
  space_.owners().places.tell(other, id, version);
}

void EffectsApplier::end_passage(Resident& former, Rank place) {
  const ObjectId id = former.id;  // a copy: `former` may be deleted below
  Owners& owners = space_.owners();
  if (const auto onward = owners.migrations.end_passage(former, place))
    owners.requests.route(id, onward->target, 0, {space_.messenger(), onward->epoch});
}

void EffectsApplier::end_object(Resident& ended) { space_.owners().ends.end(ended); }

void EffectsApplier::lose(CallQueue& orphans) {
  while (!orphans.empty()) orphans.pop()->lost_object();
}

void EffectsApplier::hand_over(Resident& departs) { space_.owners().migrations.hand_over(departs); }

}  // namespace roam::mobile
