// SPDX-License-Identifier: Apache-2.0
// What --roam-pin takes.
#include "roam/exec/pinning.hpp"

#include <gtest/gtest.h>

#include "roam/core/error.hpp"

namespace roam::exec::pinning_test {
namespace {

Pinning cores(std::vector<std::int32_t> cores) {
  return {Pinning::Policy::cores, std::move(cores)};
}

TEST(Pinning, is_a_policy_or_a_list_of_cores) {
  EXPECT_EQ(parse_pinning("compact"), (Pinning{Pinning::Policy::compact, {}}));
  EXPECT_EQ(parse_pinning("Scatter"), (Pinning{Pinning::Policy::scatter, {}}));
  EXPECT_EQ(parse_pinning("none"), Pinning());
  EXPECT_EQ(parse_pinning("cores:0"), cores({0}));
  EXPECT_EQ(parse_pinning("cores:7,0-2,2"), cores({7, 0, 1, 2, 2}));
  EXPECT_TRUE(parse_pinning("scatter").binds());
  EXPECT_FALSE(parse_pinning("none").binds());
}

TEST(Pinning, may_be_written_as_other_flags_are) {
  for (const char* yes : {"true", "1", "Yes", "on"})
    EXPECT_EQ(parse_pinning(yes), (Pinning{Pinning::Policy::compact, {}})) << yes;
  for (const char* no : {"false", "0", "no", "OFF"}) EXPECT_EQ(parse_pinning(no), Pinning()) << no;
}

TEST(Pinning, reads_what_it_writes) {
  for (const char* text : {"none", "compact", "scatter", "cores:0,2-5", "cores:7,0-2,2"})
    EXPECT_EQ(to_string(parse_pinning(text)), text);
}

TEST(Pinning, refuses_the_rest_in_one_line) {
  for (const char* text :
       {"", "near", "cores", "cores:", "cores:-1", "cores:3-1", "cores:1,", "cores:,1",
        "cores:1--2", "cores:x", "cores:1000000", "cores:99999999999", "0-3", "2"}) {
    try {
      (void)parse_pinning(text);
      ADD_FAILURE() << text;
    } catch (const ConfigError& error) {
      EXPECT_STREQ(error.what(),
                   "allowed is compact, scatter, none, or a list of cores like cores:0,2-5 (also "
                   "true and false for compact and none)");
    }
  }
}

}  // namespace
}  // namespace roam::exec::pinning_test
