// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

#include "recorded_costs.hpp"
#include "roam/core/random.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement::testing {

/// A random balancing problem.
struct Instance {
  LoadGraph graph;
  Machine machine;
  bool ranks_are_alike = true;  ///< one speed, no background, nothing pinned
};

/// The load of an object, of a random kind; recorded costs are taken by `place`.
inline double draw_seconds(core::Random& random, std::uint64_t kind, std::uint64_t place) {
  switch (kind) {
    case 0:
      return random.unit();  // even
    case 1:
      return -std::log(1 - random.unit());  // exponential
    case 2:
      return static_cast<double>(1 + random.below(10));  // few sizes
    case 3:
      return std::pow(1 - random.unit(), -1.5);  // heavy tail
    case 4:
      return 1;  // all the same
    case 5:
      return recorded_costs[place % recorded_costs.size()] * 1e-4;
    default:
      return random.below(3) == 0 ? random.unit() * 1e-9 : 0;  // nearly nothing
  }
}

/// Up to `most_objects` objects on up to `most_ranks` ranks: sizes of seven kinds, one of them
/// recorded, spread, in blocks, or all on one rank; on two of three machines with speeds,
/// background and pinned objects.
inline Instance draw_instance(std::uint64_t seed, std::uint64_t most_objects,
                              std::uint64_t most_ranks) {
  core::Random random(seed);
  Instance instance;
  LoadGraph& graph = instance.graph;
  Machine& machine = instance.machine;
  machine.ranks = static_cast<std::int32_t>(1 + random.below(most_ranks));
  machine.workers_per_rank = 1 + static_cast<std::uint32_t>(random.below(3));
  const auto ranks = static_cast<std::uint64_t>(machine.ranks);
  const std::uint64_t objects = random.below(most_objects + 1);
  const std::uint64_t kind = random.below(7);
  const std::uint64_t place = random.below(recorded_costs.size());
  const std::uint64_t spread = random.below(3);
  for (std::uint64_t i = 0; i < objects; ++i) {
    graph.seconds.push_back(draw_seconds(random, kind, place + i));
    graph.bytes.push_back(random.below(1 << 20));
    const std::uint64_t rank = spread == 0   ? random.below(ranks)
                               : spread == 1 ? i * ranks / objects
                                             : 0;
    graph.rank.push_back(static_cast<std::int32_t>(rank));
    graph.coordinates.push_back({random.unit(), random.unit(), random.unit()});
    for (int k = 0; k < 2 && i > 0; ++k) {
      graph.links.push_back({static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(random.below(i)), random.unit() * 1e6, 1});
    }
  }
  instance.ranks_are_alike = random.below(3) == 0;
  if (instance.ranks_are_alike) return instance;
  machine.speeds.clear();
  for (std::int32_t r = 0; r < machine.ranks; ++r) {
    machine.speeds.push_back(1 + static_cast<double>(random.below(3)));
    graph.background_seconds.push_back(random.unit());
  }
  for (std::uint64_t i = 0; i < objects; ++i) graph.pinned.push_back(random.below(5) == 0 ? 1 : 0);
  return instance;
}

/// One of many problems for tests of a property: mostly small, every tenth larger.
inline Instance draw_one_of_many(std::uint64_t seed) {
  return seed % 10 == 0 ? draw_instance(seed, 60, 12) : draw_instance(seed, 16, 6);
}

}  // namespace roam::placement::testing
