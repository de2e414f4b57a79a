// SPDX-License-Identifier: Apache-2.0
// Decisions in parts: the ranks of a job decide as one would for all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "load_instances.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/detail/part_steps.hpp"
#include "roam/placement/detail/place_in_steps.hpp"

namespace roam::placement::parted_test {
namespace {

using testing::draw_instance;
using testing::Instance;

const PartedStrategy& tree_based() {
  static const auto strategy = make_strategy(parse_plugin_choice("treematch_tree_based:tries=20"));
  return *strategy->parted();
}

/// Ranks in nodes of 1 to 4.
void give_nodes(Machine& machine, core::Random& random) {
  NetworkLevel node{.name = "node"};
  std::int32_t number = 0;
  for (std::int32_t r = 0, left = 0; r < machine.ranks; ++r, --left) {
    if (left == 0 && r > 0) ++number;
    if (left == 0) left = 1 + static_cast<std::int32_t>(random.below(4));
    node.parents.push_back(number);
  }
  machine.network = {node, NetworkLevel{.name = "machine"}};
  check(machine, "machine");
}

GatheredLoads draw_loads(std::uint64_t seed) {
  Instance instance = draw_instance(seed, 60, 12);
  core::Random random(seed);
  give_nodes(instance.machine, random);
  GatheredLoads loads;
  loads.graph = std::move(instance.graph);
  loads.machine = std::move(instance.machine);
  if (random.below(2) == 0) return loads;
  loads.rank_at.resize(static_cast<std::size_t>(loads.machine.ranks));
  std::iota(loads.rank_at.begin(), loads.rank_at.end(), 0);
  std::ranges::reverse(loads.rank_at);
  return loads;
}

/// The steps of all ranks; rank 0 knows the loads.
std::vector<std::unique_ptr<DistributedStrategy>> steps_of(const PartedStrategy& strategy,
                                                           const GatheredLoads& loads) {
  std::vector<std::unique_ptr<DistributedStrategy>> ranks;
  for (std::int32_t r = 0; r < loads.machine.ranks; ++r) {
    ranks.push_back(std::make_unique<PartSteps>(strategy, 1e-6, r == 0 ? &loads : nullptr));
  }
  return ranks;
}

TEST(PartSteps, place_objects_as_one_rank_would_for_all) {
  const PartedStrategy& strategy = tree_based();
  std::size_t parts = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const GatheredLoads loads = draw_loads(seed);
    const auto ranks = steps_of(strategy, loads);
    run_steps(ranks, seed);
    const Placement whole = make_strategy(parse_plugin_choice("treematch_tree_based:tries=20"))
                                ->place(loads.graph, loads.machine);
    ASSERT_EQ(dynamic_cast<const PartSteps&>(*ranks[0]).placement(), whole) << "seed " << seed;
    parts += strategy.divide(loads.graph, loads.machine).parts.size();
  }
  EXPECT_GT(parts, 400U);
}

// Each object is in one part at most, each part's ranks are in no other, and nothing that is pinned
// is in any.
TEST(TreeBased, divides_a_decision_into_parts_of_different_objects_and_ranks) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const GatheredLoads loads = draw_loads(seed);
    const DividedDecision divided = tree_based().divide(loads.graph, loads.machine);
    std::vector<int> of_object(loads.graph.size());
    std::vector<int> of_rank(static_cast<std::size_t>(loads.machine.ranks));
    for (const DecisionPart& part : divided.parts) {
      ASSERT_NO_THROW(check(part.graph, part.machine));
      ASSERT_EQ(part.objects.size(), part.graph.size());
      for (const std::uint32_t object : part.objects) ++of_object[object];
      for (std::int32_t r = 0; r < part.machine.ranks; ++r)
        ++of_rank[static_cast<std::size_t>(part.first_rank + r)];
    }
    for (std::size_t i = 0; i < of_object.size(); ++i)
      ASSERT_LE(of_object[i], loads.graph.is_pinned(i) ? 0 : 1);
    ASSERT_LE(std::ranges::max(of_rank), 1);
  }
}

/// Stores what is sent.
class Sent final : public StepHost {
 public:
  [[nodiscard]] core::Packer message() override { return core::Packer(core::Buffer::allocate(64)); }
  void send(Rank to, core::Packer&& message) override {
    const core::Buffer buffer = message.take();
    messages.emplace_back(to, std::vector<std::byte>(buffer.bytes().begin(), buffer.bytes().end()));
  }
  [[nodiscard]] core::Random& random() override { return random_; }
  void charge(double seconds) override { charged_seconds += seconds; }

  std::vector<std::pair<Rank, std::vector<std::byte>>> messages;
  double charged_seconds = 0;

 private:
  core::Random random_{1};
};

/// Two nodes of two ranks, four objects that communicate in a ring.
GatheredLoads two_nodes() {
  GatheredLoads loads;
  loads.machine.ranks = 4;
  loads.machine.workers_per_rank = 1;
  loads.machine.network = {NetworkLevel{.name = "node", .group_ranks = 2},
                           NetworkLevel{.name = "machine"}};
  loads.graph.seconds = {1, 1, 1, 1};
  loads.graph.rank = {0, 1, 2, 3};
  loads.graph.links = {{0, 1, 10, 1}, {1, 2, 1, 1}, {2, 3, 10, 1}, {0, 3, 1, 1}};
  return loads;
}

StepMessage answer(Rank source, const Placement& decided) {
  core::Packer packer(core::Buffer::allocate(64));
  core::pack(packer, decided);
  const core::Buffer buffer = packer.take();
  return {source, {buffer.bytes().begin(), buffer.bytes().end()}};
}

TEST(PartSteps, check_what_other_ranks_send) {
  const PartedStrategy& strategy = tree_based();
  const GatheredLoads loads = two_nodes();
  const auto hear = [&](const StepMessage& message) {
    Sent host;
    PartSteps root(strategy, 1e-6, &loads);
    EXPECT_TRUE(root.step(host, {}));
    EXPECT_EQ(host.messages.size(), 2U);
    EXPECT_TRUE(root.step(host, {}));
    return root.step(host, {&message, 1});
  };
  EXPECT_FALSE(hear(answer(2, {1, 0})));
  EXPECT_THROW(hear(answer(1, {1, 0})), MalformedMessage) << "a rank that was not asked";
  EXPECT_THROW(hear(answer(2, {1, 2})), MalformedMessage) << "a rank outside of the group";
  EXPECT_THROW(hear(answer(2, {1, -1})), MalformedMessage);
  EXPECT_THROW(hear(answer(2, {1})), MalformedMessage) << "too few objects";

  Sent host;
  PartSteps root(strategy, 1e-6, &loads);
  EXPECT_TRUE(root.step(host, {}));
  EXPECT_DOUBLE_EQ(host.charged_seconds, 4e-6);
  const std::vector<std::byte> part = host.messages.front().second;
  const auto decide = [&](Rank source, const std::vector<std::byte>& bytes) {
    PartSteps other(strategy, 1e-6, nullptr);
    EXPECT_TRUE(other.step(host, {}));
    const StepMessage message{source, bytes};
    return other.step(host, {&message, 1});
  };
  EXPECT_TRUE(decide(0, part));
  EXPECT_DOUBLE_EQ(host.charged_seconds, 6e-6);
  EXPECT_THROW(decide(1, part), MalformedMessage) << "not from rank 0";
  for (std::size_t size = 0; size < part.size(); ++size) {
    EXPECT_THROW(decide(0, {part.begin(), part.begin() + static_cast<std::ptrdiff_t>(size)}),
                 MalformedMessage)
        << size;
  }
  DecisionPart wrong = strategy.divide(loads.graph, loads.machine).parts.front();
  core::Packer packer(core::Buffer::allocate(64));
  wrong.graph.links.push_back({0, 7, 1, 1});
  core::pack(packer, wrong.machine.speeds, wrong.graph.seconds, wrong.graph.rank, wrong.graph.links,
             wrong.graph.background_seconds);
  const core::Buffer buffer = packer.take();
  EXPECT_THROW(decide(0, {buffer.bytes().begin(), buffer.bytes().end()}), MalformedMessage);
}

}  // namespace
}  // namespace roam::placement::parted_test
