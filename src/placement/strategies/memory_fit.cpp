// SPDX-License-Identifier: Apache-2.0
// Simulated annealing over three kinds of excess: memory above the limit, time above what the
// strategy has reached, objects away from home. All objects of a rank that share a block change
// places together, as well as single objects: as long as they are on two ranks, the block needs its
// memory twice.
#include "memory_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rank_memory.hpp"
#include "rank_work.hpp"
#include "roam/core/random.hpp"

namespace roam::placement {

namespace {

// Costs in objects away from home: of a rank that needs twice the limit, and of one that exceeds
// its time by the mean time.
constexpr double memory_cost = 3000;
constexpr double time_cost = 1000;
constexpr double first_fit_temperature = 300;
constexpr double last_fit_temperature = 0.05;
constexpr std::uint64_t fit_steps_per_temperature = 64;
constexpr std::uint64_t steps_per_object = 4000;
constexpr std::uint64_t most_fit_steps = 2'000'000;
constexpr int most_rounds = 8;

class MemoryFit {
 public:
  MemoryFit(const LoadGraph& graph, const Machine& machine, Placement& placement)
      : graph_(graph),
        movable_(movable_by_size(graph)),
        placement_(placement),
        work_(current_seconds(at(graph, placement), machine), machine),
        memory_(graph.memory, placement),
        block_objects_(graph.memory.block_bytes.size()),
        mean_seconds_(std::max(work_.mean_seconds(), 1e-300)) {
    limit_seconds_ = std::max(work_.max_seconds(), lower_bound_seconds(graph, machine));
    for (const ObjectIndex object : movable_) {
      const std::uint32_t block = graph.memory.block[object];
      if (block != MemoryNeeds::no_block) block_objects_[block].push_back(object);
    }
  }

  [[nodiscard]] bool is_needed() const {
    for (std::size_t r = 0; r < work_.ranks(); ++r) {
      if (memory_.excess(r) > 0) return true;
    }
    return false;
  }

  void run() {
    if (movable_.empty() || work_.ranks() < 2) return;
    const std::uint64_t steps = std::min(most_fit_steps, steps_per_object * movable_.size());
    const auto rounds = static_cast<int>(
        std::clamp<std::uint64_t>(most_fit_steps / steps, 1, std::uint64_t{most_rounds}));
    best_ = placement_;
    best_cost_ = cost_ = whole_cost();
    for (int round = 0; round < rounds && has_excess_; ++round) {
      anneal(steps, core::Random(static_cast<std::uint64_t>(round)));
    }
    placement_ = best_;
  }

 private:
  /// The graph with the objects where the placement has them.
  static LoadGraph at(const LoadGraph& graph, const Placement& placement) {
    LoadGraph moved;
    moved.seconds = graph.seconds;
    moved.rank = placement;
    moved.background_seconds = graph.background_seconds;
    return moved;
  }

  [[nodiscard]] double rank_cost(std::size_t r) const {
    const double over = std::max(0.0, work_.time(r) - limit_seconds_);
    const double unit = std::max(graph_.memory.limit_bytes, 1.0);
    const double memory = memory_.excess(r) / unit;
    // Any excess at all costs more than a move; otherwise the search would not end within the
    // limits.
    return (memory > 0 ? memory_cost * memory + 10 : 0) +
           (over > 1e-9 * mean_seconds_ ? time_cost * over / mean_seconds_ + 2 : 0);
  }
  [[nodiscard]] double away(ObjectIndex object, std::size_t r) const {
    return static_cast<std::size_t>(graph_.rank[object]) == r ? 0 : 1;
  }
  [[nodiscard]] double whole_cost() const {
    double cost = 0;
    for (std::size_t r = 0; r < work_.ranks(); ++r) cost += rank_cost(r);
    for (const ObjectIndex object : movable_) cost += away(object, rank_of(object));
    return cost;
  }
  [[nodiscard]] std::size_t rank_of(ObjectIndex object) const {
    return static_cast<std::size_t>(placement_[object]);
  }

  void anneal(std::uint64_t steps, core::Random random) {
    const double cooling =
        std::pow(last_fit_temperature / first_fit_temperature,
                 static_cast<double>(fit_steps_per_temperature) / static_cast<double>(steps));
    double temperature = first_fit_temperature;
    for (std::uint64_t step = 0; step < steps; ++step) {
      if (step % fit_steps_per_temperature == 0) temperature *= cooling;
      try_change(temperature, random);
      if (cost_ < best_cost_ - 1e-9) {
        best_cost_ = cost_;
        best_ = placement_;
        has_excess_ = any_excess();
      }
    }
  }

  [[nodiscard]] bool any_excess() const {
    for (std::size_t r = 0; r < work_.ranks(); ++r) {
      if (rank_cost(r) > 0) return true;
    }
    return false;
  }

  /// Draws what moves: one object of a rank, or all objects there that share its block.
  [[nodiscard]] std::vector<ObjectIndex> draw_share(ObjectIndex object, bool whole) const {
    const std::uint32_t block = graph_.memory.block[object];
    if (!whole || block == MemoryNeeds::no_block) return {object};
    std::vector<ObjectIndex> share;
    for (const ObjectIndex other : block_objects_[block]) {
      if (placement_[other] == placement_[object]) share.push_back(other);
    }
    return share;
  }

  void try_change(double temperature, core::Random& random) {
    const ObjectIndex first = movable_[random.below(movable_.size())];
    const std::uint64_t kind = random.below(8);
    const std::size_t from = rank_of(first);
    const std::vector<ObjectIndex> given = draw_share(first, (kind & 1) != 0);
    std::vector<ObjectIndex> taken;
    std::size_t to = random.below(work_.ranks());
    if (kind < 4) {  // exchange with objects of another rank
      const ObjectIndex second = movable_[random.below(movable_.size())];
      to = rank_of(second);
      taken = draw_share(second, (kind & 2) != 0);
    } else if (kind == 4) {
      to = static_cast<std::size_t>(graph_.rank[first]);
    }
    if (to == from) return;
    const double before = rank_cost(from) + rank_cost(to);
    const double moves = put(given, from, to) + put(taken, to, from);
    const double change = rank_cost(from) + rank_cost(to) - before + moves;
    if (change <= 0 || random.unit() < std::exp(-change / temperature)) {
      cost_ += change;
      return;
    }
    put(given, to, from);
    put(taken, from, to);
  }

  /// Moves the objects and returns how many more are then away from home.
  double put(const std::vector<ObjectIndex>& objects, std::size_t from, std::size_t to) {
    double moves = 0;
    for (const ObjectIndex object : objects) {
      moves += away(object, to) - away(object, from);
      work_.move(graph_.seconds[object], from, to);
      memory_.move(object, from, to);
      placement_[object] = static_cast<std::int32_t>(to);
    }
    return moves;
  }

  const LoadGraph& graph_;
  const std::vector<ObjectIndex> movable_;
  Placement& placement_;
  RankWork work_;
  RankMemory memory_;
  std::vector<std::vector<ObjectIndex>> block_objects_;  // of each block, the objects that can move
  const double mean_seconds_;
  double limit_seconds_ = 0;
  double cost_ = 0;
  Placement best_;
  double best_cost_ = 0;
  bool has_excess_ = true;
};

}  // namespace

Placement fit_memory(const LoadGraph& graph, const Machine& machine, Placement placement) {
  if (!graph.memory.is_limited()) return placement;
  MemoryFit fit(graph, machine, placement);
  if (fit.is_needed()) fit.run();
  return placement;
}

}  // namespace roam::placement
