// SPDX-License-Identifier: Apache-2.0
// B4: policies are chosen by name; errors are reported before anything starts.
#include "roam/balance/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roam/core/error.hpp"

namespace roam::balance::registry_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string complaint(const std::string& choice, std::optional<std::int32_t> ranks = 4) {
  try {
    check_policy(parse_plugin_choice(choice), ranks);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(B4Registry, knows_the_policies) {
  EXPECT_THAT(policy_names(),
              ::testing::ElementsAre("auto", "diffusion", "grapevine", "master_worker", "none",
                                     "predictive", "work_stealing"));
}

TEST(B4Registry, accepts_defaults_and_good_parameters) {
  EXPECT_EQ(complaint("none"), "");
  EXPECT_EQ(complaint("diffusion"), "");
  EXPECT_EQ(complaint("diffusion:neighbours=4,selection=ring,replace=all,low_seconds=0.5"), "");
  EXPECT_EQ(complaint("diffusion:initiation=both"), "");
  EXPECT_EQ(complaint("predictive:neighbours=4"), "");
  EXPECT_EQ(complaint("work_stealing:victim=hierarchical,group=8,attempts=2,amount=idle"), "");
  EXPECT_EQ(complaint("master_worker:master=3,share=1"), "");
}

TEST(B4Registry, unknown_policy_lists_the_valid_ones_and_suggests) {
  EXPECT_THAT(complaint("difusion"),
              AllOf(HasSubstr("--roam-balancer"), HasSubstr("difusion"),
                    HasSubstr("greedy, greedy_comm"), HasSubstr("did you mean diffusion?")));
}

TEST(B4Registry, unknown_parameter_lists_the_valid_ones_and_suggests) {
  EXPECT_THAT(complaint("diffusion:neighbors=4"),
              AllOf(HasSubstr("neighbors"), HasSubstr("neighbours, selection"),
                    HasSubstr("did you mean neighbours?")));
  EXPECT_THAT(complaint("none:x=1"), HasSubstr("it has none"));
}

TEST(B4Registry, values_out_of_range_say_what_is_allowed) {
  EXPECT_THAT(complaint("diffusion:neighbours=0"), HasSubstr("a whole number from 1 to 64"));
  EXPECT_THAT(complaint("diffusion:neighbours=2.5"), HasSubstr("a whole number"));
  EXPECT_THAT(complaint("diffusion:low_seconds=fast"), HasSubstr("a number from 0"));
  EXPECT_THAT(complaint("diffusion:low_seconds=nan"), HasSubstr("a number from 0"));
  EXPECT_THAT(complaint("diffusion:low_seconds=1x"), HasSubstr("a number from 0"));
  EXPECT_THAT(complaint("diffusion:selection=rnd"), HasSubstr("one of random, ring"));
}

TEST(B4Registry, ranks_are_checked_once_their_number_is_known) {
  EXPECT_EQ(complaint("master_worker:master=4", std::nullopt), "");
  EXPECT_THAT(complaint("master_worker:master=4", 4), HasSubstr("ranks 0 to 3"));
}

}  // namespace
}  // namespace roam::balance::registry_test
