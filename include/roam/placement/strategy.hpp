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

class PartedStrategy;

/// A load balancing strategy: computes from the loads of a phase the rank of each object in the
/// next.
class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  /// Computes a placement. Pure: the same input gives the same placement on every machine; may be
  /// called from any thread. The graph has passed check(graph, machine). Pinned objects stay where
  /// they are. Loads of 0 and machines of one rank are allowed.
  [[nodiscard]] virtual Placement place(const LoadGraph& graph, const Machine& machine) const = 0;
  /// The strategy as one whose decision falls into parts (see parted.hpp), which a running job then
  /// decides on different ranks; nullptr if it does not.
  [[nodiscard]] virtual const PartedStrategy* parted() const { return nullptr; }
};

/// Describes a strategy under the name that the command line uses. Registered by one line next to
/// its implementation:
///
///   const StrategyRegistrar registrar{{.name = "greedy", ...}};
struct StrategyKind {
  std::string name;                           ///< for --roam-balancer
  std::string description;                    ///< one line
  std::vector<plugin::Parameter> parameters;  ///< the parameters allowed in NAME:key=value
  /// Creates the strategy. Throws ConfigError for combinations of parameters that are not allowed.
  std::unique_ptr<Strategy> (*create)(const plugin::Parameters& parameters);
  /// Optional: creates the part of one rank (see distributed.hpp). A running job then decides
  /// without sending all loads to one rank.
  std::unique_ptr<DistributedStrategy> (*distribute)(const plugin::Parameters& parameters,
                                                     RankShare share) = nullptr;
  /// Optional: smaller jobs are decided by one rank even if the strategy can be distributed, as one
  /// that sees everything decides better.
  std::int32_t (*least_ranks_to_distribute)(const plugin::Parameters& parameters) = nullptr;
  /// Time of a decision per object, in seconds on a current core, as measured by bench_strategies;
  /// charged in virtual time.
  double seconds_per_object = 1e-6;
  /// Further time of a decision per pair of objects that communicate, in seconds.
  double seconds_per_link = 0;
  /// True for strategies that take communication into account: a running job then counts which
  /// objects call which.
  bool uses_links = false;
  /// True for strategies for which less or nearer communication is a gain too: at the end of a
  /// phase they may move objects for that alone, even if work is balanced.
  bool gains_by_communication = false;
  /// True for strategies that need the coordinates of objects: in a running job, objects of classes
  /// without coordinates() are then an error.
  bool uses_coordinates = false;
  /// True for strategies whose purpose is to move objects, whether or not that gains anything.
  bool moves_without_gain = false;
  /// True for strategies that take nothing into account. The placement of any other strategy is
  /// corrected to respect the memory limit of the ranks (MemoryNeeds), if the graph has one.
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

/// Registers a strategy as long as it exists: a static constant beside the strategy's
/// implementation.
using StrategyRegistrar = plugin::Registrar<StrategyKind>;

/// The strategies linked into this program, sorted by name.
[[nodiscard]] inline std::vector<const StrategyKind*> strategies() {
  return plugin::all<StrategyKind>();
}

/// Creates the strategy of that name with those parameters. Throws ConfigError, whose message
/// starts with `origin` and says what was given, what is allowed and what may have been meant.
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const PluginChoice& choice,
                                                      std::string_view origin = "--strategy");

}  // namespace roam::placement
