// SPDX-License-Identifier: Apache-2.0
// Strategies respect the memory limit of the ranks, if a graph has one.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "load_instances.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement::memory_test {
namespace {

using testing::Instance;

Placement place(const std::string& choice, const Instance& instance) {
  return make_strategy(parse_plugin_choice(choice))->place(instance.graph, instance.machine);
}

double makespan(const Instance& instance, const Placement& placement) {
  return assess(instance.graph, instance.machine, placement).max_seconds;
}

/// Shared blocks of one size that can be spread over the ranks so that each has at most four of
/// them and all take the same time; initially on other ranks, most of them on the first.
Instance shared_blocks() {
  struct Object {
    double seconds;
    std::uint32_t block;
  };
  const std::vector<Object> objects{{35, 0}, {25, 0}, {10, 0}, {15, 1}, {30, 2}, {5, 3},
                                    {10, 3}, {10, 4}, {10, 5}, {10, 6}, {12, 7}, {8, 8}};
  Instance instance;
  instance.machine.ranks = 3;
  instance.machine.workers_per_rank = 1;
  MemoryNeeds& memory = instance.graph.memory;
  for (const auto& [seconds, block] : objects) {
    instance.graph.seconds.push_back(seconds);
    instance.graph.rank.push_back(static_cast<std::int32_t>(block / 3));
    memory.object_bytes.push_back(1);
    memory.working_bytes.push_back(seconds);
    memory.block.push_back(block);
  }
  memory.block_bytes.assign(9, 1000);
  memory.rank_bytes.assign(3, 500);
  memory.limit_bytes = 4600;
  return instance;
}

TEST(Memory, is_summed_up_by_rank_with_each_shared_block_once) {
  const Instance instance = shared_blocks();
  const std::vector<double> bytes =
      memory_bytes(instance.graph, instance.machine, instance.graph.rank);
  EXPECT_THAT(bytes, ::testing::ElementsAre(500 + 3 * 1000 + 5 + 35, 500 + 3 * 1000 + 4 + 10,
                                            500 + 3 * 1000 + 3 + 12));
}

TEST(Memory, limits_every_strategy_but_those_that_look_at_nothing) {
  const Instance instance = shared_blocks();
  for (const StrategyKind* kind : strategies()) {
    if (kind->ignores_memory || kind->uses_coordinates) continue;
    SCOPED_TRACE(kind->name);
    const Placement placement = place(kind->name, instance);
    EXPECT_NO_THROW(check(placement, instance.graph, instance.machine));
    EXPECT_LE(assess(instance.graph, instance.machine, placement).max_memory_bytes, 4600);
  }
  Instance unlimited = instance;
  unlimited.graph.memory.limit_bytes = std::numeric_limits<double>::infinity();
  EXPECT_GT(assess(instance.graph, instance.machine, place("chains", unlimited)).max_memory_bytes,
            4600);
  for (const char* choice : {"chains", "refine:imbalance=0", "greedy"}) {
    EXPECT_NEAR(makespan(instance, place(choice, instance)), 60, 1e-9) << choice;
  }
}

TEST(Memory, that_is_not_limited_changes_nothing) {
  Instance instance = shared_blocks();
  instance.graph.memory.limit_bytes = std::numeric_limits<double>::infinity();
  Instance unknown = instance;
  unknown.graph.memory = {};
  for (const StrategyKind* kind : strategies()) {
    if (kind->uses_coordinates) continue;
    EXPECT_EQ(place(kind->name, instance), place(kind->name, unknown)) << kind->name;
  }
}

TEST(Memory, lists_must_fit_the_graph) {
  Instance instance = shared_blocks();
  EXPECT_NO_THROW(check(instance.graph, instance.machine));
  instance.graph.memory.block[0] = 9;
  EXPECT_THROW(check(instance.graph, instance.machine), Error);
  instance = shared_blocks();
  instance.graph.memory.rank_bytes.pop_back();
  EXPECT_THROW(check(instance.graph, instance.machine), Error);
}

}  // namespace
}  // namespace roam::placement::memory_test
