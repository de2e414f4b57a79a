// SPDX-License-Identifier: Apache-2.0
// Strategies at the boundaries between phases, on small simulated machines: B1, B3, B4, B5.
#include "roam/balance/detail/phases.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::phases_test {

/// Works for a given time, and counts its calls.
struct Worker {
  double seconds = 0;
  std::int64_t runs = 0;
  std::vector<std::uint8_t> data;
  explicit Worker(double work = 0, std::size_t bytes = 0) : seconds(work), data(bytes) {}
  void work() {
    ++runs;
    roam::here().compute(roam::from_seconds(seconds));
  }
  [[nodiscard]] std::int64_t count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seconds, runs, data);
  }
};

namespace {

struct Setting {
  std::string balancer = "greedy";
  std::vector<double> speeds = {1};
  double light_seconds = 1e-2;
  bool enabled = true;
  bool is_even = false;
  std::size_t object_bytes = 0;
};

struct Outcome {
  std::vector<PhaseReport> reports;
  std::vector<Decision> decisions;
  std::uint64_t migrations = 0;
};

constexpr std::int32_t ranks = 8;
constexpr int objects_per_rank = 20;
constexpr int phases = 4;

Task<> program(Runtime& rt, const Setting& setting, Outcome& outcome) {
  rt.enable_balancing(setting.enabled);
  std::vector<mobile_ptr<Worker>> mine;
  for (int i = 0; i < objects_per_rank; ++i) {
    // Work increases with the rank: seven times as much on the last as on the first.
    const double factor = setting.is_even ? 1 : (1 + rt.rank().value()) * (1 + 0.02 * i);
    mine.push_back(rt.create<Worker>(setting.light_seconds * factor, setting.object_bytes));
  }
  for (int phase = 0; phase < phases; ++phase) {
    for (const auto& worker : mine) worker.send<&Worker::work>();
    const PhaseReport report = co_await rt.phase();
    if (report.phase != static_cast<std::uint32_t>(phase)) throw Error("a phase was not counted");
    if (rt.rank() == 3) outcome.reports.push_back(report);  // every rank gets the same report
  }
  for (const auto& worker : mine) {
    if (co_await worker.call<&Worker::count>() != phases)
      throw Error("calls were lost or repeated");
  }
}

Outcome run(const Setting& setting) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = 1;
  options.simulate->speeds = setting.speeds;
  options.balancer = parse_plugin_choice(setting.balancer);
  SimulatedJob job({.options = options});
  Outcome outcome;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return program(rt, setting, outcome); })) << job.error();
  for (std::int32_t r = 0; r < ranks; ++r) {
    outcome.migrations += job.runtime(r).statistics().migrations_out;
    for (const Decision& d : job.runtime(r).balancer().decisions()) outcome.decisions.push_back(d);
  }
  return outcome;
}

class PhasesWith : public ::testing::TestWithParam<std::string> {};

TEST_P(PhasesWith, B1_B4_objects_are_placed_anew_and_the_next_phase_is_even) {
  const Outcome outcome = run({.balancer = GetParam()});
  ASSERT_EQ(outcome.reports.size(), 4U);
  const PhaseReport& first = outcome.reports[0];
  EXPECT_NEAR(first.imbalance(), 7.0 / 4.5 - 1 + 0.222, 0.01);
  EXPECT_EQ(first.objects, static_cast<std::uint64_t>(ranks * objects_per_rank));
  EXPECT_GT(first.moved_objects, 0U);
  EXPECT_GT(first.gain_seconds, first.cost_seconds);
  // What was predicted is what the next phase is like but for the runtime's own time, and it is
  // even.
  EXPECT_NEAR(outcome.reports[1].max_load_seconds, first.predicted_max_seconds,
              1e-4 * first.predicted_max_seconds);
  EXPECT_LT(outcome.reports[3].imbalance(), 0.05);
  EXPECT_LT(outcome.reports[3].seconds, 0.65 * first.seconds);
}

INSTANTIATE_TEST_SUITE_P(Strategies, PhasesWith,
                         ::testing::Values("greedy", "refine", "greedy_comm", "refine_comm",
                                           "hierarchical:arity=2", "hybrid:group_ranks=4",
                                           "gossip:imbalance=0.02"),
                         [](const auto& tested) {
                           return tested.param.substr(0, tested.param.find(':'));
                         });

// Ranks that continue first must not delay the others: with few large objects and many ranks that
// would lengthen the phase by some of them.
TEST(Phases, begin_on_all_ranks_at_the_same_time) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = 256;
  options.simulate->workers_per_rank = 1;
  SimulatedJob job({.options = options});
  double longest = 0;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Worker>> mine;
    for (int i = 0; i < 8; ++i) {
      mine.push_back(rt.create<Worker>(Worker(0.01)));
      mine.back().migrate((rt.rank().value() * 7 + i * 31) % rt.size());  // eight on each rank
    }
    co_await rt.phase();
    for (int phase = 0; phase < 3; ++phase) {
      for (const auto& worker : mine) worker.send<&Worker::work>();
      const PhaseReport report = co_await rt.phase();
      longest = std::max(longest, report.seconds);
    }
  })) << job.error();
  EXPECT_GT(longest, 0.08);
  EXPECT_LT(longest, 0.081);
}

TEST(Phases, B3_nothing_moves_where_nothing_is_gained) {
  const Outcome outcome = run({.balancer = "greedy", .is_even = true});
  EXPECT_EQ(outcome.migrations, 0U);
}

TEST(Phases, B3_nothing_moves_that_costs_more_than_it_gains) {
  for (const char* balancer : {"greedy", "gossip"}) {
    const Outcome outcome =
        run({.balancer = balancer, .light_seconds = 5e-5, .object_bytes = 1'000'000});
    EXPECT_EQ(outcome.migrations, 0U) << balancer;
    const auto asked = std::ranges::find_if(
        outcome.reports, [](const PhaseReport& report) { return report.decision_seconds > 0; });
    ASSERT_NE(asked, outcome.reports.end()) << balancer;
    EXPECT_GT(asked->gain_seconds, 0) << balancer;
    EXPECT_GT(asked->cost_seconds, asked->gain_seconds) << balancer;
  }
}

TEST(Phases, B3_nothing_is_decided_where_one_move_costs_more_than_all_could_gain) {
  const Outcome outcome = run({.balancer = "greedy", .light_seconds = 1e-8});
  EXPECT_EQ(outcome.migrations, 0U);
  EXPECT_EQ(outcome.reports[0].decision_seconds, 0);
}

TEST(Phases, B3_a_strategy_is_not_asked_again_while_nothing_has_changed) {
  const Outcome outcome = run({.balancer = "greedy"});
  EXPECT_GT(outcome.reports[0].decision_seconds, 0);
  EXPECT_EQ(outcome.reports[1].decision_seconds, 0);
  EXPECT_EQ(outcome.reports[2].decision_seconds, 0);
}

/// What rank 0 is told of the phases of a program.
std::vector<PhaseReport> reports_of(const std::string& balancer,
                                    Task<> (*program)(Runtime&, std::vector<PhaseReport>&)) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = 1;
  options.balancer = parse_plugin_choice(balancer);
  SimulatedJob job({.options = options});
  std::vector<PhaseReport> reports;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return program(rt, reports); })) << job.error();
  return reports;
}

/// A phase in which the first rank alone works, on something that cannot be divided, and then
/// phases in which all have work, the last rank seven times as much as the first.
Task<> set_up_and_work(Runtime& rt, std::vector<PhaseReport>& reports) {
  std::vector<mobile_ptr<Worker>> mine;
  for (int i = 0; i < objects_per_rank; ++i)
    mine.push_back(rt.create<Worker>(1e-3 * (1 + rt.rank().value())));
  if (rt.rank() == 0) rt.create<Worker>(5e-3).send<&Worker::work>();
  const PhaseReport first = co_await rt.phase();
  if (rt.rank() == 0) reports.push_back(first);
  for (int phase = 0; phase < phases; ++phase) {
    for (const auto& worker : mine) worker.send<&Worker::work>();
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

TEST(Phases, a_strategy_is_asked_although_nothing_could_be_done_about_the_first_phase) {
  for (const char* balancer : {"refine", "greedy", "topology", "gossip"}) {
    const std::vector<PhaseReport> reports = reports_of(balancer, set_up_and_work);
    EXPECT_GT(reports.front().imbalance(), 6) << balancer;
    EXPECT_GT(reports[1].imbalance(), 0.5) << balancer;
    EXPECT_LT(reports.back().imbalance(), 0.1) << balancer;
  }
}

/// In the first phase the only call on the first rank takes twice as long as all work of another
/// rank; in later ones the second rank has more work than others, and the imbalance is less.
Task<> change_unseen(Runtime& rt, std::vector<PhaseReport>& reports) {
  std::vector<mobile_ptr<Worker>> mine;
  for (int i = 0; i < objects_per_rank; ++i) mine.push_back(rt.create<Worker>(1e-4));
  for (int phase = 0; phase < 20; ++phase) {
    if (rt.rank() == 0) {
      if (phase == 0) rt.create<Worker>(objects_per_rank * 2e-4).send<&Worker::work>();
    } else {
      for (const auto& worker : mine) worker.send<&Worker::work>();
    }
    if (phase > 0 && rt.rank() == 1)
      for (std::size_t i = 0; i < objects_per_rank / 2; ++i) mine[i].send<&Worker::work>();
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

TEST(Phases, a_strategy_is_asked_again_although_the_imbalance_has_not_grown) {
  for (const char* balancer : {"refine", "topology"}) {
    const std::vector<PhaseReport> reports = reports_of(balancer, change_unseen);
    EXPECT_LT(reports[1].imbalance(), reports[0].imbalance()) << balancer;
    EXPECT_GT(reports[1].imbalance(), 0.5 * reports[0].imbalance()) << balancer;
    EXPECT_LT(reports.back().imbalance(), 0.1) << balancer;
  }
}

TEST(Phases, B4_strategies_that_are_there_to_move_do_so) {
  const Outcome outcome = run({.balancer = "rotate"});
  EXPECT_EQ(outcome.migrations, static_cast<std::uint64_t>(phases) * ranks * objects_per_rank);
}

/// In each phase, other objects have twenty times the work.
Task<> wander(Runtime& rt, std::vector<PhaseReport>& reports) {
  std::vector<mobile_ptr<Worker>> mine;
  for (int i = 0; i < objects_per_rank; ++i) mine.push_back(rt.create<Worker>(Worker(1e-3)));
  core::Random random(static_cast<std::uint64_t>(rt.rank().value()));
  for (int phase = 0; phase < 100; ++phase) {
    for (const auto& worker : mine) {
      const int calls = random.below(20) == 0 ? 20 : 1;
      for (int i = 0; i < calls; ++i) worker.send<&Worker::work>();
    }
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

std::vector<PhaseReport> run_wandering(const std::string& balancer) {
  return reports_of(balancer, wander);
}

TEST(Phases, B3_a_strategy_whose_promises_are_not_kept_is_asked_ever_more_seldom) {
  int decisions = 0;
  for (const PhaseReport& report : run_wandering("refine")) decisions += report.moved_objects > 0;
  EXPECT_GE(decisions, 2);
  EXPECT_LE(decisions, 12);
}

TEST(Phases, auto_balances_the_first_phase_and_those_that_follow) {
  const Outcome outcome = run({.balancer = "auto"});
  const Outcome without = run({.balancer = "none"});
  EXPECT_LT(outcome.reports[0].seconds, 0.7 * without.reports[0].seconds);
  EXPECT_LT(outcome.reports[3].imbalance(), 0.05);
  EXPECT_LT(outcome.reports[3].seconds, 0.6 * without.reports[3].seconds);
}

TEST(Phases, auto_follows_within_a_phase_what_no_strategy_can_foresee) {
  double with_refine = 0;
  double with_auto = 0;
  for (const PhaseReport& report : run_wandering("refine")) with_refine += report.seconds;
  for (const PhaseReport& report : run_wandering("auto")) with_auto += report.seconds;
  EXPECT_LE(with_auto, 0.75 * with_refine);
}

TEST(Phases, B5_nothing_moves_while_balancing_is_disabled) {
  const Outcome outcome = run({.balancer = "greedy", .enabled = false});
  EXPECT_EQ(outcome.migrations, 0U);
  EXPECT_GT(outcome.reports[0].imbalance(), 0.5);
}

TEST(Phases, B6_fast_ranks_get_more) {
  const Outcome outcome = run({.balancer = "greedy", .speeds = {1, 1, 1, 1, 1, 1, 1, 4}});
  EXPECT_LT(outcome.reports[3].imbalance(), 0.05);
  EXPECT_LT(outcome.reports[3].seconds, 0.65 * outcome.reports[0].seconds);
}

TEST(Phases, B4_decisions_are_logged_with_gain_cost_and_reason) {
  const Outcome outcome = run({.balancer = "refine"});
  ASSERT_EQ(outcome.decisions.size(), outcome.migrations);
  for (const Decision& decision : outcome.decisions) {
    EXPECT_EQ(decision.outcome, Decision::Outcome::moved);
    EXPECT_GT(decision.gain_seconds, 0);
    EXPECT_GT(decision.move_seconds, 0);
    EXPECT_THAT(decision.reason, ::testing::StartsWith("refine: imbalance "));
  }
}

TEST(Phases, B3_gains_of_single_decisions_add_up_to_those_of_their_phases) {
  for (const char* balancer : {"refine", "greedy", "hybrid:group_ranks=4"}) {
    const Outcome outcome = run({.balancer = balancer});
    double gain = 0;
    double cost = 0;
    for (const PhaseReport& report : outcome.reports) {
      if (report.moved_objects == 0) continue;
      gain += report.gain_seconds;
      cost += report.cost_seconds;
    }
    for (const Decision& decision : outcome.decisions) {
      gain -= decision.gain_seconds;
      cost -= decision.cost_seconds;
    }
    EXPECT_GT(outcome.decisions.size(), 10U) << balancer;
    EXPECT_NEAR(gain, 0, 1e-9) << balancer;
    EXPECT_NEAR(cost, 0, 1e-9) << balancer;
  }
}

TEST(Phases, B2_a_strategy_is_not_asked_before_so_much_was_missed_as_asking_takes) {
  // 0.3 us of work per phase and rank: asking the strategy takes much longer.
  const Outcome outcome = run({.balancer = "auto", .light_seconds = 3e-9});
  for (const PhaseReport& report : outcome.reports) EXPECT_EQ(report.decision_seconds, 0);
  EXPECT_GT(run({.balancer = "auto"}).reports[0].decision_seconds, 0);
}

TEST(Phases, with_a_policy_or_none_tell_of_the_phase_and_move_nothing_themselves) {
  EXPECT_EQ(run({.balancer = "none"}).migrations, 0U);
  const Outcome outcome = run({.balancer = "diffusion"});
  EXPECT_EQ(outcome.reports[0].moved_objects, 0U);
  EXPECT_GT(outcome.reports[0].max_load_seconds, 0);
}

}  // namespace
}  // namespace roam::balance::phases_test
