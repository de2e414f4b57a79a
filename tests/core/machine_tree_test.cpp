// SPDX-License-Identifier: Apache-2.0
// The tree of a machine: its queries against their definitions, its checks, its notation.
#include "roam/core/detail/machine_tree.hpp"

#include <gtest/gtest.h>

#include "roam/core/error.hpp"
#include "roam/core/machine.hpp"
#include "roam/core/random.hpp"

namespace machine_tree_test {

namespace {

using roam::ConfigError;
using roam::MachineTree;
using roam::MachineTreeParts;
using roam::parse_machine_tree;
using roam::TreeRange;

MachineTree tree(std::string_view text) { return parse_machine_tree(text, "t"); }

std::string error(std::string_view text) {
  try {
    (void)tree(text);
  } catch (const ConfigError& error) {
    const std::string what = error.what();
    return what.substr(0, what.find("; a machine tree is written"));
  }
  return "no error";
}

std::string error(MachineTreeParts parts) {
  try {
    const MachineTree made(std::move(parts), "t");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no error";
}

TEST(MachineTree, the_smallest_is_one_core) {
  const MachineTree smallest;
  EXPECT_EQ(smallest.depth(), 1U);
  EXPECT_EQ(smallest.leaves(), 1);
  EXPECT_EQ(smallest.common_level(0, 0), 1U);
  EXPECT_EQ(smallest.distance(0, 0), 0.0);
  EXPECT_EQ(smallest, tree("1"));
}

TEST(MachineTree, levels_have_names) {
  const MachineTree small = tree("8:2:4");
  ASSERT_EQ(small.depth(), 3U);
  EXPECT_EQ(small.levels()[0].name, "machine");
  EXPECT_EQ(small.levels()[1].name, "node");
  EXPECT_EQ(small.levels()[2].name, "package");
  EXPECT_EQ(small.levels()[3].name, "core");
  EXPECT_EQ(small.level_named("Package"), 2U);
  EXPECT_EQ(small.level_named("L3"), std::nullopt);
  EXPECT_EQ(tree("2:2:2:2:2:2").levels()[1].name, "switch 3");
  EXPECT_EQ(small.name(0, 0), "machine");
  EXPECT_EQ(small.name(1, 3), "node 3");
}

TEST(MachineTree, a_regular_tree) {
  const MachineTree t = tree("2:3:2");
  EXPECT_TRUE(t.is_regular());
  EXPECT_EQ(t.leaves(), 12);
  EXPECT_EQ(t.groups(1), 2);
  EXPECT_EQ(t.groups(2), 6);
  EXPECT_EQ(t.arity(1), 3);
  EXPECT_EQ(t.leaves_of(1, 1), (TreeRange{6, 12}));
  EXPECT_EQ(t.children(1, 1), (TreeRange{3, 6}));
  EXPECT_EQ(t.parent(2, 5), 1);
  EXPECT_EQ(t.ancestor(7, 2), 3);
  EXPECT_EQ(t.ancestor(7, 3), 7);
  EXPECT_EQ(t.common_level(6, 7), 2U);
  EXPECT_EQ(t.common_level(6, 8), 1U);
  EXPECT_EQ(t.common_level(5, 6), 0U);
  EXPECT_EQ(t.common_level(5, 5), 3U);
}

TEST(MachineTree, groups_may_differ) {
  const MachineTree t = tree("2:3,1:2,1,1,4");
  EXPECT_FALSE(t.is_regular());
  EXPECT_EQ(t.arity(0), 2);
  EXPECT_EQ(t.arity(1), std::nullopt);
  EXPECT_EQ(t.leaves(), 8);
  EXPECT_EQ(t.leaves_of(1, 0), (TreeRange{0, 4}));
  EXPECT_EQ(t.leaves_of(1, 1), (TreeRange{4, 8}));
  EXPECT_EQ(t.leaves_of(2, 1), (TreeRange{2, 3}));
  EXPECT_EQ(t.common_level(2, 3), 1U);
  EXPECT_EQ(t.common_level(4, 7), 2U);
}

TEST(MachineTree, distances_are_those_of_the_level_where_leaves_meet) {
  const MachineTree t = tree("8:2:4@100:10:1");
  EXPECT_TRUE(t.has_distances());
  EXPECT_EQ(t.distance(0, 0), 0.0);
  EXPECT_EQ(t.distance(0, 3), 1.0);
  EXPECT_EQ(t.distance(0, 4), 10.0);
  EXPECT_EQ(t.distance(63, 0), 100.0);
  // A ring of 64: 48 neighbours in a package, 8 across packages, 8 across nodes, counted in both
  // directions.
  double ring = 0.0;
  for (int i = 0; i < 64; ++i) ring += t.distance(i, (i + 1) % 64);
  EXPECT_EQ(ring, 48 * 1 + 8 * 10 + 8 * 100);
  const MachineTree without = tree("8:2:4");
  EXPECT_FALSE(without.has_distances());
  EXPECT_EQ(without.distance(0, 3), 1.0);
  EXPECT_EQ(without.distance(0, 4), 2.0);
  EXPECT_EQ(without.distance(0, 8), 3.0);
  EXPECT_EQ(tree("8:1:2:4:1").distance(0, 8), 3.0) << "levels that tell nothing apart do not count";
  EXPECT_EQ(tree("8:1:2:4:1").distance(0, 3), 1.0);
  EXPECT_EQ(without.with_distances(std::vector<double>{100, 10, 1}), t);
}

TEST(MachineTree, barred_leaves_keep_their_places) {
  const MachineTree t = tree("2:2:4!3,8-11");
  EXPECT_EQ(t.leaves(), 16);
  EXPECT_EQ(t.usable_leaves().size(), 11U);
  EXPECT_FALSE(t.is_usable(3));
  EXPECT_TRUE(t.is_usable(4));
  EXPECT_EQ(t.usable_in(0, 0), 11);
  EXPECT_EQ(t.usable_in(1, 1), 4);
  EXPECT_EQ(t.usable_in(2, 0), 3);
  EXPECT_EQ(t.usable_in(2, 2), 0);
  EXPECT_EQ(t.usable_in(3, 3), 0);
  EXPECT_EQ(t.with_usable(std::vector<std::int32_t>{3, 5}).usable_leaves().size(), 2U);
  EXPECT_THROW((void)t.with_usable(std::vector<std::int32_t>{16}), ConfigError);
  EXPECT_THROW((void)t.with_usable({}), ConfigError);
}

TEST(MachineTree, one_level_up_cores_take_the_place_of_their_threads) {
  MachineTreeParts parts;
  parts.levels = {{"machine", 10.0}, {"core", 1.0}, {"PU"}};
  parts.parents = {{0, 0, 0}, {0, 0, 1, 2, 2}};
  parts.usable = {false, true, false, true, true};
  parts.processors = {0, 4, 1, 6, 2};
  parts.names = {{}, {"a", "", "c"}, {}};
  const MachineTree cores = MachineTree(parts).ending_at(1);
  EXPECT_EQ(roam::to_text(cores), "3@10!1");
  EXPECT_EQ(cores.processor(0), 4) << "the first usable one";
  EXPECT_EQ(cores.processor(1), 1) << "no usable one";
  EXPECT_EQ(cores.processor(2), 6);
  EXPECT_EQ(cores.name(1, 0), "a");
  EXPECT_EQ(cores.name(1, 1), "core 1");
  EXPECT_EQ(MachineTree(parts).ending_at(2), MachineTree(parts));
}

TEST(MachineTree, notation_and_back) {
  for (const char* text : {"1", "2:3:2", "2:3,1:4", "2:3,1:2,1,1,4@5:2.5:0!0,3-4", "8:2:4@100:10:1",
                           "3@1e-06", "4!0-2"}) {
    EXPECT_TRUE(roam::is_machine_tree(text)) << text;
    EXPECT_EQ(roam::to_text(tree(text)), text);
  }
  EXPECT_EQ(roam::to_text(tree("2:3,3:4")), "2:3:4");
  EXPECT_FALSE(roam::is_machine_tree("node:2 core:4"));
  EXPECT_FALSE(roam::is_machine_tree("4.xml"));
  EXPECT_FALSE(roam::is_machine_tree(""));
}

TEST(MachineTree, every_bad_notation_has_one_clear_line) {
  EXPECT_EQ(error(""), "t: groups: found \"\", allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(error("2:x"), "t: groups: found \"x\", allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(error("2:0:3"), "t: groups: found \"0\", allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(error("2:-1"), "t: groups: found \"-1\", allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(error("2:1,2,3"),
            "t: found a list of 3 numbers for 2 groups, allowed is one number for each, or one for "
            "all");
  EXPECT_EQ(error("4096:4096:2"), "t: found more than 16777216 groups on one level");
  EXPECT_EQ(error("99999999999"),
            "t: groups: found \"99999999999\", allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(error("2:2@1"), "t: found 1 distances for 2 levels, allowed is one for each");
  EXPECT_EQ(error("2:2@1:x"), "t: distances: found \"x\", allowed is a number");
  EXPECT_EQ(
      error("2:2@1:2"),
      "t: level \"package\": distance: found 2, allowed is at most that of the level around it, "
      "1");
  EXPECT_EQ(error("2@-1"),
            "t: level \"machine\": distance: found -1, allowed is a number of at least 0");
  EXPECT_EQ(error("2@nan"),
            "t: level \"machine\": distance: found nan, allowed is a number of at least 0");
  EXPECT_EQ(error("2:2!4"), "t: barred leaf: found \"4\", allowed is a whole number from 0 to 3");
  EXPECT_EQ(error("2:2!3-1"), "t: barred leaf: found \"1\", allowed is a whole number from 3 to 3");
  EXPECT_EQ(error("2:2!0-3"), "t: no leaf may be used, allowed is at least one that may");
  std::string deep = "1";
  for (int i = 0; i < 31; ++i) deep += ":1";
  EXPECT_EQ(error(deep), "t: found 32 numbers, allowed are at most 31");
}

TEST(MachineTree, parts_that_do_not_fit_are_refused) {
  const MachineTreeParts good = tree("2:2").parts();
  EXPECT_EQ(error(good), "no error");
  const auto with = [&](auto change) {
    MachineTreeParts parts = good;
    change(parts);
    return error(parts);
  };
  EXPECT_EQ(with([](auto& p) { p.levels.clear(); }), "t: found 0 levels, allowed are 2 to 32");
  EXPECT_EQ(with([](auto& p) { p.parents.pop_back(); }),
            "t: found 1 lists of parents for 3 levels, allowed is one for each but the first");
  EXPECT_EQ(with([](auto& p) { p.levels[1].name = ""; }), "t: level 1 has no name");
  EXPECT_EQ(with([](auto& p) { p.levels[1].name = "Core"; }),
            "t: two levels are called \"core\", allowed is a name of its own for each");
  EXPECT_EQ(with([](auto& p) {
              p.parents[1] = {0, 0, 1, 2};
            }),
            "t: core 3 lies in package 2, but there are 2, numbered from 0");
  EXPECT_EQ(with([](auto& p) {
              p.parents[1] = {0, -1, 1, 1};
            }),
            "t: core 1 lies in package -1, but there are 2, numbered from 0");
  EXPECT_EQ(with([](auto& p) {
              p.parents[1] = {0, 1, 0, 1};
            }),
            "t: core 2 lies in package 0, the one before it in 1; parents must not decrease");
  EXPECT_EQ(with([](auto& p) { p.parents[1] = {0, 0}; }), "t: package 1 has no core");
  EXPECT_EQ(with([](auto& p) { p.parents[1] = {1, 1}; }), "t: package 0 has no core");
  EXPECT_EQ(with([](auto& p) { p.parents[1].clear(); }), "t: package 0 has no core");
  EXPECT_EQ(with([](auto& p) { p.usable = {true}; }),
            "t: found 1 marks of use for 4 groups, allowed is one for each, or none");
  EXPECT_EQ(with([](auto& p) {
              p.processors = {0, 1, -2, 3};
            }),
            "t: found a processor with a negative number");
  EXPECT_EQ(with([](auto& p) {
              p.names = {{}, {"a"}, {}};
            }),
            "t: found 1 names for 2 groups, allowed is one for each, or none");
  EXPECT_EQ(with([](auto& p) { p.levels[1].distance = 2.0; }),
            "t: level \"package\": distance: some levels have one and some do not, allowed are all "
            "or none");
  EXPECT_EQ(with([](auto& p) { p.levels[2].distance = 2.0; }),
            "t: level \"core\" has a distance, but leaves hold nothing that could be apart");
}

TEST(MachineTree, of_a_simulated_machine) {
  const std::string_view levels = R"(
    ranks = 10
    [[network]]
    name = "node"
    parents = [0, 0, 0, 1, 1, 2, 2, 2, 2, 3]
    [[network]]
    name = "switch"
    parents = [0, 0, 1, 1]
    [[network]]
    name = "machine")";
  const roam::Machine machine = roam::parse_machine(levels, "m.toml");
  const MachineTree unequal = roam::tree_of(machine);
  EXPECT_EQ(roam::to_text(unequal), "2:2:3,2,4,1");
  EXPECT_EQ(unequal.levels()[0].name, "machine");
  EXPECT_EQ(unequal.levels()[1].name, "switch");
  EXPECT_EQ(unequal.levels()[3].name, "rank");
  for (std::int32_t a = 0; a < 10; ++a) {
    for (std::int32_t b = 0; b < 10; ++b) {
      if (a == b) continue;
      EXPECT_EQ(unequal.common_level(a, b) + machine.level_between(a, b), 2U) << a << " and " << b;
    }
  }
  const roam::Machine equal = roam::parse_machine(
      "ranks = 10\n[[network]]\nname = \"rank\"\ngroup_ranks = 4\n[[network]]", "m.toml");
  EXPECT_EQ(roam::to_text(roam::tree_of(equal)), "3:4,4,2");
  EXPECT_EQ(roam::to_text(roam::tree_of(roam::Machine{})), "4");
}

TEST(MachineTree, bad_parents_of_a_simulated_machine) {
  const auto error_of = [](const std::string& inner, const std::string& outer) {
    const std::string text = "ranks = 4\n[[network]]\nname = \"a\"\n" + inner +
                             "\n[[network]]\nname = \"b\"\n" + outer + "\n[[network]]";
    try {
      (void)roam::parse_machine(text, "m");
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string good = "parents = [0, 0, 1]";
  EXPECT_EQ(error_of("parents = [0, 0, 1, 2]", good), "no error");
  EXPECT_EQ(error_of("parents = [0, 0, 1]", good),
            "m:4:11: network level 1, parents: found 3 numbers, allowed is one for each rank, 4");
  EXPECT_EQ(
      error_of("parents = [0, 0, 1, 1]", good),
      "m:7:11: network level 2, parents: found 3 numbers, allowed is one for each group of the "
      "level inside it, 2");
  EXPECT_EQ(error_of("parents = [0, 1, 0, 1]", good),
            "m:4:11: network level 1, parents: found 0 after 1, allowed are numbers from 0 that do "
            "not decrease and leave out none");
  EXPECT_EQ(
      error_of("parents = [1, 1, 2, 2]", good),
      "m:4:11: network level 1, parents: found 1 first, allowed are numbers from 0 that do not "
      "decrease and leave out none");
  EXPECT_EQ(error_of("parents = [0, 0, 1, -2]", good),
            "m:4:21: network level 1, parents: found -2, allowed are whole numbers from 0 "
            "to 999999");
  EXPECT_EQ(error_of("parents = []", good),
            "m:4:11: network level 1, parents: found a list, allowed is a list with a number for "
            "each group inside");
  EXPECT_EQ(
      error_of("parents = [0, 0, 1, 1]\ngroup_ranks = 2", good),
      "m:4:11: network level 1, parents: found beside group_ranks, allowed is one of the two");
  EXPECT_EQ(error_of("parents = [0, 0, 1, 2]", "group_ranks = 4"),
            "m:7:15: network level 2, group_ranks: found around a level with parents, allowed is a "
            "list of parents here, too");
  EXPECT_EQ(
      error_of("group_ranks = 2", good + "\n[[network]]\nname = \"c\"\nparents = [0]"),
      "m:7:11: network level 2, parents: found 3 numbers, allowed is one for each group of the "
      "level inside it, 2");
}

// Compares all queries with walking up the parents, on random trees.
TEST(MachineTree, queries_agree_with_the_parents) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    roam::core::Random random(seed);
    MachineTreeParts parts;
    parts.levels.push_back({"machine"});
    const std::size_t depth = 1 + random.below(5);
    std::int32_t groups = 1;
    for (std::size_t level = 1; level <= depth; ++level) {
      parts.levels.push_back({"level " + std::to_string(level)});
      std::vector<std::int32_t> parents;
      for (std::int32_t group = 0; group < groups; ++group)
        parents.insert(parents.end(), 1 + random.below(4), group);
      groups = static_cast<std::int32_t>(parents.size());
      parts.parents.push_back(parents);
    }
    const MachineTree t(parts);
    EXPECT_EQ(roam::to_text(tree(roam::to_text(t))), roam::to_text(t)) << "seed " << seed;
    const auto up = [&](std::int32_t leaf, std::size_t level) {
      for (std::size_t l = depth; l > level; --l)
        leaf = parts.parents[l - 1][static_cast<std::size_t>(leaf)];
      return leaf;
    };
    for (std::int32_t leaf = 0; leaf < t.leaves(); ++leaf) {
      for (std::size_t level = 0; level <= depth; ++level) {
        ASSERT_EQ(t.ancestor(leaf, level), up(leaf, level)) << "seed " << seed;
        for (std::int32_t group = 0; group < t.groups(level); ++group)
          ASSERT_EQ(t.leaves_of(level, group).contains(leaf), group == up(leaf, level));
      }
      const auto other =
          static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(t.leaves())));
      std::size_t meet = depth;
      while (up(leaf, meet) != up(other, meet)) --meet;
      ASSERT_EQ(t.common_level(leaf, other), meet) << "seed " << seed;
    }
    for (std::size_t level = 0; level < depth; ++level)
      for (std::int32_t child = 0; child < t.groups(level + 1); ++child)
        for (std::int32_t group = 0; group < t.groups(level); ++group)
          ASSERT_EQ(t.children(level, group).contains(child), t.parent(level + 1, child) == group);
  }
}

}  // namespace

}  // namespace machine_tree_test
