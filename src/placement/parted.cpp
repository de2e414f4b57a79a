// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/parted.hpp"

#include <utility>

namespace roam::placement {

Placement PartedStrategy::place(const LoadGraph& graph, const Machine& machine) const {
  DividedDecision divided = divide(graph, machine);
  for (const DecisionPart& part : divided.parts) {
    join(part, place_part(part.graph, part.machine), divided.placement);
  }
  return std::move(divided.placement);
}

void join(const DecisionPart& part, const Placement& decided, Placement& all) {
  for (std::size_t i = 0; i < decided.size(); ++i) {
    all[part.objects[i]] = part.first_rank + decided[i];
  }
}

}  // namespace roam::placement
