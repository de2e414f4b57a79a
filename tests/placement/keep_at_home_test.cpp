// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>

#include "placement/strategies/common.hpp"

namespace keep_at_home_test {

namespace {

using namespace roam::placement;

struct Share {
  std::int32_t group;
  std::int32_t rank;
  int objects;
};

/// Number of objects that are at home after keep_at_home(), if the objects of groups are
/// distributed as `shares` says.
std::ptrdiff_t kept(const std::vector<Share>& shares, std::int32_t ranks, std::uint64_t bytes) {
  LoadGraph graph;
  Placement placement;
  for (const Share& share : shares) {
    for (int i = 0; i < share.objects; ++i) {
      graph.seconds.push_back(1);
      graph.rank.push_back(share.rank);
      if (bytes > 0) graph.bytes.push_back(bytes);
      placement.push_back(share.group);
    }
  }
  roam::Machine machine;
  machine.ranks = ranks;
  keep_at_home(graph, machine, placement);
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < placement.size(); ++i) count += placement[i] == graph.rank[i];
  return count;
}

// The largest share first would keep 5.
TEST(KeepAtHome, keeps_more_than_the_largest_share_first) {
  const std::vector<Share> shares{{0, 0, 5}, {0, 1, 4}, {1, 0, 4}};
  EXPECT_EQ(kept(shares, 2, 0), 8);
  EXPECT_EQ(kept(shares, 2, 1000), 8);
}

TEST(KeepAtHome, takes_bytes_whose_sum_is_beyond_all_memory) {
  const std::vector<Share> shares{{0, 0, 5}, {0, 1, 4}, {1, 0, 4}};
  for (const unsigned power : {59U, 61U, 63U})
    EXPECT_EQ(kept(shares, 2, std::uint64_t{1} << power), 8) << "2^" << power;
}

TEST(KeepAtHome, leaves_groups_that_are_at_home) {
  EXPECT_EQ(kept({{0, 0, 2}, {1, 1, 2}, {2, 2, 2}}, 3, 0), 6);
  EXPECT_EQ(kept({{0, 2, 2}, {1, 1, 2}, {2, 0, 2}}, 3, 0), 6);
}

}  // namespace

}  // namespace keep_at_home_test
