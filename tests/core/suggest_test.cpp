// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/suggest.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace suggest_test {

namespace {

using Strings = std::vector<std::string>;

TEST(Suggest, closest_name) {
  const Strings names = {"none", "master_worker", "diffusion", "greedy"};
  EXPECT_EQ(roam::core::closest_name("difusion", names), "diffusion");
  EXPECT_EQ(roam::core::closest_name("Master-Worker", names), "master_worker");
  EXPECT_EQ(roam::core::closest_name("master", names), "master_worker");
  EXPECT_EQ(roam::core::closest_name("greedily", names), "greedy");
  EXPECT_EQ(roam::core::closest_name("nnoe", names), "none");
  EXPECT_EQ(roam::core::closest_name("x", names), "");
  EXPECT_EQ(roam::core::closest_name("", names), "");
  EXPECT_EQ(roam::core::closest_name("treematch", names), "");
  EXPECT_EQ(roam::core::closest_name(std::string(1000, 'n'), names), "");
  EXPECT_EQ(roam::core::did_you_mean("greddy", names, "--"), "; did you mean --greedy?");
  EXPECT_EQ(roam::core::did_you_mean("treematch", names), "");
  EXPECT_EQ(roam::core::join_names(names), "none, master_worker, diffusion, greedy");
  EXPECT_EQ(roam::core::closest_name("none", {}), "");
}

}  // namespace

}  // namespace suggest_test
