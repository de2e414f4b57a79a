// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "roam/core/machine.hpp"
#include "roam/placement/load_graph.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {

/// A part of a decision that one rank can take without knowing the others: the objects of a group
/// of consecutive ranks, which are to be distributed among these.
struct DecisionPart {
  std::int32_t first_rank = 0;         ///< of the group; its ranks are 0, 1, ... in `graph`
  std::vector<std::uint32_t> objects;  ///< numbers in the whole graph of the objects of `graph`
  LoadGraph graph;                     ///< seconds, ranks, background, and links among the objects
  Machine machine;                     ///< how many ranks the group has, and their speeds
};

/// A decision of which the first step is taken.
struct DividedDecision {
  Placement placement;              ///< of those objects that are in no part
  std::vector<DecisionPart> parts;  ///< of different ranks and objects
};

/// A strategy whose decision falls into a first step and parts that do not depend on each other. In
/// a running job rank 0 takes the first step, and then each part is decided on a rank of its group,
/// all of them at the same time. Pure, as any strategy.
class PartedStrategy : public Strategy {
 public:
  /// Takes the first step and decides one part after the other: the same placement as in a job.
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const final;
  [[nodiscard]] const PartedStrategy* parted() const final { return this; }
  /// The first step.
  [[nodiscard]] virtual DividedDecision divide(const LoadGraph& graph,
                                               const Machine& machine) const = 0;
  /// Decides a part: the rank of each of its objects, counted from the first one of the group.
  [[nodiscard]] virtual Placement place_part(const LoadGraph& graph,
                                             const Machine& machine) const = 0;
};

/// Enters what was decided of a part into the placement of all objects.
void join(const DecisionPart& part, const Placement& decided, Placement& all);

}  // namespace roam::placement
