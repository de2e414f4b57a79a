// SPDX-License-Identifier: Apache-2.0
// Refinement: ranks above a limit give objects to ranks below it, and nothing else moves. It has
// two steps. First overloaded ranks give away the fewest objects that bring them to the limit;
// these go, largest first, where they fit most closely. Then objects of ranks that are still above
// the limit are exchanged for smaller ones of other ranks. If that does not reach the limit, all
// objects are placed anew, at home if possible. Small problems are solved many times with different
// choices, and the placement with the fewest moves is taken.
#include "refine.hpp"

#include <algorithm>

#include "anneal.hpp"
#include "common.hpp"
#include "exchange.hpp"
#include "rank_work.hpp"
#include "repack.hpp"
#include "roam/core/random.hpp"
#include "roam/placement/strategy.hpp"
#include "shed.hpp"

namespace roam::placement {
namespace {

// The most objects looked at in all attempts together.
constexpr double most_work = 1e6;

// Changes tried afterwards for each object, to save moves.
constexpr std::uint64_t steps_per_attempt = 50;
constexpr std::uint64_t most_steps = 4'000'000;

struct Attempt {
  Placement placement;
  double max_seconds = 0;
  std::uint64_t moves = 0;
};

/// An attempt is better if it is within the limit with fewer moves; or, if neither is, if it is
/// faster, or as fast with fewer moves.
bool is_better(const Attempt& a, const Attempt& b, double limit) {
  const auto key = [limit](const Attempt& attempt) {
    return std::pair(std::max(attempt.max_seconds, limit * (1 + 1e-12)), attempt.moves);
  };
  return key(a) < key(b);
}

/// The problem and what all attempts need of it.
struct Problem {
  const LoadGraph& graph;
  const RankWork& now;   // with the objects where they are
  const RankWork fixed;  // with only those objects that cannot move
  const std::vector<ObjectIndex>& order;
  const ObjectLists& lists;
  double limit;
  bool is_thorough;
};

enum class Method : std::uint8_t { shed, repack };

Attempt try_once(const Problem& problem, Method method, std::int32_t number) {
  core::Random random(static_cast<std::uint64_t>(number));
  // The first attempt takes no random choices.
  core::Random* const variation = number == 0 ? nullptr : &random;
  Attempt attempt{problem.graph.rank, 0, 0};
  RankWork work = method == Method::shed ? problem.now : problem.fixed;
  work.set_limit(problem.limit);
  if (method == Method::shed) {
    shed(problem.graph, problem.lists, work, attempt.placement, variation);
  } else {
    repack(problem.graph, problem.order, work, attempt.placement, variation);
  }
  if (!work.is_within_limit()) {
    exchange(problem.graph, work, attempt.placement, problem.is_thorough, random);
  }
  bring_home(problem.graph, work, attempt.placement);
  attempt.max_seconds = work.max_seconds();
  for (std::size_t i = 0; i < attempt.placement.size(); ++i) {
    attempt.moves += attempt.placement[i] == problem.graph.rank[i] ? 0 : 1;
  }
  return attempt;
}

/// Reduces the moves of the best attempt, if such a placement is found.
void save_moves(const Problem& problem, Attempt& best, std::int32_t attempts) {
  core::Random random(0);
  RankWork work = problem.fixed;
  work.set_limit(problem.limit);
  for (const ObjectIndex object : problem.order) {
    work.add(problem.graph.seconds[object], static_cast<std::size_t>(best.placement[object]));
  }
  const std::uint64_t steps = std::min(
      most_steps, steps_per_attempt * problem.order.size() * static_cast<std::uint64_t>(attempts));
  anneal(problem.graph, problem.order, work, best.placement, steps, random);
}

class Refine final : public Strategy {
 public:
  explicit Refine(const RefineSettings& settings) : settings_(settings) {}
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return refine(graph, machine, settings_);
  }

 private:
  const RefineSettings settings_;
};

const StrategyRegistrar refine_registrar{
    {.name = "refine",
     .description = "overloaded ranks give the fewest objects that bring all within a limit",
     .parameters = {{"imbalance", "aim for max / mean - 1 of the ranks' loads", "0.01", 0, 1e6},
                    {"attempts", "different solutions to choose from, on small problems", "32", 1,
                     1e6, true}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<Refine>(
           RefineSettings{parameters.number("imbalance"), parameters.integer("attempts")});
     },
     .seconds_per_object = 1.3e-6}};

}  // namespace

Placement refine(const LoadGraph& graph, const Machine& machine, const RefineSettings& settings) {
  RankWork work(current_seconds(graph, machine), machine);
  const double limit =
      std::max(work.mean_seconds() * (1 + settings.imbalance), lower_bound_seconds(graph, machine));
  if (work.max_seconds() <= limit) return graph.rank;
  const std::vector<ObjectIndex> order = movable_by_size(graph);
  const ObjectLists lists(work.ranks(), order, graph.rank);
  const double affordable = most_work / static_cast<double>(graph.size() + work.ranks());
  const auto attempts = static_cast<std::int32_t>(
      std::clamp(affordable, 1.0, static_cast<double>(settings.attempts)));
  const Problem problem{graph,       work,  RankWork(fixed_seconds(graph, machine), machine),
                        order,       lists, limit,
                        attempts > 1};
  Attempt best{graph.rank, work.max_seconds(), 0};
  const auto attempt = [&](Method method, std::int32_t number) {
    Attempt made = try_once(problem, method, number);
    if (is_better(made, best, limit)) best = std::move(made);
  };
  for (std::int32_t i = 0; i < attempts; ++i) {
    attempt(Method::shed, i);
    if (best.max_seconds > limit * (1 + 1e-12)) attempt(Method::repack, i);
  }
  if (attempts > 1) save_moves(problem, best, attempts);
  return best.placement;
}

}  // namespace roam::placement
