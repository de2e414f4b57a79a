// SPDX-License-Identifier: Apache-2.0
// Strategies on random problems: the promises of all, and further properties of some.
#include "roam/placement/strategy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "load_instances.hpp"
#include "roam/core/error.hpp"
#include "sanitizers.hpp"

namespace roam::placement::strategy_test {
namespace {

using testing::draw_instance;
using testing::draw_one_of_many;
using testing::Instance;

constexpr double rounding = 1 + 1e-9;
// Number of random and recorded problems for each strategy; smaller under the address sanitizer,
// and for strategies that search.
constexpr int many = roam::tests::has_address_sanitizer ? 1'000 : 10'000;

int many_for(const std::string& choice) {
  for (const char* searches : {"refine", "graph", "topology", "tree_based"}) {
    if (choice.find(searches) != std::string::npos) return many / 4;
  }
  return many;
}

std::string names_of_all() {
  std::string names;
  for (const StrategyKind* kind : strategies()) names += kind->name + " ";
  return names;
}

Placement place(const std::string& choice, const Instance& instance) {
  return make_strategy(parse_plugin_choice(choice))->place(instance.graph, instance.machine);
}

double makespan(const Instance& instance, const Placement& placement) {
  return assess(instance.graph, instance.machine, placement).max_seconds;
}

class Strategies : public ::testing::TestWithParam<std::string> {};

TEST_P(Strategies, place_every_object_once_and_the_same_way_each_time) {
  for (int seed = 0; seed < many_for(GetParam()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = draw_one_of_many(static_cast<std::uint64_t>(seed));
    ASSERT_NO_THROW(check(instance.graph, instance.machine));
    const Placement placement = place(GetParam(), instance);
    ASSERT_NO_THROW(check(placement, instance.graph, instance.machine));
    ASSERT_EQ(placement, place(GetParam(), instance));
    const Quality quality = assess(instance.graph, instance.machine, placement);
    ASSERT_GE(quality.max_seconds * rounding, quality.bound_seconds);
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const StrategyKind* kind : strategies()) names.push_back(kind->name);
  for (const char* more : {"hybrid:group_ranks=3,inside=refine", "hierarchical:arity=2",
                           "refine:imbalance=0", "refine_comm:imbalance=0"}) {
    names.emplace_back(more);
  }
  return names;
}

std::string test_name(const ::testing::TestParamInfo<std::string>& tested) {
  std::string name = tested.param;
  std::ranges::replace_if(
      name, [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Strategies, ::testing::ValuesIn(all_names()), test_name);

class Refining : public ::testing::TestWithParam<std::string> {};

TEST_P(Refining, is_never_slower_than_what_it_starts_from) {
  for (int seed = 0; seed < many_for(GetParam()); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = draw_one_of_many(static_cast<std::uint64_t>(seed));
    ASSERT_LE(makespan(instance, place(GetParam(), instance)),
              makespan(instance, instance.graph.rank) * rounding);
  }
}

TEST_P(Refining, moves_nothing_where_nothing_can_be_gained) {
  Instance instance;
  instance.machine.ranks = 4;
  for (int i = 0; i < 40; ++i) {
    instance.graph.seconds.push_back(1);
    instance.graph.rank.push_back(i % 4);
  }
  EXPECT_EQ(place(GetParam(), instance), instance.graph.rank);
}

INSTANTIATE_TEST_SUITE_P(All, Refining,
                         ::testing::Values("refine", "refine:imbalance=0", "refine_comm"),
                         test_name);

/// The minimal makespan, by trying everything that could be better.
class Exact {
 public:
  explicit Exact(const Instance& instance) : instance_(instance), work_(ranks()) {
    order_.resize(instance.graph.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, std::ranges::greater{},
                      [&](std::size_t i) { return instance.graph.seconds[i]; });
  }
  double solve() {
    place(0, 0);
    return best_ / capacity(instance_.machine, 0);
  }

 private:
  [[nodiscard]] std::size_t ranks() const {
    return static_cast<std::size_t>(instance_.machine.ranks);
  }
  void place(std::size_t next, double longest) {
    if (longest >= best_) return;
    if (next == order_.size()) {
      best_ = longest;
      return;
    }
    const double seconds = instance_.graph.seconds[order_[next]];
    for (std::size_t r = 0; r < ranks(); ++r) {
      // Ranks with the same work are the same.
      if (std::find(work_.begin(), work_.begin() + static_cast<std::ptrdiff_t>(r), work_[r]) !=
          work_.begin() + static_cast<std::ptrdiff_t>(r)) {
        continue;
      }
      work_[r] += seconds;
      place(next + 1, std::max(longest, work_[r]));
      work_[r] -= seconds;
    }
  }
  const Instance& instance_;
  std::vector<std::size_t> order_;
  std::vector<double> work_;
  double best_ = std::numeric_limits<double>::infinity();
};

// Graham 1969.
TEST(Greedy, is_within_four_thirds_of_the_best_placement) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < many; ++seed) {
    const Instance instance = draw_instance(seed, 10, 4);
    if (!instance.ranks_are_alike || instance.graph.size() == 0) continue;
    ++compared;
    const double best = Exact(instance).solve();
    const double factor = 4.0 / 3 - 1.0 / (3 * instance.machine.ranks);
    ASSERT_LE(makespan(instance, place("greedy", instance)), factor * best * rounding)
        << "seed " << seed;
  }
}

// The rank that ends last was the first to be free when it got its last, smallest object: so all
// ranks were busy until then.
TEST(Greedy, is_within_the_list_scheduling_bound_on_large_problems) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Instance instance = draw_instance(seed, 3000, 40);
    if (!instance.ranks_are_alike || instance.graph.size() == 0) continue;
    const Placement placement = place("greedy", instance);
    const Quality quality = assess(instance.graph, instance.machine, placement);
    std::vector<double> work(static_cast<std::size_t>(instance.machine.ranks));
    std::vector<double> least(work.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < placement.size(); ++i) {
      const auto r = static_cast<std::size_t>(placement[i]);
      work[r] += instance.graph.seconds[i];
      least[r] = std::min(least[r], instance.graph.seconds[i]);
    }
    const auto slowest = static_cast<std::size_t>(std::ranges::max_element(work) - work.begin());
    const double last = least[slowest] / capacity(instance.machine, slowest);
    ASSERT_LE(quality.max_seconds,
              (quality.mean_seconds + (1 - 1.0 / instance.machine.ranks) * last) * rounding)
        << "seed " << seed;
  }
}

TEST(Greedy, leaves_objects_where_they_are_if_that_is_as_good) {
  Instance instance;
  instance.machine.ranks = 8;
  for (int i = 0; i < 8; ++i) {
    instance.graph.seconds.push_back(1 + i * 0.01);
    instance.graph.rank.push_back(i);
  }
  EXPECT_EQ(place("greedy", instance), instance.graph.rank);
}

TEST(Refine, reaches_the_imbalance_asked_for_where_objects_are_small) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    core::Random random(seed);
    Instance instance;
    instance.machine.ranks = 16;
    for (int i = 0; i < 800; ++i) {
      instance.graph.seconds.push_back(0.5 + random.unit());
      instance.graph.rank.push_back(static_cast<std::int32_t>(i / 50) / 2);  // half are empty
    }
    const Quality quality =
        assess(instance.graph, instance.machine, place("refine:imbalance=0.01", instance));
    ASSERT_LE(quality.imbalance, 0.01 * rounding) << "seed " << seed;
    // Fewer moves are impossible: eight ranks are half too full.
    ASSERT_GE(quality.moved_objects, 8 * 34U);
    ASSERT_LE(quality.moved_objects, 420U) << "seed " << seed;
  }
}

/// The best consecutive partition, by dynamic programming over ranks.
double best_chain(const Instance& instance) {
  const LoadGraph& graph = instance.graph;
  std::vector<double> chain;
  std::vector<double> fixed(static_cast<std::size_t>(instance.machine.ranks));
  for (std::size_t r = 0; r < fixed.size(); ++r) fixed[r] = graph.background(r);
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (graph.is_pinned(i)) {
      fixed[static_cast<std::size_t>(graph.rank[i])] += graph.seconds[i];
    } else {
      chain.push_back(graph.seconds[i]);
    }
  }
  const double never = std::numeric_limits<double>::infinity();
  std::vector<double> best(chain.size() + 1, never);  // for the first k objects
  best[0] = 0;
  for (std::size_t r = 0; r < fixed.size(); ++r) {
    std::vector<double> next(chain.size() + 1, never);
    for (std::size_t from = 0; from <= chain.size(); ++from) {
      double work = fixed[r];
      for (std::size_t to = from; to <= chain.size(); ++to) {
        if (to > from) work += chain[to - 1];
        next[to] = std::min(next[to], std::max(best[from], work / capacity(instance.machine, r)));
      }
    }
    best = std::move(next);
  }
  return best.back();
}

TEST(Chains, are_the_best_there_are) {
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Instance instance = draw_instance(seed, 40, 6);
    const Placement placement = place("chains", instance);
    ASSERT_NEAR(makespan(instance, placement), best_chain(instance),
                1e-9 * (1 + best_chain(instance)))
        << "seed " << seed;
    std::int32_t last = 0;
    for (std::size_t i = 0; i < placement.size(); ++i) {
      if (instance.graph.is_pinned(i)) continue;
      ASSERT_GE(placement[i], last) << "not consecutive, seed " << seed;
      last = placement[i];
    }
  }
}

/// A grid of equal objects, each linked to its neighbours, placed at random.
Instance scattered_grid(int side, int ranks) {
  core::Random random(7);
  Instance instance;
  instance.machine.ranks = ranks;
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const auto here = static_cast<std::uint32_t>(instance.graph.size());
      instance.graph.seconds.push_back(1);
      instance.graph.bytes.push_back(100);
      instance.graph.rank.push_back(
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks))));
      instance.graph.coordinates.push_back({double(x), double(y), 0});
      if (x > 0) instance.graph.links.push_back({here, here - 1, 1000, 1});
      if (y > 0) {
        instance.graph.links.push_back({here, here - static_cast<std::uint32_t>(side), 1000, 1});
      }
    }
  }
  return instance;
}

double remote_part(const Instance& instance, const std::string& choice) {
  const Quality quality = assess(instance.graph, instance.machine, place(choice, instance));
  return quality.remote_bytes / (1000.0 * static_cast<double>(instance.graph.links.size()));
}

TEST(Communication, is_kept_local_by_the_strategies_that_heed_it) {
  const Instance grid = scattered_grid(32, 16);
  const double scattered = remote_part(grid, "none");
  EXPECT_GT(scattered, 0.9);
  EXPECT_LT(remote_part(grid, "recursive_bisection"), 0.25);
  EXPECT_LT(remote_part(grid, "greedy_comm"), 0.6);
  EXPECT_LT(remote_part(grid, "refine_comm"), remote_part(grid, "refine:imbalance=0.02"));
  if (names_of_all().find("graph ") != std::string::npos) {
    EXPECT_LT(remote_part(grid, "graph:migration_weight=0"), 0.2);
  }
  for (const char* choice : {"recursive_bisection", "greedy_comm", "refine_comm"}) {
    EXPECT_LT(assess(grid.graph, grid.machine, place(choice, grid)).imbalance, 0.1) << choice;
  }
}

/// Scotch, which the strategy graph is made of, is optional.
bool has_graph() { return names_of_all().find("graph ") != std::string::npos; }

TEST(Graph, keeps_its_limit_and_lets_no_more_bytes_cross_than_refine_comm) {
  if (!has_graph()) GTEST_SKIP() << "built without Scotch";
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = draw_instance(seed, 300, 12);
    const auto quality_of = [&](const std::string& choice) {
      return assess(instance.graph, instance.machine, place(choice, instance));
    };
    const Quality graph = quality_of("graph:imbalance=0.01");
    const Quality refined = quality_of("refine_comm:imbalance=0.01");
    const double limit = std::max(graph.mean_seconds * 1.01, graph.bound_seconds);
    ASSERT_LE(graph.max_seconds, std::max(limit, refined.max_seconds) * rounding);
    if (refined.max_seconds <= limit * rounding) {
      ASSERT_LE(graph.remote_bytes, refined.remote_bytes * rounding);
    }
  }
}

TEST(Graph, is_plain_refinement_where_nobody_communicates) {
  if (!has_graph()) GTEST_SKIP() << "built without Scotch";
  Instance instance = draw_instance(3, 3000, 12);
  instance.graph.links.clear();
  EXPECT_EQ(place("graph:imbalance=0.02", instance), place("refine:imbalance=0.02", instance));
}

TEST(LoadGraphCheck, refuses_loads_whose_sum_is_not_finite) {
  Instance instance;
  instance.machine.ranks = 2;
  instance.graph.seconds = {1e308, 1e308};
  instance.graph.rank = {0, 1};
  EXPECT_THROW(check(instance.graph, instance.machine), Error);
  instance.graph.seconds = {1e301, 1e301};
  EXPECT_NO_THROW(check(instance.graph, instance.machine));
  for (const StrategyKind* kind : strategies()) {
    if (kind->uses_coordinates) continue;
    EXPECT_NO_THROW(check(place(kind->name, instance), instance.graph, instance.machine));
  }
}

TEST(StrategyRegistry, knows_the_strategies) {
  for (const char* name : {"chains", "greedy", "greedy_comm", "hierarchical", "hybrid", "none",
                           "random", "recursive_bisection", "refine", "refine_comm", "rotate"}) {
    EXPECT_THAT(names_of_all(), ::testing::HasSubstr(name));
  }
}

std::string complaint(const std::string& choice) {
  try {
    (void)make_strategy(parse_plugin_choice(choice));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(StrategyRegistry, says_what_is_wrong_with_a_choice) {
  using ::testing::AllOf;
  using ::testing::HasSubstr;
  EXPECT_THAT(complaint("gredy"), AllOf(HasSubstr("--strategy: there is no strategy \"gredy\""),
                                        HasSubstr("did you mean greedy?")));
  EXPECT_THAT(complaint("refine:imbalence=1"), HasSubstr("strategy refine has no parameter"));
  EXPECT_THAT(complaint("refine:imbalance=-1"), HasSubstr("a number from 0"));
  EXPECT_THAT(complaint("hybrid:inside=gredy"), HasSubstr("there is no strategy \"gredy\""));
  EXPECT_THAT(complaint("hybrid:inside=hybrid"), HasSubstr("any other strategy"));
  EXPECT_EQ(complaint("hybrid:inside=refine,group_ranks=4"), "");
}

TEST(RecursiveBisection, says_that_it_needs_coordinates) {
  Instance instance = draw_instance(1, 10, 2);
  instance.graph.seconds = {1};
  instance.graph.rank = {0};
  instance.graph.coordinates.clear();
  EXPECT_THROW((void)place("recursive_bisection", instance), Error);
}

}  // namespace
}  // namespace roam::placement::strategy_test
