// SPDX-License-Identifier: Apache-2.0
// Distributed strategies on random problems, run step by step in one thread: their promises, and
// the results of each rank.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "load_instances.hpp"
#include "placement/steps/flows.hpp"
#include "placement/steps/give_away.hpp"
#include "roam/placement/detail/note_lists.hpp"
#include "roam/placement/detail/place_in_steps.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement::steps_test {
namespace {

using testing::draw_instance;
using ::testing::ElementsAre;
using testing::Instance;

constexpr double rounding = 1 + 1e-9;

/// Forwards to a rank's strategy, and stores its result.
class Witness final : public DistributedStrategy {
 public:
  Witness(std::unique_ptr<DistributedStrategy> rank, std::vector<Result>& results)
      : rank_(std::move(rank)), results_(results) {}
  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override {
    return rank_->step(host, received);
  }
  [[nodiscard]] Result result() override {
    results_.push_back(rank_->result());
    return results_.back();
  }

 private:
  std::unique_ptr<DistributedStrategy> rank_;
  std::vector<Result>& results_;
};

struct Outcome {
  Placement placement;
  std::vector<DistributedStrategy::Result> results;  // by rank
};

Outcome run(const std::string& text, const Instance& instance, std::uint64_t seed = 1) {
  const PluginChoice choice = parse_plugin_choice(text);
  const auto& kind = plugin::require<StrategyKind>(choice.name);
  const plugin::Parameters parameters("strategy " + kind.name, kind.parameters, choice);
  Outcome outcome;
  outcome.placement = place_in_steps(instance.graph, instance.machine, seed, [&](RankShare share) {
    return std::make_unique<Witness>(kind.distribute(parameters, std::move(share)),
                                     outcome.results);
  });
  return outcome;
}

class Distributed : public ::testing::TestWithParam<std::string> {};

TEST_P(Distributed, places_every_object_once_the_same_way_each_time_and_as_ranks_say) {
  const std::uint64_t seeds = GetParam().starts_with("topology") ? 50 : 1000;  // it searches long
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = draw_instance(seed, 60, 12);
    const Outcome outcome = run(GetParam(), instance);
    ASSERT_NO_THROW(check(outcome.placement, instance.graph, instance.machine));
    ASSERT_EQ(outcome.placement, run(GetParam(), instance).placement);
    std::vector<double> work(static_cast<std::size_t>(instance.machine.ranks));
    std::vector<std::uint64_t> arriving(work.size());
    for (std::size_t r = 0; r < work.size(); ++r) work[r] = instance.graph.background(r);
    for (std::size_t i = 0; i < outcome.placement.size(); ++i) {
      const auto to = static_cast<std::size_t>(outcome.placement[i]);
      work[to] += instance.graph.seconds[i];
      if (outcome.placement[i] != instance.graph.rank[i]) ++arriving[to];
    }
    for (std::size_t r = 0; r < work.size(); ++r) {
      ASSERT_NEAR(outcome.results[r].work_seconds, work[r], 1e-9 * (1 + work[r])) << "rank " << r;
      ASSERT_EQ(outcome.results[r].arriving_objects, arriving[r]) << "rank " << r;
    }
  }
}

TEST_P(Distributed, is_even_where_objects_are_small) {
  Instance instance;
  instance.machine.ranks = 60;
  core::Random random(7);
  for (int i = 0; i < 3000; ++i) {
    instance.graph.rank.push_back(i / 50);
    instance.graph.seconds.push_back((0.4 + 1.2 * i / 3000) * (0.9 + 0.2 * random.unit()));
  }
  const Outcome outcome = run(GetParam(), instance);
  EXPECT_LT(assess(instance.graph, instance.machine, outcome.placement).imbalance, 0.06);
}

INSTANTIATE_TEST_SUITE_P(All, Distributed,
                         ::testing::Values("hybrid:group_ranks=4", "hybrid:group_ranks=2",
                                           "hybrid:group_ranks=5,inside=refine",
                                           "hierarchical:arity=2", "hierarchical:arity=7",
                                           "gossip:imbalance=0.02", "topology:group_ranks=4"),
                         [](const auto& tested) {
                           std::string name = tested.param;
                           std::ranges::replace_if(
                               name, [](char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

TEST(GossipSteps, never_make_the_slowest_rank_slower) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const Instance instance = draw_instance(seed, 60, 12);
    const Quality before = assess(instance.graph, instance.machine, instance.graph.rank);
    const Quality after =
        assess(instance.graph, instance.machine, run("gossip", instance, seed).placement);
    ASSERT_LE(after.max_seconds, before.max_seconds * rounding) << "seed " << seed;
  }
}

TEST(Flows, leave_no_group_with_more_than_its_share) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    std::vector<GroupWork> groups(1 + random.below(40));
    double seconds = 0;
    double capacity = 0;
    for (GroupWork& group : groups) {
      group = {random.below(4) == 0 ? 0 : random.unit(), 1 + static_cast<double>(random.below(3))};
      seconds += group.seconds;
      capacity += group.capacity;
    }
    const double imbalance = random.below(2) == 0 ? 0 : 0.1;
    const auto flows =
        plan_flows(groups, static_cast<std::int32_t>(2 + random.below(5)), imbalance);
    std::vector<double> after;
    for (const GroupWork& group : groups) after.push_back(group.seconds);
    for (const Flow& flow : flows) {
      ASSERT_GT(flow.seconds, 0);
      after[static_cast<std::size_t>(flow.from)] -= flow.seconds;
      after[static_cast<std::size_t>(flow.to)] += flow.seconds;
    }
    ASSERT_TRUE(std::ranges::is_sorted(flows, {}, &Flow::from));
    for (std::size_t g = 0; g < groups.size(); ++g) {
      const double share = seconds * groups[g].capacity / capacity;
      ASSERT_LE(after[g], share * (1 + imbalance) + 1e-9) << "group " << g;
      ASSERT_GE(after[g], std::min(groups[g].seconds, share) - 1e-9) << "group " << g;
    }
  }
}

TEST(Flows, stay_below_one_node_of_the_tree_if_they_can) {
  const std::vector<GroupWork> groups = {{2, 1}, {0, 1}, {3, 1}, {0, 1}, {0, 1}, {1, 1}};
  const auto pairs = [&](std::int32_t arity) {
    std::vector<std::pair<std::int32_t, std::int32_t>> result;
    for (const Flow& flow : plan_flows(groups, arity, 0)) result.emplace_back(flow.from, flow.to);
    return result;
  };
  EXPECT_THAT(pairs(2), ElementsAre(std::pair(0, 1), std::pair(2, 3), std::pair(2, 4)));
}

TEST(GiveAway, takes_large_objects_from_who_has_most_and_never_too_much) {
  std::vector<Member> members(2);
  members[0].objects = {{1, 1, 0, 0, 0}, {2, 4, 0, 0, 0}};
  members[1].objects = {{3, 3, 0, 1, 1}, {4, 3, 0, 1, 1}, {5, 0.5, 0, 1, 1}};
  const std::vector<Flow> flows = {{0, 1, 4.75}, {0, 2, 3.5}};
  const auto given = give_away(members, flows);
  std::vector<std::vector<std::uint64_t>> objects;
  for (const auto& list : given) {
    objects.emplace_back();
    for (const ObjectNote& note : list) objects.back().push_back(note.object);
  }
  EXPECT_THAT(objects, ElementsAre(ElementsAre(4, 1, 5), ElementsAre(3)));
  EXPECT_EQ(members[0].objects.size() + members[1].objects.size(), 1U);
}

TEST(StepMessages, are_checked_not_trusted) {
  core::Packer packer(core::Buffer::allocate(64));
  core::pack(packer, std::uint64_t{1} << 61);
  core::Unpacker bytes(packer.buffer().bytes());
  EXPECT_THROW((void)core::unpack<std::vector<ObjectNote>>(bytes), MalformedMessage);
  EXPECT_THROW(check_note({1, 1, 0, 4, 0}, 4), MalformedMessage);
  EXPECT_THROW(check_note({1, 1, 0, 0, -1}, 4), MalformedMessage);
  EXPECT_THROW(check_note({1, -1, 0, 0, 0}, 4), MalformedMessage);
  EXPECT_NO_THROW(check_note({1, 0, 0, 3, 0}, 4));
}

}  // namespace
}  // namespace roam::placement::steps_test
