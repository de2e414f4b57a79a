// SPDX-License-Identifier: Apache-2.0
#include "placement/communication_time.hpp"

#include <gtest/gtest.h>

namespace roam::placement::communication_time_test {
namespace {

double seconds_of_a_gigabyte(const Machine& machine, std::int32_t a, std::int32_t b) {
  const Link link{.a = 0, .b = 1, .bytes = 1e9, .messages = 0};
  return 2 * CommunicationTime(machine).seconds(link, a, b).sum();  // of both ends
}

TEST(CommunicationTime, each_rank_has_its_part_of_what_its_group_shares) {
  Machine machine;
  machine.ranks = 16;
  machine.network = {{.name = "node", .group_ranks = 4, .bandwidth_bytes_per_second = 8e9},
                     {.name = "switch", .group_ranks = 8, .bandwidth_bytes_per_second = 4e9},
                     {.name = "machine", .bandwidth_bytes_per_second = 2e9}};
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 1), 1 / 8.0);
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 4), 1 / 4.0);
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 8), 1 / 2.0);
  machine.network[0].shared_bandwidth_bytes_per_second = 20e9;
  machine.network[0].uplink_bandwidth_bytes_per_second = 4e9;
  machine.network[1].uplink_bandwidth_bytes_per_second = 2e9;
  machine.network[1].uplinks = 2;
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 1), 1 / 5.0);
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 4), 1.0) << "a quarter of the card";
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 8), 1 / 0.5) << "an eighth of two links";
  machine.network[0].group_ranks = 0;
  machine.network[0].parents = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 3};
  machine.network[1].group_ranks = 0;
  machine.network[1].parents = {0, 0, 1, 1};
  EXPECT_DOUBLE_EQ(seconds_of_a_gigabyte(machine, 0, 1), 1 / 5.0) << "four on average";
}

/// Nodes of four ranks with one card each, in two sockets whose caches are shared.
Machine machine_with_cards() {
  Machine machine;
  machine.ranks = 8;
  machine.workers_per_rank = 1;
  machine.network = {{.name = "socket", .group_ranks = 2, .bandwidth_bytes_per_second = 8e9},
                     {.name = "node", .group_ranks = 4, .bandwidth_bytes_per_second = 8e9},
                     {.name = "machine", .bandwidth_bytes_per_second = 4e9}};
  for (NetworkLevel& level : machine.network) level.overhead_seconds = level.gap_seconds = 0;
  machine.network[0].shared_bandwidth_bytes_per_second = 10e9;
  machine.network[1].uplink_bandwidth_bytes_per_second = 4e9;
  return machine;
}

TEST(BusyTimes, of_a_card_are_those_of_all_its_ranks_together) {
  const Machine machine = machine_with_cards();
  LoadGraph graph;
  graph.seconds = {0, 0, 0, 0};
  graph.rank = {0, 2, 4, 6};
  graph.links = {{0, 2, 8e9, 0}, {1, 3, 8e9, 0}};
  const auto longest = [&](const Placement& placement) {
    return busy_times(graph, machine, placement).max_seconds;
  };
  // Half of 16 GB leaves each node; a rank's own link would be busy for a second.
  EXPECT_DOUBLE_EQ(longest({0, 2, 4, 6}), 2);
  EXPECT_DOUBLE_EQ(longest({0, 0, 4, 4}), 2) << "the same two pairs, all of one rank";
  EXPECT_DOUBLE_EQ(longest({0, 2, 1, 6}), 1) << "one pair between nodes";
  EXPECT_DOUBLE_EQ(longest({0, 1, 2, 3}), 0.5) << "both halves by links of their own";
  EXPECT_DOUBLE_EQ(longest({0, 2, 1, 3}), 0.8) << "a shared cache for each";
  graph.links[1].bytes = 0;
  EXPECT_DOUBLE_EQ(longest({0, 2, 1, 3}), 0.8) << "8 GB pass the cache";
}

TEST(BusyTimes, count_the_overhead_of_messages_once) {
  Machine machine = machine_with_cards();
  for (NetworkLevel& level : machine.network) level.overhead_seconds = 1e-6;
  LoadGraph graph;
  graph.seconds = {2, 2, 1, 1};
  graph.rank = {0, 1, 2, 3};
  graph.links = {{0, 1, 0, 1e6}, {2, 3, 0, 5e5}};
  const auto longest = [&](const Placement& placement) {
    return busy_times(graph, machine, placement).max_seconds;
  };
  EXPECT_DOUBLE_EQ(longest(graph.rank), 3) << "a second of messages, which nobody has measured";
  graph.background_seconds = {1, 1, 0.5, 0.5, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(longest(graph.rank), 3) << "the background is these messages";
  EXPECT_DOUBLE_EQ(longest({4, 5, 2, 3}), 3) << "it goes where the objects go";
  EXPECT_DOUBLE_EQ(longest({0, 0, 2, 3}), 4) << "on one rank none are left";
  graph.background_seconds = {1.25, 1, 0.25, 0.25, 0, 0, 0, 0};
  EXPECT_DOUBLE_EQ(longest(graph.rank), 3.25) << "other work is in it, too";
  EXPECT_DOUBLE_EQ(longest({4, 5, 0, 3}), 3) << "its 0.25 stays behind";
  graph.seconds = {0, 0, 1, 1};
  EXPECT_DOUBLE_EQ(longest(graph.rank), 1.5) << "no less than what is predicted";
}

TEST(BusyTimes, where_nothing_is_shared_are_those_of_ranks) {
  Machine machine = machine_with_cards();
  machine.network[0].shared_bandwidth_bytes_per_second = 0;
  machine.network[1].uplink_bandwidth_bytes_per_second = 0;
  LoadGraph graph;
  graph.seconds = {0, 0, 0, 0};
  graph.rank = {0, 2, 4, 6};
  graph.links = {{0, 2, 8e9, 0}, {1, 3, 8e9, 0}};
  EXPECT_DOUBLE_EQ(busy_times(graph, machine, {0, 2, 4, 6}).max_seconds, 1);
  EXPECT_DOUBLE_EQ(busy_times(graph, machine, {0, 0, 4, 4}).max_seconds, 2);
}

}  // namespace
}  // namespace roam::placement::communication_time_test
