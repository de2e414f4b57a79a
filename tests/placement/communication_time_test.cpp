// SPDX-License-Identifier: Apache-2.0
#include "placement/communication_time.hpp"

#include <gtest/gtest.h>

namespace roam::placement::communication_time_test {
namespace {

double seconds_of_a_gigabyte(const Machine& machine, std::int32_t a, std::int32_t b) {
  const Link link{.a = 0, .b = 1, .bytes = 1e9, .messages = 0};
  return 2 * CommunicationTime(machine).seconds(link, a, b).of_interface;  // of both ends
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

}  // namespace
}  // namespace roam::placement::communication_time_test
