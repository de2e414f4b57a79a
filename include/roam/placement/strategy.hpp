// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/plugin/registrar.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/load_graph.hpp"

namespace roam::placement {

/// A load balancing strategy: from the loads of a phase to the ranks of the objects in the next.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// Pure: the same input gives the same placement, on every machine; any thread. The graph has
  /// passed check(graph, machine). Pinned objects stay. Loads of 0 and machines of one rank are
  /// fine.
  [[nodiscard]] virtual Placement place(const LoadGraph& graph, const Machine& machine) const = 0;
};

/// One strategy, as the command line names it. Registered by one line next to its implementation:
///
///   const StrategyRegistrar registrar{{.name = "greedy", ...}};
struct StrategyKind {
  std::string name;                           ///< for --roam-balancer
  std::string description;                    ///< one line
  std::vector<plugin::Parameter> parameters;  ///< of NAME:key=value
  /// Throws ConfigError for what a parameter on its own cannot say.
  std::unique_ptr<Strategy> (*create)(const plugin::Parameters& parameters);
  /// Optional: the part of one rank (see distributed.hpp) in a running job, which then decides
  /// without sending all loads to one rank.
  std::unique_ptr<DistributedStrategy> (*distribute)(const plugin::Parameters& parameters,
                                                     RankShare share) = nullptr;
  /// Seconds for each object that a decision takes on a current core, as bench_strategies measures
  /// it: charged in virtual time.
  double seconds_per_object = 1e-6;
  /// The same for each pair of objects that communicate, besides.
  double seconds_per_link = 0;
  /// True for strategies that heed who talks to whom: in a running job it is then counted.
  bool uses_links = false;
  /// True for strategies that gain by talk as well: at the ends of phases, less of it, or nearer,
  /// is worth moving for even where work is balanced.
  bool gains_by_talk = false;
  /// True for strategies that need the places of objects in the problem: in a running job, objects
  /// of classes without coordinates() are then an error.
  bool uses_coordinates = false;
  /// True for strategies that are there to move objects, not to gain by it.
  bool moves_without_gain = false;
  /// True for strategies that look at nothing. What any other one says is brought within the limit
  /// of the ranks' memory (MemoryNeeds), where the graph has one.
  bool ignores_memory = false;
};

}  // namespace roam::placement

template <>
struct roam::plugin::Family<roam::placement::StrategyKind> {
  static constexpr const char* name = "strategy";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout =
      layout_of<placement::StrategyKind, placement::LoadGraph, placement::RankShare,
                placement::ObjectNote, placement::DistributedStrategy::Result, Machine,
                NetworkLevel>();
};

namespace roam::placement {

/// Registers a strategy by living, as a static constant beside its implementation.
using StrategyRegistrar = plugin::Registrar<StrategyKind>;

/// The strategies linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const StrategyKind*> strategies() {
  return plugin::all<StrategyKind>();
}

/// The strategy of that name with those parameters. Throws ConfigError (what was given, what is
/// allowed, a suggestion) that starts with `origin`.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice,
                                                      std::string_view origin = "--strategy");

}  // namespace roam::placement
