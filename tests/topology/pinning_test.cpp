// SPDX-License-Identifier: Apache-2.0
// In which order workers take the cores of a machine.
#include "roam/topology/detail/pinning.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "reading.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/synthetic.hpp"

namespace roam::topology::pinning_test {
namespace {

using Cores = std::vector<std::int32_t>;

MachineTree synthetic(const std::string& text) { return parse_synthetic(text, "t"); }

TEST(Pinning, compact_takes_cores_in_their_order_and_second_threads_last) {
  const MachineTree tree = synthetic("package:2 l3:2 core:2 pu:2");
  const Cores cores = cores_in_order(tree);
  EXPECT_EQ(cores, (Cores{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(processors_of_cores(tree, cores, "t"),
            (Processors{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15}));
}

TEST(Pinning, scatter_deals_cores_to_packages_in_turn_and_inside_them_to_caches) {
  EXPECT_EQ(cores_far_apart(synthetic("package:2 l3:2 core:2 pu:2")),
            (Cores{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(cores_far_apart(synthetic("core:4 pu:1")), (Cores{0, 1, 2, 3}));
}

TEST(Pinning, unequal_groups_are_passed_over_when_they_have_no_cores_left) {
  const MachineTree tree = parse_machine_tree("2:3,1", "t");
  EXPECT_EQ(cores_far_apart(tree), (Cores{0, 3, 1, 2}));
  EXPECT_EQ(cores_in_order(tree), (Cores{0, 1, 2, 3}));
}

TEST(Pinning, leaves_that_may_not_be_used_get_no_worker) {
  const MachineTree tree = parse_machine_tree("2:2:2!0-1,6", "t");
  EXPECT_EQ(cores_in_order(tree), (Cores{2, 3, 4, 5, 7}));
  EXPECT_EQ(cores_far_apart(tree), (Cores{2, 4, 3, 7, 5}));
}

TEST(Pinning, processors_are_the_systems_numbers_of_threads_that_may_be_used) {
  MachineTreeParts parts;
  parts.levels = {{"machine"}, {"core"}, {"PU"}};
  parts.parents = {{0, 0, 0}, {0, 0, 1, 2, 2}};
  parts.processors = {9, 4, 2, 7, 1};
  parts.usable = {false, true, true, true, true};
  const MachineTree tree(parts);
  EXPECT_EQ(processors_of_cores(tree, Cores{0, 1, 2}, "t"), (Processors{4, 2, 7, 1}));
  EXPECT_EQ(processors_of_cores(tree, Cores{2, 0}, "t"), (Processors{7, 4, 1}));
  EXPECT_EQ(processors_of_cores(tree, Cores{1, 1}, "t"), (Processors{2, 2}));
}

TEST(Pinning, cores_that_there_are_not_are_refused_in_one_line) {
  using roam::test::config_error_of;
  const MachineTree tree = parse_machine_tree("2:2!3", "t");
  const auto error = [&](const Cores& cores) {
    return config_error_of([&] { return processors_of_cores(tree, cores, "--roam-pin"); });
  };
  EXPECT_EQ(error({0, 4}), "--roam-pin: found core 4, allowed is 0 to 3");
  EXPECT_EQ(error({-1}), "--roam-pin: found core -1, allowed is 0 to 3");
  EXPECT_EQ(error({3}), "--roam-pin: core 3 may not be used");
  EXPECT_EQ(error({}), "--roam-pin: found no core");
}

/// Leaves that both orders must have once each.
TEST(Pinning, every_policy_gives_each_core_that_may_be_used_one_worker_before_any_gets_two) {
  for (std::uint64_t seed = 1; seed <= 500; ++seed) {
    core::Random random(seed);
    MachineTreeParts parts;
    parts.levels = {{"machine"}, {"package"}, {"core"}, {"PU"}};
    for (std::size_t level = 0; level < 3; ++level) {
      const std::size_t groups = level == 0 ? 1 : parts.parents.back().size();
      std::vector<std::int32_t> parents;
      for (std::size_t g = 0; g < groups; ++g)
        parents.insert(parents.end(), 1 + random.below(4), static_cast<std::int32_t>(g));
      parts.parents.push_back(parents);
    }
    const std::size_t leaves = parts.parents.back().size();
    for (std::size_t i = 0; i < leaves; ++i) {
      parts.usable.push_back(random.below(4) > 0 || i == 0);
      parts.processors.push_back(static_cast<std::int32_t>(3 * i));
    }
    const MachineTree tree(parts);
    std::set<std::int32_t> usable_cores;
    std::set<std::int32_t> usable_processors;
    for (const std::int32_t leaf : tree.usable_leaves()) {
      usable_cores.insert(tree.ancestor(leaf, 2));
      usable_processors.insert(3 * leaf);
    }
    for (const Cores& cores : {cores_in_order(tree), cores_far_apart(tree)}) {
      EXPECT_EQ(std::set(cores.begin(), cores.end()), usable_cores) << seed;
      EXPECT_EQ(cores.size(), usable_cores.size()) << seed;
      const Processors processors = processors_of_cores(tree, cores, "t");
      EXPECT_EQ(std::set(processors.begin(), processors.end()), usable_processors) << seed;
      EXPECT_EQ(processors.size(), usable_processors.size()) << seed;
      std::set<std::int32_t> first;
      for (std::size_t i = 0; i < cores.size(); ++i)
        first.insert(tree.ancestor(processors[i] / 3, 2));
      EXPECT_EQ(first.size(), cores.size()) << seed;
    }
    // While both have cores left, neighbours are in different packages.
    const Cores far = cores_far_apart(tree);
    std::set<std::int32_t> packages;
    for (const std::int32_t core : usable_cores) packages.insert(tree.parent(2, core));
    std::set<std::int32_t> of_first;
    for (std::size_t i = 0; i < packages.size(); ++i) of_first.insert(tree.parent(2, far[i]));
    EXPECT_EQ(of_first, packages) << seed;
  }
}

}  // namespace
}  // namespace roam::topology::pinning_test
