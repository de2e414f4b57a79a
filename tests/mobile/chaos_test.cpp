// SPDX-License-Identifier: Apache-2.0
// The protocol of mobile objects under schedules drawn from seeds: M2 (exactly once), M3 (order),
// M4 (access), M5/M6 (state and calls survive moves and refusals), M7 (places), M8 (ends), M10
// (quiescence), R1 (the same seed gives the same run). What is checked and how schedules are drawn:
// roam/testing/explore.hpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mobile/chaos_scenario.hpp"

namespace chaos_test {

namespace {

using roam::testing::explore;
using roam::testing::ExploreOptions;
using roam::testing::Report;
using roam::testing::Scenario;
using roam::testing::Schedule;
using ::testing::Contains;
using ::testing::HasSubstr;

Report explore_chaos(const ExploreOptions& options, const chaos::Size& size) {
  return explore(options,
                 [size](Schedule& schedule) { return chaos::make_scenario(schedule, size); });
}

Report explore_small_chaos(const ExploreOptions& options) {
  return explore(options, [](Schedule& schedule) {
    return chaos::make_scenario(schedule, chaos::draw_size(schedule));
  });
}

class Chaos : public ::testing::TestWithParam<int> {};

TEST_P(Chaos, M2_M8_M10_hold_in_small_schedules) {
  ExploreOptions options;
  options.schedules = 500;
  options.first_seed = 1 + static_cast<std::uint64_t>(GetParam()) * options.schedules;
  const Report report = explore_small_chaos(options);
  EXPECT_TRUE(report.ok()) << report;
  // The schedules must have been difficult ones, or the test proves nothing.
  const roam::testing::Totals& totals = report.totals();
  EXPECT_GT(totals.migrations, options.schedules * 5) << report;
  EXPECT_GT(totals.refused, options.schedules / 2) << report;
  EXPECT_GT(totals.forwarded, options.schedules * 10) << report;
  EXPECT_GT(totals.set_aside, options.schedules / 2) << report;
  EXPECT_GT(totals.preemptions, options.schedules * 5) << report;
  EXPECT_GT(totals.dead_calls, options.schedules) << report;
}
INSTANTIATE_TEST_SUITE_P(TenThousandSeeds, Chaos, ::testing::Range(0, 20));

TEST(LargeChaos, M2_M8_M10_hold_among_fifty_objects_and_seven_ranks) {
  ExploreOptions options;
  options.schedules = 300;
  options.ranks = {7, 7};
  options.workers = {1, 3};
  options.max_hops = {1, 5};
  options.most_migrations = 400;
  const Report report =
      explore_chaos(options, {.objects = 50, .calls = 6, .depth = 2, .destroyed = 3});
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_GT(report.totals().migrations, options.schedules * 50) << report;
}

TEST(LargeChaos, M2_M8_M10_hold_while_objects_are_balanced) {
  ExploreOptions options;
  options.schedules = 300;
  options.ranks = {2, 5};
  options.balancers = {{"diffusion", {}}, {"master_worker", {}}};
  const Report report =
      explore_chaos(options, {.objects = 16, .calls = 4, .depth = 3, .destroyed = 1});
  EXPECT_TRUE(report.ok()) << report;
}

/// Issues a call with a number that its sender has given to none of its own calls.
void forge_a_call(roam::Runtime& rt, roam::core::Random& random) {
  const auto& nodes = roam::testing::state<chaos::World>().nodes;
  const auto node = nodes[random.below(nodes.size())];
  if (!node) return;
  roam::mobile::CallHeader header;
  header.object = node.id().value();
  header.origin = rt.rank().value();
  header.sequence = 1000;
  header.method = roam::mobile::detail::method_instance<&chaos::Node::answer>.id();
  roam::core::Packer packer = rt.messenger().begin();
  header.write(packer);
  roam::core::pack(packer, std::uint64_t{0});
  rt.messenger().post(node.id().home(), roam::am::message_id<roam::mobile::CallHeader>,
                      std::move(packer), true);
}

TEST(ChaosHarness, a_forged_call_is_caught_and_explained) {
  ExploreOptions options;
  options.schedules = 500;
  const Report report = explore(options, [](Schedule& schedule) {
    Scenario scenario = chaos::make_scenario(schedule, chaos::Size{});
    scenario.actions.push_back({"forge a call", &forge_a_call});
    return scenario;
  });
  ASSERT_FALSE(report.ok()) << "a call that nobody issued has to show";
  const roam::testing::Failure& failure = *report.failure();
  EXPECT_EQ(failure.promise, "M2") << report;
  EXPECT_NE(failure.what.find("/1000 was never issued"), std::string::npos) << report;
  EXPECT_LT(failure.decisions.size(), failure.disturbances) << report;
  EXPECT_THAT(failure.decisions, Contains(HasSubstr("is made to do: forge a call"))) << report;
  EXPECT_FALSE(failure.timeline.empty());
}

TEST(ChaosHarness, R1_the_same_seed_gives_the_same_run) {
  ExploreOptions options;
  options.schedules = 1;
  const Report report = explore_chaos(options, {});
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const roam::testing::Replay one = report.replay(seed);
    const roam::testing::Replay two = report.replay(seed);
    EXPECT_EQ(one.timeline, two.timeline);
    EXPECT_EQ(one.decisions, two.decisions);
    EXPECT_EQ(one.totals.events, two.totals.events);
    EXPECT_EQ(one.totals.virtual_time, two.totals.virtual_time);
    EXPECT_NE(one.timeline, report.replay(seed + 1000).timeline);
  }
}

}  // namespace

}  // namespace chaos_test
