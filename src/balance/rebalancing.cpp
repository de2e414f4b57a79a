// SPDX-License-Identifier: Apache-2.0
#include "rebalancing.hpp"

#include <algorithm>
#include <string>

#include "roam/core/error.hpp"

namespace roam::balance {

std::array<double, 3> coordinates_of(const mobile::ResidentView& object) {
  const auto coordinates = object.type.functions().coordinates;
  if (coordinates == nullptr) {
    throw Error("the strategy needs the coordinates of all objects, and those of class " +
                std::string(object.type.name()) +
                " have none; give it std::array<double, 3> coordinates() const, or take another "
                "strategy (graph, greedy)");
  }
  return coordinates(object.object);
}

Decision decision_of(const placement::ObjectNote& note, const placement::MovesOfAll& all) {
  const double share = all.work_seconds > 0
                           ? note.seconds / all.work_seconds
                           : 1 / static_cast<double>(std::max<std::uint64_t>(all.objects, 1));
  Decision decision;
  decision.gain_seconds = share * all.gain_seconds;
  decision.cost_seconds = share * all.cost_seconds;
  decision.to = note.to;
  decision.object = ObjectId(note.object);
  decision.load_seconds = note.seconds;
  decision.bytes = note.bytes;
  return decision;
}

}  // namespace roam::balance
