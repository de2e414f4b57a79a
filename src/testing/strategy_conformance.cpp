// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "roam/core/random.hpp"
#include "roam/placement/load_graph.hpp"
#include "roam/testing/conformance.hpp"

namespace roam::testing {

namespace {

struct Instance {
  std::string name;
  placement::LoadGraph graph;
  Machine machine;
};

double draw_seconds(core::Random& random, std::uint64_t kind) {
  switch (kind) {
    case 0:
      return random.unit();
    case 1:
      return std::pow(1 - random.unit(), -1.5);  // heavy tail
    case 2:
      return 1;  // all the same
    case 3:
      return 0;
    default:
      return random.below(3) == 0 ? 1e-9 * random.unit() : 1e9 * random.unit();
  }
}

Instance draw_instance(std::uint64_t seed) {
  core::Random random(seed);
  Instance instance{.name = "seed " + std::to_string(seed), .graph = {}, .machine = {}};
  placement::LoadGraph& graph = instance.graph;
  Machine& machine = instance.machine;
  machine.ranks = static_cast<std::int32_t>(1 + random.below(12));
  machine.workers_per_rank = 1 + static_cast<std::uint32_t>(random.below(3));
  const auto ranks = static_cast<std::uint64_t>(machine.ranks);
  const std::uint64_t objects = random.below(60);
  const std::uint64_t kind = random.below(5);
  const bool is_on_one_rank = random.below(3) == 0;
  const bool has_pinned = random.below(2) == 0;
  const bool has_links = random.below(2) == 0;
  for (std::uint64_t i = 0; i < objects; ++i) {
    graph.seconds.push_back(draw_seconds(random, kind));
    graph.bytes.push_back(random.below(1 << 20));
    graph.rank.push_back(is_on_one_rank ? 0 : static_cast<std::int32_t>(random.below(ranks)));
    graph.coordinates.push_back({random.unit(), random.unit(), random.unit()});
    if (has_pinned) graph.pinned.push_back(random.below(4) == 0 ? 1 : 0);
    if (has_links && i > 0) {
      graph.links.push_back({static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(random.below(i)), 1000 * random.unit(), 1});
    }
  }
  return instance;
}

Instance plain(const std::string& name, std::int32_t ranks, std::size_t objects, double seconds) {
  Instance instance{.name = name, .graph = {}, .machine = {}};
  instance.machine.ranks = ranks;
  instance.graph.seconds.assign(objects, seconds);
  instance.graph.rank.assign(objects, ranks - 1);
  instance.graph.coordinates.assign(objects, {0.5, 0.5, 0.5});
  return instance;
}

std::vector<Instance> adversaries() {
  std::vector<Instance> all{plain("no objects", 4, 0, 1),
                            plain("one rank", 1, 10, 1),
                            plain("more ranks than objects", 100, 3, 1),
                            plain("loads of zero", 5, 20, 0),
                            plain("huge loads", 3, 20, 1e300),
                            plain("tiny loads", 3, 20, std::numeric_limits<double>::denorm_min()),
                            plain("all on the last rank", 8, 500, 1),
                            plain("all pinned", 4, 10, 1)};
  all.back().graph.pinned.assign(10, 1);
  Instance one_giant = plain("one giant", 4, 50, 1e-6);
  one_giant.graph.seconds[25] = 1000;
  all.push_back(std::move(one_giant));
  return all;
}

void check_instance(const MakeStrategy& make, const Instance& instance, Faults& faults) {
  try {
    const auto strategy = make();
    const placement::Placement placement = strategy->place(instance.graph, instance.machine);
    placement::check(placement, instance.graph, instance.machine);
    if (strategy->place(instance.graph, instance.machine) != placement) {
      faults.push_back(instance.name + ": asked again, it gives another placement");
    } else if (make()->place(instance.graph, instance.machine) != placement) {
      faults.push_back(instance.name + ": another one of it gives another placement");
    }
  } catch (const std::exception& error) {
    faults.push_back(instance.name + ": " + error.what());
  }
}

}  // namespace

Faults check_strategy(const MakeStrategy& make, std::uint64_t instances) {
  constexpr std::size_t most_faults = 20;
  Faults faults;
  for (const Instance& instance : adversaries()) check_instance(make, instance, faults);
  for (std::uint64_t seed = 1; seed <= instances && faults.size() < most_faults; ++seed) {
    check_instance(make, draw_instance(seed), faults);
  }
  return faults;
}

Faults check_strategy(const placement::StrategyKind& kind, std::uint64_t instances) {
  return check_strategy([&kind] { return placement::make_strategy({kind.name, {}}); }, instances);
}

}  // namespace roam::testing
