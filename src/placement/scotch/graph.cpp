// SPDX-License-Identifier: Apache-2.0
// Repartitioning of the communication graph by Scotch, which weighs bytes that cross ranks against
// bytes to move (SCOTCH_graphRemapFixed; Fourestier and Pellegrini 2011). Scotch maps to ranks that
// are all equally far and, if the machine's tree is regular and all ranks are to get the same work,
// also to that tree; the better of the two mappings is taken, with bytes weighted by the level on
// which they cross. (Neither is always better: from a random start, mapping to the tree may end far
// from its best, where recursive halving happens to follow the tree.) With few objects per rank
// Scotch exceeds the limit by far. Therefore its mapping is refined until it is within the limit
// and compared with the refinement of the present placement; the better one is taken.
// scotch.h needs the following headers but does not include them.
#include <cstdint>
#include <cstdio>

#include <scotch.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "placement/communication_time.hpp"
#include "placement/strategies/adjacency.hpp"
#include "placement/strategies/cut.hpp"
#include "placement/strategies/rank_work.hpp"
#include "placement/strategies/refine.hpp"
#include "placement/strategies/refine_comm.hpp"
#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

void require(int status, const char* what) {
  if (status != 0) throw Error(std::string("strategy graph: Scotch failed in ") + what);
}

// Scotch uses whole numbers, and their sum has to fit.
constexpr double most_sum = 1 << 29;

/// Scales amounts to whole numbers of at least 1 that preserve their proportions.
template <class Amounts>
std::vector<SCOTCH_Num> scaled(const Amounts& amounts) {
  const double sum = std::accumulate(amounts.begin(), amounts.end(), 0.0);
  const double scale = sum > 0 ? most_sum / sum : 0;
  std::vector<SCOTCH_Num> result(amounts.size());
  std::ranges::transform(amounts, result.begin(), [scale](auto amount) {
    return std::max<SCOTCH_Num>(
        1, static_cast<SCOTCH_Num>(std::llround(scale * static_cast<double>(amount))));
  });
  return result;
}

struct ScotchContext {
  SCOTCH_Context handle{};
  ScotchContext() {
    require(SCOTCH_contextInit(&handle), "contextInit");
    // A random generator of its own, with the same seed every time.
    require(SCOTCH_contextRandomClone(&handle), "contextRandomClone");
    SCOTCH_contextRandomReset(&handle);
    const int no_binding = -1;
    require(SCOTCH_contextThreadSpawn(&handle, 1, &no_binding), "contextThreadSpawn");
  }
  ScotchContext(const ScotchContext&) = delete;
  ScotchContext& operator=(const ScotchContext&) = delete;
  ~ScotchContext() { SCOTCH_contextExit(&handle); }
};

struct ScotchGraph {
  SCOTCH_Graph handle{};
  ScotchGraph() { require(SCOTCH_graphInit(&handle), "graphInit"); }
  ScotchGraph(const ScotchGraph&) = delete;
  ScotchGraph& operator=(const ScotchGraph&) = delete;
  ~ScotchGraph() { SCOTCH_graphExit(&handle); }
};

/// Weights of bytes by the level of the machine's network on which they cross; the outermost level
/// counts 1. `shares` is ordered outermost first, the network innermost first.
class Distances {
 public:
  explicit Distances(const Machine& machine, const std::vector<Link>& links)
      : machine_(machine), shares_(CommunicationTime(machine).shares(links)) {}
  [[nodiscard]] const std::vector<double>& shares() const { return shares_; }
  [[nodiscard]] double bytes(const LoadGraph& graph, const Placement& placement) const {
    double sum = 0;
    for (const Link& link : graph.links) {
      if (placement[link.a] == placement[link.b]) continue;
      const std::size_t level =
          machine_.level_between(Rank(placement[link.a]), Rank(placement[link.b]));
      sum += link.bytes * shares_[shares_.size() - 1 - level];
    }
    return sum;
  }

 private:
  const Machine& machine_;
  const std::vector<double> shares_;
};

/// The machine as Scotch sees it.
class ScotchArchitecture {
 public:
  SCOTCH_Arch handle{};
  /// A machine whose ranks are all equally far from each other; `weights` are the parts of the work
  /// that they should get.
  explicit ScotchArchitecture(const std::vector<SCOTCH_Num>& weights) {
    require(SCOTCH_archInit(&handle), "archInit");
    const auto ranks = static_cast<SCOTCH_Num>(weights.size());
    require(are_alike(weights) ? SCOTCH_archCmplt(&handle, ranks)
                               : SCOTCH_archCmpltw(&handle, ranks, weights.data()),
            "archCmplt");
  }
  /// A regular tree; `shares`: distances of its levels, the root's first, which is 1. All ranks get
  /// the same.
  ScotchArchitecture(const MachineTree& tree, const std::vector<double>& shares) {
    require(SCOTCH_archInit(&handle), "archInit");
    // Distances become whole numbers with a resolution of a thousandth of the largest.
    constexpr double largest = 1000;
    std::vector<SCOTCH_Num> arities;
    std::vector<SCOTCH_Num> costs;
    for (std::size_t level = 0; level < tree.depth(); ++level) {
      arities.push_back(*tree.arity(level));
      costs.push_back(
          std::max<SCOTCH_Num>(1, static_cast<SCOTCH_Num>(std::llround(largest * shares[level]))));
    }
    require(SCOTCH_archTleaf(&handle, static_cast<SCOTCH_Num>(arities.size()), arities.data(),
                             costs.data()),
            "archTleaf");
  }
  ScotchArchitecture(const ScotchArchitecture&) = delete;
  ScotchArchitecture& operator=(const ScotchArchitecture&) = delete;
  ~ScotchArchitecture() { SCOTCH_archExit(&handle); }

  [[nodiscard]] static bool are_alike(const std::vector<SCOTCH_Num>& weights) {
    return std::ranges::adjacent_find(weights, std::not_equal_to{}) == weights.end();
  }
};

struct ScotchStrategy {
  SCOTCH_Strat handle{};
  // Refining all parts at once takes time for each object and part; graphs with more objects are
  // halved recursively, with cuts that turned out no worse.
  static constexpr std::size_t most_objects_at_once = 20'000;
  ScotchStrategy(std::int32_t ranks, double imbalance, std::size_t objects) {
    require(SCOTCH_stratInit(&handle), "stratInit");
    const SCOTCH_Num kind = objects <= most_objects_at_once
                                ? SCOTCH_STRATQUALITY
                                : SCOTCH_STRATSPEED | SCOTCH_STRATRECURSIVE;
    require(SCOTCH_stratGraphMapBuild(&handle, kind, ranks, imbalance), "stratGraphMapBuild");
  }
  ScotchStrategy(const ScotchStrategy&) = delete;
  ScotchStrategy& operator=(const ScotchStrategy&) = delete;
  ~ScotchStrategy() { SCOTCH_stratExit(&handle); }
};

/// The objects that communicate, in the arrays that Scotch wants, which must live as long as Scotch
/// uses them. Objects without links are left out: they would only slow it down.
struct CompressedGraph {
  std::vector<ObjectIndex> objects;
  std::vector<SCOTCH_Num> begin{0};
  std::vector<SCOTCH_Num> neighbours;
  std::vector<SCOTCH_Num> loads;
  std::vector<SCOTCH_Num> bytes;

  explicit CompressedGraph(const LoadGraph& graph) {
    const Adjacency adjacency(graph);
    std::vector<SCOTCH_Num> number(graph.size());
    std::vector<double> seconds;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (adjacency.of(i).empty()) continue;
      number[i] = static_cast<SCOTCH_Num>(objects.size());
      objects.push_back(static_cast<ObjectIndex>(i));
      seconds.push_back(graph.seconds[i]);
    }
    loads = scaled(seconds);
    std::vector<double> amounts;
    std::vector<std::pair<ObjectIndex, double>> merged;
    for (const ObjectIndex i : objects) {
      merged.clear();
      for (const auto& [object, amount] : adjacency.of(i)) merged.emplace_back(object, amount);
      std::ranges::sort(merged);
      const std::size_t first = neighbours.size();
      for (const auto& [object, amount] : merged) {
        if (neighbours.size() > first && neighbours.back() == number[object]) {
          amounts.back() += amount;
        } else {
          neighbours.push_back(number[object]);
          amounts.push_back(amount);
        }
      }
      begin.push_back(static_cast<SCOTCH_Num>(neighbours.size()));
    }
    bytes = scaled(amounts);
  }
};

class GraphStrategy final : public Strategy {
 public:
  GraphStrategy(double imbalance, double migration_weight)
      : imbalance_(imbalance), migration_weight_(migration_weight) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    if (graph.size() == 0 || machine.ranks == 1) return graph.rank;
    const CompressedGraph compressed(graph);
    if (compressed.objects.empty()) return refine(graph, machine, {.imbalance = imbalance_});
    const RankWork work(current_seconds(graph, machine), machine);
    const double limit =
        std::max(work.mean_seconds() * (1 + imbalance_), lower_bound_seconds(graph, machine));
    const Distances distances(machine, graph.links);
    Placement best = refine_comm(graph, machine, {.imbalance = imbalance_});
    const double most_bytes = distances.bytes(graph, best);
    reduce_cut(graph, machine, limit, migration_weight_, best);
    const auto cost_of = [&](const Placement& placement) {
      return cost(graph, machine, placement, limit, most_bytes, distances);
    };
    const auto take_if_better = [&](const ScotchArchitecture& architecture) {
      LoadGraph anew = graph;
      anew.rank = repartition(graph, machine, compressed, architecture);
      anew.rank = refine_comm(anew, machine, {.imbalance = imbalance_});
      reduce_cut(graph, machine, limit, migration_weight_, anew.rank);
      if (cost_of(anew.rank) < cost_of(best)) best = std::move(anew.rank);
    };
    const std::vector<SCOTCH_Num> weights = shares(graph, machine);
    take_if_better(ScotchArchitecture(weights));
    const MachineTree tree = tree_of(machine);
    if (tree.depth() > 1 && tree.is_regular() && ScotchArchitecture::are_alike(weights))
      take_if_better(ScotchArchitecture(tree, distances.shares()));
    return best;
  }

 private:
  /// The cost of a placement, compared in this order: time above the limit; bytes that cross ranks;
  /// bytes in all.
  [[nodiscard]] std::array<double, 3> cost(const LoadGraph& graph, const Machine& machine,
                                           const Placement& placement, double limit,
                                           double most_bytes, const Distances& distances) const {
    const Quality quality = assess(graph, machine, placement);
    const double moved = graph.bytes.empty() ? static_cast<double>(quality.moved_objects)
                                             : static_cast<double>(quality.moved_bytes);
    const double bytes = distances.bytes(graph, placement);
    return {std::max(quality.max_seconds, limit * (1 + 1e-9)), std::max(bytes, most_bytes),
            bytes + migration_weight_ * moved};
  }

  /// The placement that Scotch finds; objects without links stay where they are.
  [[nodiscard]] Placement repartition(const LoadGraph& graph, const Machine& machine,
                                      const CompressedGraph& compressed,
                                      const ScotchArchitecture& architecture) const {
    ScotchContext context;
    ScotchGraph plain;
    ScotchGraph bound;
    const auto objects = static_cast<SCOTCH_Num>(compressed.objects.size());
    require(SCOTCH_graphBuild(&plain.handle, 0, objects, compressed.begin.data(), nullptr,
                              compressed.loads.data(), nullptr,
                              static_cast<SCOTCH_Num>(compressed.neighbours.size()),
                              compressed.neighbours.data(), compressed.bytes.data()),
            "graphBuild");
    require(SCOTCH_contextBindGraph(&context.handle, &plain.handle, &bound.handle),
            "contextBindGraph");
    ScotchStrategy strategy(machine.ranks, imbalance_, compressed.objects.size());
    std::vector<SCOTCH_Num> before;
    std::vector<SCOTCH_Num> after;  // -1: may go anywhere
    for (const ObjectIndex i : compressed.objects) {
      before.push_back(graph.rank[i]);
      after.push_back(graph.is_pinned(i) ? graph.rank[i] : -1);
    }
    const std::vector<SCOTCH_Num> weights = migration_weights(graph, compressed);
    require(
        SCOTCH_graphRemapFixed(&bound.handle, &architecture.handle, before.data(),
                               migration_weight_, weights.data(), &strategy.handle, after.data()),
        "graphRemapFixed");
    Placement placement = graph.rank;
    for (std::size_t k = 0; k < after.size(); ++k) {
      placement[compressed.objects[k]] = static_cast<std::int32_t>(after[k]);
    }
    return placement;
  }

  /// What each rank should get of the objects' work: its capacity less its background.
  [[nodiscard]] static std::vector<SCOTCH_Num> shares(const LoadGraph& graph,
                                                      const Machine& machine) {
    std::vector<double> share = capacities(machine);
    if (!graph.background_seconds.empty()) {
      const double even = lower_bound_seconds(graph, machine);
      for (std::size_t r = 0; r < share.size(); ++r) {
        share[r] = std::max(0.0, share[r] * even - graph.background(r));
      }
    }
    return scaled(share);
  }

  /// Bytes to move on the scale of the bytes of links.
  [[nodiscard]] static std::vector<SCOTCH_Num> migration_weights(
      const LoadGraph& graph, const CompressedGraph& compressed) {
    double sum = 0;
    for (const Link& link : graph.links) sum += 2 * link.bytes;  // as CompressedGraph counts them
    const double scale = sum > 0 ? most_sum / sum : 0;
    std::vector<SCOTCH_Num> weights(compressed.objects.size(), 1);
    if (graph.bytes.empty()) return weights;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      const double weight = scale * static_cast<double>(graph.bytes[compressed.objects[k]]);
      weights[k] = static_cast<SCOTCH_Num>(
          std::clamp(weight, 1.0, most_sum / static_cast<double>(weights.size())));
    }
    return weights;
  }

  const double imbalance_;
  const double migration_weight_;
};

const StrategyRegistrar graph_registrar{
    {.name = "graph",
     .description = "repartitions the communication graph (Scotch), heeding the cost of moving",
     .parameters = {{"imbalance", "allowed max / mean - 1 of the ranks' loads", "0.01", 0, 10},
                    {"migration_weight", "a byte to move counts as so many bytes of messages",
                     "0.1", 0, 1e6}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<GraphStrategy>(parameters.number("imbalance"),
                                              parameters.number("migration_weight"));
     },
     .seconds_per_object = 3e-6,
     .uses_links = true}};

}  // namespace
}  // namespace roam::placement
