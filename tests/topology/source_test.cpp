// SPDX-License-Identifier: Apache-2.0
// The names of sources, the synthetic notation, and joined trees. Whatever the input, the result is
// a tree or an error of one line.
#include "roam/topology/detail/source.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <filesystem>
#include <set>

#include "reading.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/join.hpp"
#include "roam/topology/detail/synthetic.hpp"
#include "roam/topology/detail/this_machine.hpp"

namespace source_test {

namespace {

using roam::MachineTree;
using roam::to_text;
using roam::topology::parse_synthetic;
using roam::topology::parse_tree;
using roam::topology::read_tree;
using namespace roam::test;

MachineTree source(const std::string& text) { return read_tree(text, "t"); }
std::string source_error(const std::string& text) {
  return config_error_of([&] { return source(text); });
}
std::string synthetic_error(const std::string& text) {
  const std::string error = config_error_of([&] { return parse_synthetic(text, "t"); });
  return error.substr(0, error.find("; a synthetic node is"));
}

TEST(Synthetic, names_attributes_and_memory) {
  const MachineTree tree = parse_synthetic(
      "Package:2 [NUMANode(memory=1073741824)] L3Cache:1(size=33554432) L1iCache:3 Core:2 PU:2",
      "t");
  EXPECT_EQ(level_names(tree), "machine, package, NUMA, L3, core, PU");
  EXPECT_EQ(to_text(tree), "2:1:1:6:2");
  EXPECT_EQ(processor_numbers(tree.ending_at(1)), "0 12");
}

TEST(Synthetic, levels_that_separate_nothing_are_left_out) {
  EXPECT_EQ(level_names(parse_synthetic("pack:2 die:1 l2:4 l1d:1 core:1 pu:1", "t")),
            "machine, package, core, PU");
  EXPECT_EQ(level_names(parse_synthetic("pack:2 die:2 l2:4 core:2", "t")),
            "machine, package, die, L2, core");
  EXPECT_EQ(level_names(parse_synthetic("group:2 group:2 core:2", "t")),
            "machine, group, group 2, core");
}

TEST(Synthetic, numbers_alone_and_the_processors_order) {
  EXPECT_EQ(level_names(parse_synthetic("[numa] 2 4 2", "t")),
            "machine, NUMA, node, package, core");
  EXPECT_EQ(processor_numbers(parse_synthetic("core:2 pu:2(indexes=0,2,1,3)", "t")), "0 2 1 3");
  EXPECT_EQ(processor_numbers(parse_synthetic("core:4 pu:2(indexes=2*4:1*2)", "t")),
            "0 4 1 5 2 6 3 7");
}

TEST(Synthetic, what_is_none) {
  EXPECT_EQ(synthetic_error(""), "t: found no level");
  EXPECT_EQ(synthetic_error("pakage:2"), "t: found level \"pakage\"; did you mean package?");
  EXPECT_EQ(synthetic_error("pack:0"),
            "t: found \"0\" objects, allowed is a whole number from 1 to 16777216");
  EXPECT_EQ(synthetic_error("pack"), "t: found pack without \":\" and a number");
  EXPECT_EQ(synthetic_error("pack:2 4"),
            "t: some levels have names and some do not, allowed are all or none");
  EXPECT_EQ(synthetic_error("pack:2(size=3"), "t: a parenthesis is not closed");
  EXPECT_EQ(synthetic_error("[core] pack:2"), "t: found [core], allowed is [numa]");
  EXPECT_EQ(synthetic_error("[numa pack:2"), "t: a bracket is not closed");
  EXPECT_EQ(synthetic_error("pack:2x"), "t: found \"x\" where a level ends");
  EXPECT_EQ(synthetic_error("l1i:4"), "t: an instruction cache holds nothing");
  EXPECT_EQ(synthetic_error("pack:9999999 core:9999999"),
            "t: found more than 16777216 objects on one level");
  EXPECT_EQ(synthetic_error("l1i:9999999 l2i:9999999 core:9999999"),
            "t: found more than 16777216 objects on one level");
  EXPECT_TRUE(synthetic_error("pu:2(indexes=0,0)").starts_with("t: found indexes=0,0, allowed is"));
  EXPECT_TRUE(synthetic_error("pu:2(indexes=0)").starts_with("t: found indexes=0, allowed is"));
  EXPECT_TRUE(synthetic_error("pu:4(indexes=1*0)").starts_with("t: found indexes=1*0, allowed is"));
  EXPECT_TRUE(synthetic_error("pu:4(indexes=0*4)").starts_with("t: found indexes=0*4, allowed is"));
}

TEST(Source, is_told_apart_by_what_it_looks_like) {
  EXPECT_EQ(to_text(source("8:2:4@100:10:1!7")), "8:2:4@100:10:1!7");
  EXPECT_EQ(to_text(source("package:2 core:3")), "2:3");
  EXPECT_EQ(to_text(source("ranks=6,workers=1")), "6");
  EXPECT_EQ(to_text(source(topology_file("node_sparse.xml"))), "2:1:2:1:2");
  EXPECT_EQ(to_text(source(topology_file("switches.conf"))), "2:2,1:4,5,5");
  EXPECT_EQ(to_text(source(topology_file("machine.toml"))), "2:2:3,2,4,1");
  EXPECT_EQ(to_text(source(topology_file("notation"))), "2:3,1:4@100:10:1!0,5-6");
  EXPECT_EQ(to_text(source(topology_file("synthetic"))), "2:1:1:2:2");
  EXPECT_EQ(processor_numbers(source(topology_file("synthetic"))), "0 4 1 5 2 6 3 7");
}

TEST(Source, joins_what_a_plus_joins) {
  const MachineTree tree = source(topology_file("switches.conf") + "+2:4!3");
  EXPECT_EQ(level_names(tree), "switch 3, switch 2, switch, node, package, core");
  EXPECT_EQ(to_text(tree.ending_at(3)), "2:2,1:4,5,5");
  EXPECT_EQ(tree.leaves(), 14 * 8);
  EXPECT_FALSE(tree.is_usable(8 + 3));
  EXPECT_EQ(tree.usable_leaves().size(), 14U * 7U);
  EXPECT_EQ(tree.name(3, 4), "tux4");
  EXPECT_EQ(tree.common_level(8, 15), 3U) << "two packages of node 1";
  EXPECT_EQ(tree.common_level(7, 8), 2U) << "two nodes of a switch";
  EXPECT_EQ(level_names(source("2:16+2:4")), "machine, switch, node, package, core");
  EXPECT_EQ(to_text(source("2:3!1+2+2")), "2:3:2:2!4-7");
  EXPECT_EQ(level_names(source("2+3+4")), "machine, switch, node, core");
  EXPECT_EQ(to_text(source("2@10+2@1")), "2:2@10:1");
  EXPECT_EQ(to_text(source("2@1e+06+2@1")), "2:2@1000000:1");
  EXPECT_EQ(processor_numbers(source("2+core:2 pu:1")), "0 1 0 1");
  EXPECT_EQ(source_error("2@10+2"),
            "t: one of the two trees has distances, allowed are both or none");
  EXPECT_EQ(
      source_error("2@1+2@10"),
      "t: level \"node\": distance: found 10, allowed is at most that of the level around it, 1");
  EXPECT_EQ(source_error("65536+65536"),
            "t: found 65536 machines of 65536 leaves, allowed are at most 16777216 leaves");
  EXPECT_EQ(source_error("package:2 pu:2+package:1 core:2"),
            "t: two levels are called \"package\", allowed is a name of its own for each");
}

TEST(Source, what_cannot_be_read_has_one_clear_line) {
  EXPECT_EQ(source_error("nowhere.xml"),
            "t: cannot read \"nowhere.xml\": No such file or directory; allowed is a file that "
            "describes a machine, \"here\", a tree as in 8:2:4, or a node as in \"package:2 core:4 "
            "pu:2\"");
  EXPECT_EQ(config_error_of([] { return parse_tree(" \n", "t"); }), "t: the file is empty");
  EXPECT_EQ(config_error_of([] { return parse_tree("BZh91AY", "t"); }),
            "t: this file is compressed; allowed is what it contains, unpacked");
  EXPECT_EQ(source_error("2+"), source_error("2+").substr(0, 600));
  EXPECT_NE(source_error("2+"), "no error");
}

TEST(ThisMachine, has_the_processors_that_this_process_may_use) {
  if (!roam::topology::knows_this_machine()) {
    EXPECT_TRUE(source_error("here").starts_with("this Roam was built without hwloc"));
    GTEST_SKIP() << "built without hwloc";
  }
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const auto check = [](const cpu_set_t& set) {
    const MachineTree tree = source("here");
    ASSERT_EQ(tree.leaves(), CPU_COUNT(&set));
    for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
      EXPECT_TRUE(CPU_ISSET(static_cast<std::size_t>(tree.processor(leaf).value()), &set));
  };
  check(allowed);
  // The process is bound to its last processor alone, as by taskset.
  cpu_set_t one;
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
  }
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  check(one);
  ASSERT_EQ(sched_setaffinity(0, sizeof allowed, &allowed), 0);
}

/// Expects a consistent tree, or one line that names the input, whatever the input is.
void expect_tree_or_line(const std::string& text, const std::string& what) {
  try {
    const MachineTree tree = parse_tree(text, "input");
    EXPECT_GE(tree.usable_leaves().size(), 1U) << what;
    EXPECT_LE(tree.depth(), roam::max_tree_levels) << what;
  } catch (const roam::ConfigError& error) {
    const std::string line = error.what();
    EXPECT_TRUE(line.starts_with("input")) << what << ": " << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << what << ": " << line;
    EXPECT_LE(line.size(), 800U) << what;
  }
}

TEST(Source, a_thousand_mutated_inputs_are_a_tree_or_one_line) {
  std::vector<std::string> seeds;
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(topology_file("")))
    paths.insert(entry.path());
  for (const auto& path : paths) seeds.push_back(roam::core::read_text_file(path.string()));
  ASSERT_GE(seeds.size(), 20U);
  constexpr std::uint64_t seed = 26;
  roam::core::Random random(seed);
  const auto below = [&](std::size_t bound) {
    return static_cast<std::size_t>(random.below(bound));
  };
  for (int i = 0; i < 1000; ++i) {
    const std::size_t chosen = below(seeds.size());
    std::string text = seeds[chosen];
    for (std::size_t changes = 1 + below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = below(text.size());
      const std::size_t length = 1 + below(std::min<std::size_t>(40, text.size() - at));
      switch (below(5)) {
        case 0:
          text.resize(at);
          break;
        case 1:
          text.erase(at, length);
          break;
        case 2:
          text[at] = static_cast<char>(random.below(256));
          break;
        case 3:
          text.insert(below(text.size()), text.substr(at, length));
          break;
        default: {
          const std::string& other = seeds[below(seeds.size())];
          text.replace(at, length, other.substr(below(other.size()), length));
        }
      }
    }
    expect_tree_or_line(text, "seed 26, input " + std::to_string(i));
  }
}

}  // namespace

}  // namespace source_test
