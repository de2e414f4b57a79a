// SPDX-License-Identifier: Apache-2.0
// R3: machine descriptions are validated; errors say file, line, what was found and what is
// allowed.
#include "roam/core/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "roam/core/error.hpp"

namespace machine_test {

namespace {

using roam::ConfigError;
using roam::Machine;
using roam::Rank;

std::string error(const std::string& toml) {
  try {
    (void)roam::parse_machine(toml, "m.toml");
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error for: " << toml;
  return {};
}

std::string inline_error(const std::string& text) {
  try {
    (void)roam::parse_inline_machine(text, "--roam-simulate");
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error for: " << text;
  return {};
}

TEST(Machine, the_example_is_as_its_comments_say) {
  const Machine machine =
      roam::read_machine_file(std::string(ROAM_SOURCE_FOLDER) + "/examples/cluster.toml");
  EXPECT_EQ(machine.ranks, 128);
  EXPECT_EQ(machine.workers_per_rank, 32U);
  EXPECT_EQ(machine.noise, 0.02);
  EXPECT_EQ(machine.speed(5), 1.0);
  EXPECT_EQ(machine.speed(6), 0.8);
  EXPECT_EQ(machine.speed(127), 0.8);
  EXPECT_EQ(machine.speed(120), 1.0);
  ASSERT_EQ(machine.network.size(), 3U);
  EXPECT_EQ(machine.between(0, 1).name, "node");
  EXPECT_EQ(machine.between(1, 2).name, "switch");
  EXPECT_EQ(machine.between(31, 32).name, "machine");
  EXPECT_EQ(machine.between(7, 7).name, "node");
  EXPECT_EQ(machine.between(0, 1).bandwidth_bytes_per_second, 20e9);
  EXPECT_EQ(machine.between(0, 2).latency_seconds, 1.5e-6) << "left out: the default";
  EXPECT_EQ(machine.network[2].group_ranks, 0);
  EXPECT_EQ(machine.network[2].jitter, 0.2);
}

TEST(Machine, an_empty_description_is_the_documented_default) {
  const Machine machine = roam::parse_machine("", "m.toml");
  EXPECT_EQ(machine.ranks, 4);
  EXPECT_EQ(machine.workers_per_rank, 32U);
  EXPECT_EQ(machine.speed(3), 1.0);
  ASSERT_EQ(machine.network.size(), 1U);
  EXPECT_EQ(machine.network[0].latency_seconds, 1.5e-6);
  EXPECT_EQ(machine.network[0].overhead_seconds, 0.3e-6);
  EXPECT_EQ(machine.network[0].bandwidth_bytes_per_second, 12e9);
  EXPECT_EQ(machine.level_between(0, 3), 0U);
}

TEST(Machine, speeds_as_number_list_or_pattern) {
  EXPECT_EQ(roam::parse_machine("speed = 2", "m").speed(3), 2.0);
  EXPECT_EQ(roam::parse_machine("ranks = 3\nspeed = [1, 0.5, 2.0]", "m").speed(1), 0.5);
  EXPECT_EQ(roam::parse_machine("ranks = 6\nspeed = [1, 0.5]", "m").speed(5), 0.5);
}

TEST(Machine, unknown_keys_get_suggestions) {
  EXPECT_EQ(error("ranks = 2\nworkers_per_rank = 3"),
            "m.toml:2:1: unknown key workers_per_rank; did you mean workers? (a machine has: "
            "ranks, workers, speed, network, "
            "noise, handler_overhead_seconds, measured_time_factor)");
  EXPECT_EQ(error("[[network]]\nlatency = 3"),
            "m.toml:2:1: unknown key latency; did you mean latency_seconds? (a network level has: "
            "name, group_ranks, parents, uplinks, torus, "
            "latency_seconds, overhead_seconds, gap_seconds, bandwidth_bytes_per_second, jitter, "
            "contention, shared_bandwidth_bytes_per_second, uplink_bandwidth_bytes_per_second, "
            "link_bandwidth_bytes_per_second, hop_latency_seconds)");
}

TEST(Machine, wrong_types) {
  const std::string whole = ", allowed is a whole number from 1 to ";
  EXPECT_EQ(error("ranks = 'four'"),
            "m.toml:1:9: ranks: found the text \"four\"" + whole + "1000000");
  EXPECT_EQ(error("ranks = 4.5"), "m.toml:1:9: ranks: found 4.5" + whole + "1000000");
  EXPECT_EQ(error("ranks = 4294967300"), "m.toml:1:9: ranks: found 4294967300" + whole + "1000000");
  EXPECT_EQ(error("ranks = -1"), "m.toml:1:9: ranks: found -1" + whole + "1000000");
  EXPECT_EQ(error("workers = [3]"), "m.toml:1:11: workers: found a list" + whole + "4096");
  EXPECT_EQ(error("workers = -3"), "m.toml:1:11: workers: found -3" + whole + "4096");
  EXPECT_EQ(error("noise = true"), "m.toml:1:9: noise: found true, allowed is a number");
  EXPECT_EQ(error("speed = 2020-01-01"),
            "m.toml:1:9: speed: found a date or time, allowed is a number");
  EXPECT_EQ(error("speed = [1,\n 'x']"),
            "m.toml:2:2: speed: found the text \"x\", allowed is a number");
  EXPECT_EQ(
      error("[network]\njitter = 1"),
      "m.toml:1:1: network: found a table, allowed are tables [[network]], innermost level first");
  EXPECT_EQ(error("network = [1]"),
            "m.toml:1:12: network: found 1, allowed are tables [[network]]");
  EXPECT_EQ(error("[[network]]\nname = 3"),
            "m.toml:2:8: network level 1, name: found 3, allowed is text in quotes");
}

TEST(Machine, values_out_of_range) {
  EXPECT_EQ(error("ranks = 0"),
            "m.toml:1:9: ranks: found 0, allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(error("\nranks = 1000001"),
            "m.toml:2:9: ranks: found 1000001, allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(error("workers = 5000"),
            "m.toml:1:11: workers: found 5000, allowed is a whole number from 1 to 4096");
  EXPECT_EQ(error("noise = nan"),
            "m.toml:1:9: noise: found nan, allowed is a number from 0 to 10 (fraction)");
  EXPECT_EQ(
      error("speed = 0"),
      "m.toml:1:9: speed: found 0, allowed is a number from 1e-06 to 1000000 (1: normal speed)");
  EXPECT_EQ(error("[[network]]\nlatency_seconds = -1e-6"),
            "m.toml:2:19: network level 1, latency_seconds: found -1e-06, allowed is a number from "
            "0 to 10 (seconds)");
  EXPECT_EQ(error("[[network]]\nbandwidth_bytes_per_second = inf"),
            "m.toml:2:30: network level 1, bandwidth_bytes_per_second: found inf, allowed is a "
            "number from 1 to 1e+15 "
            "(bytes per second)");
  EXPECT_EQ(error("ranks = 4\nspeed = [1, 1, 1]"),
            "m.toml:2:9: speed: found 3 values, allowed is one for all ranks, one for each, or a "
            "pattern whose length divides "
            "the number of ranks, 4");
  EXPECT_EQ(error("speed = []").substr(0, 36), "m.toml:1:9: speed: found 0 values, a");
  EXPECT_EQ(error("network = []"), "m.toml:1:11: network: found 0 levels, allowed are 1 to 16");
}

TEST(Machine, network_levels_must_nest) {
  const std::string node = "ranks = 12\n[[network]]\nname = 'node'\ngroup_ranks = 4\n";
  const std::string last = "[[network]]\nname = 'all'\n";
  EXPECT_EQ(roam::parse_machine(node + last, "m").network.size(), 2U);
  EXPECT_EQ(error(node + "[[network]]\nname = 'switch'\ngroup_ranks = 6\n" + last),
            "m.toml:7:15: network level 2, group_ranks: found 6, allowed is a multiple of the "
            "level inside it (\"node\", 4 "
            "ranks), larger than it");
  EXPECT_EQ(error(node + "[[network]]\nname = 'switch'\ngroup_ranks = 4\n" + last).substr(0, 52),
            "m.toml:7:15: network level 2, group_ranks: found 4, ");
  EXPECT_EQ(error(node + "[[network]]\nname = 'switch'\n" + last),
            "m.toml:5:1: network level 2, group_ranks: found 0, allowed is a whole number from 1 "
            "to 1000000 on every level "
            "but the last, innermost first");
  EXPECT_EQ(error(node),
            "m.toml:4:15: network level 1, group_ranks: found 4, allowed is at least the number of "
            "ranks, 12, on the last "
            "(outermost) level; leave it out to span all ranks");
  EXPECT_EQ(error(node + "[[network]]\nname = 'node'\n"),
            "m.toml:6:8: network level 2, name: found \"node\" a second time, allowed is a name of "
            "its own for each level");
  EXPECT_EQ(error(node + "[[network]]\ngroup_ranks = 0"),
            "m.toml:6:15: network level 2, group_ranks: found 0; leave it out to span all ranks");
}

TEST(Machine, links_that_ranks_share) {
  const Machine machine = roam::parse_machine(
      "ranks = 24\n[[network]]\nname = 'node'\ngroup_ranks = 4\n"
      "shared_bandwidth_bytes_per_second = 2e10\nuplink_bandwidth_bytes_per_second = 3.2e9\n"
      "uplinks = 2\n[[network]]\nname = 'all'\ntorus = [3, 2]\n"
      "link_bandwidth_bytes_per_second = 5e9\nhop_latency_seconds = 1e-7\n",
      "m");
  EXPECT_EQ(machine.network[0].shared_bandwidth_bytes_per_second, 2e10);
  EXPECT_EQ(machine.network[0].uplink_bandwidth_bytes_per_second, 3.2e9);
  EXPECT_EQ(machine.network[0].uplinks, 2);
  EXPECT_EQ(machine.network[1].torus, (std::vector<std::int32_t>{3, 2}));
  EXPECT_EQ(machine.network[1].link_bandwidth_bytes_per_second, 5e9);
  EXPECT_EQ(machine.network[1].hop_latency_seconds, 1e-7);
  EXPECT_EQ(roam::parse_machine("", "m").network[0].uplinks, 1);
}

TEST(Machine, links_that_ranks_share_are_checked) {
  const std::string node = "ranks = 24\n[[network]]\nname = 'node'\ngroup_ranks = 4\n";
  const std::string all = "[[network]]\nname = 'all'\n";
  EXPECT_EQ(error(node + "uplink_bandwidth_bytes_per_second = 0.5\n" + all),
            "m.toml:5:37: network level 1, uplink_bandwidth_bytes_per_second: found 0.5, allowed "
            "is 0 or a number from 1 to 1e+15 (bytes per second)");
  EXPECT_EQ(error(node + "uplinks = 2\n" + all),
            "m.toml:5:11: network level 1, uplinks: found 2 without "
            "uplink_bandwidth_bytes_per_second");
  EXPECT_EQ(error(node + "uplinks = 0\n" + all),
            "m.toml:5:11: network level 1, uplinks: found 0, allowed is a whole number from 1 to "
            "4096");
  EXPECT_EQ(error(node + "uplinks = -1\n" + all),
            "m.toml:5:11: network level 1, uplinks: found -1, allowed is a whole number from 1 to "
            "4096");
  EXPECT_EQ(error("ranks = 1000000\n[[network]]\nname = 'node'\ngroup_ranks = 1\nuplinks = "
                  "4096\nuplink_bandwidth_bytes_per_second = 1e9\n" +
                  all),
            "m.toml:5:11: network level 1, uplinks: found 4096 for each of 1000000 groups, allowed "
            "are 16000000 in all");
  EXPECT_EQ(error(node + all + "uplink_bandwidth_bytes_per_second = 1e9"),
            "m.toml:7:37: network level 2, uplink_bandwidth_bytes_per_second: found on the last "
            "(outermost) level, which no message leaves; leave it out");
  EXPECT_EQ(
      error(node + "torus = [2]\n" + all),
      "m.toml:5:9: network level 1, torus: found, allowed on the last (outermost) level only");
  EXPECT_EQ(error(node + all + "torus = [2, 2]"),
            "m.toml:7:9: network level 2, torus: found 4 nodes, allowed are at least 6, one for "
            "each group of the level inside it");
  EXPECT_EQ(error(node + all + "torus = [1, 1, 1, 1, 1, 1, 6]"),
            "m.toml:7:9: network level 2, torus: found 7 sizes, allowed are 1 to 6");
  EXPECT_EQ(error(node + all + "torus = [1000, 1001]"),
            "m.toml:7:9: network level 2, torus: found the size 1001, allowed are whole numbers "
            "from 1 whose product is at most 1000000");
  EXPECT_EQ(error(node + all + "torus = [3, 0]"),
            "m.toml:7:13: network level 2, torus: found 0, allowed are whole numbers from 1 to "
            "1000000");
  EXPECT_EQ(error(node + all + "torus = 6"),
            "m.toml:7:9: network level 2, torus: found 6, allowed is a list with the size of each "
            "dimension");
  EXPECT_EQ(error(node + all + "torus = [3, 2]"),
            "m.toml:5:1: network level 2, link_bandwidth_bytes_per_second: found 0 beside a torus, "
            "allowed is a number from 1 (bytes per second)");
  EXPECT_EQ(error(node + all +
                  "torus = [3, 2]\nlink_bandwidth_bytes_per_second = 1e9\n"
                  "shared_bandwidth_bytes_per_second = 1e9"),
            "m.toml:9:37: network level 2, shared_bandwidth_bytes_per_second: found beside a "
            "torus, allowed is one of the two");
  EXPECT_EQ(error(node + all + "link_bandwidth_bytes_per_second = 1e9"),
            "m.toml:7:35: network level 2, link_bandwidth_bytes_per_second: found without a torus; "
            "leave it out");
  EXPECT_EQ(error(node + all + "hop_latency_seconds = 1e-9"),
            "m.toml:7:23: network level 2, hop_latency_seconds: found without a torus; leave it "
            "out");
  EXPECT_EQ(inline_error("ranks=4,uplink_bandwidth_bytes_per_second=1e9").substr(0, 58),
            "--roam-simulate: uplink_bandwidth_bytes_per_second: found ");
}

TEST(Machine, syntax_errors_have_a_place) {
  EXPECT_EQ(error("ranks = 2\nworkers =").substr(0, 27), "m.toml:2:10: not valid TOML");
  EXPECT_EQ(error("ranks = 2\nranks = 3").substr(0, 9), "m.toml:2:");
  EXPECT_EQ(error("\xff\xfe").substr(0, 9), "m.toml:1:");
}

// Found by fuzzing: toml++ has undefined behaviour for most of these.
TEST(Machine, letters_beyond_ascii_stand_in_quotes_or_comments_only) {
  EXPECT_EQ(error("ranks = 2\nra\xc5\x9cnks = 3"),
            "m.toml:2:3: not valid TOML: only text in quotes and comments may hold characters "
            "beyond ASCII");
  EXPECT_EQ(error("[[network]]\nname = '\xc3\xbc' \xc3\xbc").substr(0, 12), "m.toml:2:12:");
  EXPECT_EQ(error("speed = \"\\\"\xc3\xbc\" \xc3\xbc").substr(0, 13), "m.toml:1:15: ");
  EXPECT_EQ(error("speed = \"\"\"\n\xc3\xbc\n\"\"\"\xc3\xbc").substr(0, 12), "m.toml:3:4: ");
  EXPECT_EQ(error("speed = '\xc3\xbc\nra\xc5\x9c").substr(0, 12), "m.toml:2:3: ");
  EXPECT_EQ(error("[$x]").substr(0, 11), "m.toml:1:1:");
  EXPECT_EQ(error("a = '''\nb\n'''\n# [$]\n  [$x]\nc = 1\n").substr(0, 11), "m.toml:5:3:");
  EXPECT_EQ(error("[\x0fnetwork]]").substr(0, 11), "m.toml:1:2:");
  const Machine machine = roam::parse_machine(
      "\xef\xbb\xbf# gr\xc3\xbc\xc3\x9f\n[[network]]\nname = '\xc3\xbc' # \xc3\xbc\n", "m");
  EXPECT_EQ(machine.network.at(0).name, "\xc3\xbc");
}

TEST(Machine, unreadable_file) {
  try {
    (void)roam::read_machine_file("no/such.toml");
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(), "cannot read \"no/such.toml\": No such file or directory");
  }
}

TEST(Machine, inline_form) {
  const Machine machine = roam::parse_inline_machine(
      "ranks=10,workers=16,speed=2,noise=0.1,handler_overhead_seconds=0,latency_seconds=2e-6,"
      "overhead_seconds=1e-7,"
      "gap_seconds=0,bandwidth_bytes_per_second=1e9,jitter=0.5",
      "--roam-simulate");
  EXPECT_EQ(machine.ranks, 10);
  EXPECT_EQ(machine.workers_per_rank, 16U);
  EXPECT_EQ(machine.speed(9), 2.0);
  EXPECT_EQ(machine.noise, 0.1);
  EXPECT_EQ(machine.handler_overhead_seconds, 0.0);
  EXPECT_EQ(machine.network.at(0).latency_seconds, 2e-6);
  EXPECT_EQ(machine.network.at(0).jitter, 0.5);
  EXPECT_EQ(roam::parse_inline_machine("ranks=175", "x").workers_per_rank, 32U);
}

TEST(Machine, inline_form_or_path) {
  EXPECT_TRUE(roam::is_inline_machine("ranks=3"));
  EXPECT_TRUE(roam::is_inline_machine("Rank-s=3"));
  EXPECT_FALSE(roam::is_inline_machine("ranks"));
  EXPECT_FALSE(roam::is_inline_machine("cluster.toml"));
  EXPECT_FALSE(roam::is_inline_machine("./ranks=3"));
  EXPECT_FALSE(roam::is_inline_machine("=3"));
  EXPECT_FALSE(roam::is_inline_machine(""));
}

TEST(Machine, inline_errors) {
  EXPECT_EQ(inline_error("ranks=5,workres=3").substr(0, 64),
            "--roam-simulate: unknown key workres; did you mean workers? (an ");
  EXPECT_EQ(inline_error("ranks=x"),
            "--roam-simulate: ranks: found \"x\", allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(inline_error("workers=-1"),
            "--roam-simulate: workers: found \"-1\", allowed is a whole number from 1 to 4096");
  EXPECT_EQ(
      inline_error("ranks=99999999999"),
      "--roam-simulate: ranks: found \"99999999999\", allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(inline_error("ranks=0"),
            "--roam-simulate: ranks: found 0, allowed is a whole number from 1 to 1000000");
  EXPECT_EQ(inline_error("ranks=2,ranks=3"), "--roam-simulate: ranks: given twice");
  EXPECT_EQ(inline_error("ranks=2,"),
            "--roam-simulate: found \"\", allowed is key=value,... as in ranks=10,workers=32");
  EXPECT_EQ(inline_error("jitter=1x"),
            "--roam-simulate: jitter: found \"1x\", allowed is a number");
  EXPECT_EQ(inline_error("jitter=-1"),
            "--roam-simulate: jitter: found -1, allowed is a number from 0 to 100 (fraction)");
}

TEST(Machine, built_in_code_is_checked_too) {
  Machine machine;
  EXPECT_NO_THROW(roam::check(machine, "machine"));
  machine.network[0].jitter = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(roam::check(machine, "machine"), ConfigError);
  machine = {};
  machine.speeds.clear();
  EXPECT_THROW(roam::check(machine, "machine"), ConfigError);
}

}  // namespace

}  // namespace machine_test
