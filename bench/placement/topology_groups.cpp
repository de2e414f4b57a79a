// SPDX-License-Identifier: Apache-2.0
// The strategy topology decided in groups of ranks, beside one rank that decides for all: how good
// the placement is, how long the ranks compute and how much memory they need. Blocks of a periodic
// cube exchange faces with their six neighbours; eight are on each rank, halves of the cube on
// halves of the machine, but shuffled within each node, and their work grows along one direction.
// "few" has four blocks on each rank, as apps/stencil3d --uneven begins with: two fifths of them
// small, the others up to eight times as large, so that groups have few small ones or few large
// ones.
//   bench_topology_groups [--short] [--json FILE]                  --short: the smallest one
//   alone
#include <malloc.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <nlohmann/json.hpp>
#include <roam/core/detail/machine_tree.hpp>
#include <roam/placement/detail/gathered_loads.hpp>
#include <roam/placement/detail/place_in_steps.hpp>
#include <roam/placement/strategy.hpp>
#include <roam/topology/detail/mapping/measures.hpp>
#include <string>
#include <vector>

#include "../support/processor_time.hpp"
#include "../support/report.hpp"

namespace {

/// Bytes on the heap, of which the most since the last reset. One thread.
struct Heap {
  static inline std::int64_t held = 0;
  static inline std::int64_t most = 0;

  static void* allocate(std::size_t bytes) {
    void* const place = std::malloc(bytes == 0 ? 1 : bytes);
    if (place == nullptr) throw std::bad_alloc();
    held += static_cast<std::int64_t>(malloc_usable_size(place));
    most = std::max(most, held);
    return place;
  }
  static void free(void* place) noexcept {
    held -= static_cast<std::int64_t>(malloc_usable_size(place));
    std::free(place);
  }
};

}  // namespace

void* operator new(std::size_t bytes) { return Heap::allocate(bytes); }
void operator delete(void* place) noexcept { Heap::free(place); }
void operator delete(void* place, std::size_t) noexcept { Heap::free(place); }

namespace {

using namespace roam::placement;

struct Size {
  std::int32_t ranks;
  std::uint32_t x, y, z;  ///< blocks; powers of two
};

/// Packages of 4 ranks, nodes of 16, switches of 512; each level has a quarter of the bandwidth of
/// the one inside.
roam::Machine machine_of(std::int32_t ranks) {
  roam::Machine machine;
  machine.ranks = ranks;
  machine.workers_per_rank = 1;
  machine.network = {{.name = "package", .group_ranks = 4},
                     {.name = "node", .group_ranks = 16},
                     {.name = "switch", .group_ranks = 512},
                     {.name = "machine"}};
  double bandwidth = 40e9;
  for (roam::NetworkLevel& level : machine.network) {
    level.bandwidth_bytes_per_second = bandwidth;
    bandwidth /= 4;
  }
  return machine;
}

/// The place of a block in an order in which halves of the cube are halves of the order.
std::uint32_t in_order(const Size& size, std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  std::uint32_t place = 0;
  for (std::uint32_t bit = std::max({size.x, size.y, size.z}) / 2; bit > 0; bit /= 2) {
    for (const auto& [coordinate, side] :
         {std::pair(x, size.x), std::pair(y, size.y), std::pair(z, size.z)}) {
      if (bit < side) place = 2 * place + ((coordinate & bit) != 0 ? 1 : 0);
    }
  }
  return place;
}

LoadGraph graph_of(const Size& size) {
  LoadGraph graph;
  roam::core::Random random(1);
  const std::uint32_t blocks = size.x * size.y * size.z;
  const std::uint32_t each = blocks / static_cast<std::uint32_t>(size.ranks);
  const auto number = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (x % size.x * size.y + y % size.y) * size.z + z % size.z;
  };
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const std::uint32_t x = i / (size.y * size.z);
    const std::uint32_t y = i / size.z % size.y;
    const std::uint32_t z = i % size.z;
    const auto rank = static_cast<std::int32_t>(in_order(size, x, y, z) / each);
    graph.rank.push_back(rank / 16 * 16 + static_cast<std::int32_t>(random.below(16)));
    graph.seconds.push_back(1e-3 * (1 + 0.5 * x / size.x) * (0.8 + 0.4 * random.unit()));
    graph.bytes.push_back(100'000);
    for (const std::uint32_t other :
         {number(x + 1, y, z), number(x, y + 1, z), number(x, y, z + 1)})
      graph.links.push_back({i, other, 4e5, 2});
  }
  return graph;
}

/// Four blocks on each of 1,024 ranks, in the order of the ranks.
LoadGraph graph_of_few() {
  LoadGraph graph;
  constexpr std::uint32_t side = 16;
  constexpr std::uint32_t blocks = side * side * side;
  const auto number = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (x % side * side + y % side) * side + z % side;
  };
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const bool is_small = 5 * i < blocks || 5 * i >= 4 * blocks;
    graph.rank.push_back(static_cast<std::int32_t>(i / 4));
    graph.seconds.push_back(64e-6 * (is_small ? 10 : 5 + 100 * i / blocks));
    graph.bytes.push_back(1000);
    const std::uint32_t x = i / (side * side);
    const std::uint32_t y = i / side % side;
    const std::uint32_t z = i % side;
    for (const std::uint32_t other :
         {number(x + 1, y, z), number(x, y + 1, z), number(x, y, z + 1)})
      graph.links.push_back({i, other, 256, 2});
  }
  return graph;
}

/// What a rank has needed.
struct Use {
  double seconds = 0;
  std::int64_t held = 0;
  std::int64_t most = 0;
  std::size_t received = 0;  ///< bytes
  double busy_now = 0;       ///< as the strategy says
};

/// Measures each step of one rank.
class Measured final : public DistributedStrategy {
 public:
  Measured(std::unique_ptr<DistributedStrategy> rank, Use& use)
      : rank_(std::move(rank)), use_(use) {}
  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override {
    for (const StepMessage& message : received) use_.received += message.bytes.size();
    const std::int64_t before = Heap::held;
    Heap::most = before;
    const double begin = bench::processor_seconds();
    const bool goes_on = rank_->step(host, received);
    use_.seconds += bench::processor_seconds() - begin;
    use_.most = std::max(use_.most, use_.held + Heap::most - before);
    use_.held += Heap::held - before;
    return goes_on;
  }
  [[nodiscard]] Result result() override {
    Result result = rank_->result();
    use_.busy_now = result.busy_seconds_now;
    return result;
  }

 private:
  const std::unique_ptr<DistributedStrategy> rank_;
  Use& use_;
};

/// The problem, and how long the busiest rank is busy at the start, with work and communication.
struct Problem {
  LoadGraph graph;
  roam::Machine machine;
  double busy_at_start = 0;
};

/// What the busiest rank gains by a placement.
double gain(const Problem& problem, const Placement& placement) {
  const auto& kind = roam::plugin::require<StrategyKind>("topology");
  return prospect_of(
             placement, {problem.graph, problem.machine}, kind, 0, 0,
             [](std::uint64_t) { return 0.0; }, true)
      .gain_seconds;
}

/// Bytes by the distance that they go: 1 in a package, 64 between switches.
double cost(const Problem& problem, const Placement& placement) {
  std::vector<roam::topology::Communication> communications;
  for (const Link& link : problem.graph.links)
    communications.push_back({link.a, link.b, link.bytes});
  const auto tree = tree_of(problem.machine).with_distances(std::vector<double>{64, 16, 4, 1});
  return roam::topology::measure(communications, tree, placement).cost;
}

nlohmann::json print(const char* who, const Problem& problem, const Placement& placement,
                     double seconds) {
  const Quality quality = assess(problem.graph, problem.machine, placement);
  const double busy = problem.busy_at_start - gain(problem, placement);
  const double communication = cost(problem, placement) / cost(problem, problem.graph.rank);
  const std::int32_t ranks = problem.machine.ranks;
  std::printf("%7d %-18s %10.3f %10.4f %10.3f %9llu %10.3f\n", ranks, who,
              busy / quality.mean_seconds, quality.imbalance, communication,
              static_cast<unsigned long long>(quality.moved_objects), seconds);
  return {{"ranks", ranks},
          {"placement", who},
          {"busy_over_mean_work", busy / quality.mean_seconds},
          {"imbalance", quality.imbalance},
          {"communication_over_start", communication},
          {"moved_objects", quality.moved_objects},
          {"seconds", seconds}};
}

nlohmann::json in_groups(Problem& problem) {
  const LoadGraph& graph = problem.graph;
  const roam::Machine& machine = problem.machine;
  const roam::PluginChoice choice{"topology", {}};
  const auto& kind = roam::plugin::require<StrategyKind>(choice.name);
  const roam::plugin::Parameters parameters("strategy topology", kind.parameters, choice);
  std::vector<Use> uses(static_cast<std::size_t>(machine.ranks));
  const Placement placement = place_in_steps(graph, machine, 1, [&](RankShare share) {
    Use& use = uses[share.rank.index()];
    return std::make_unique<Measured>(kind.distribute(parameters, std::move(share)), use);
  });
  const Use& root = uses.front();
  problem.busy_at_start = root.busy_now;
  Use slowest;
  Use largest_other;
  for (std::size_t r = 1; r < uses.size(); ++r) {
    slowest.seconds = std::max(slowest.seconds, uses[r].seconds);
    slowest.most = std::max(slowest.most, uses[r].most);
    slowest.received = std::max(slowest.received, uses[r].received);
    if (r % 4 == 0) continue;  // may lead a group
    largest_other.seconds = std::max(largest_other.seconds, uses[r].seconds);
    largest_other.most = std::max(largest_other.most, uses[r].most);
  }
  nlohmann::json result =
      print("in groups", problem, placement, std::max(root.seconds, slowest.seconds));
  std::printf(
      "        rank 0: %.3f s, %.2f MB, %.2f MB received; slowest other: %.3f s, %.2f MB, "
      "%.2f MB received; no leader: %.2g s, %.3f MB\n",
      root.seconds, 1e-6 * static_cast<double>(root.most),
      1e-6 * static_cast<double>(root.received), slowest.seconds,
      1e-6 * static_cast<double>(slowest.most), 1e-6 * static_cast<double>(slowest.received),
      largest_other.seconds, 1e-6 * static_cast<double>(largest_other.most));
  result["rank_0"] = {{"seconds", root.seconds}, {"bytes", root.most}};
  result["slowest_leader"] = {{"seconds", slowest.seconds}, {"bytes", slowest.most}};
  result["no_leader"] = {{"seconds", largest_other.seconds}, {"bytes", largest_other.most}};
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  std::printf("%7s %-18s %10s %10s %10s %9s %10s\n", "ranks", "", "busy/mean", "imbalance",
              "cost/start", "moved", "decision s");
  nlohmann::json results = nlohmann::json::array();
  const auto compare = [&results](const char* blocks, Problem problem) {
    std::printf("%s\n", blocks);
    results.push_back(in_groups(problem));
    results.push_back(print("start", problem, problem.graph.rank, 0));
    if (problem.machine.ranks <= 4096) {
      const auto strategy = make_strategy({"topology", {}});
      const double begin = bench::processor_seconds();
      const Placement placement = strategy->place(problem.graph, problem.machine);
      results.push_back(
          print("one rank for all", problem, placement, bench::processor_seconds() - begin));
    }
    for (std::size_t row = results.size(); row-- > 0 && !results[row].contains("blocks");)
      results[row]["blocks"] = blocks;
  };
  if (!settings.is_short) compare("few", {graph_of_few(), machine_of(1024)});
  for (const Size& size : {Size{512, 16, 16, 16}, Size{1024, 32, 16, 16}, Size{4096, 32, 32, 32},
                           Size{131072, 128, 128, 64}}) {
    if (settings.is_short && size.ranks > 512) continue;
    compare("eight", {graph_of(size), machine_of(size.ranks)});
  }
  bench::write_json(settings.json, results);
  return 0;
}
