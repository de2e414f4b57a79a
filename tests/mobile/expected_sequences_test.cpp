// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <roam/core/random.hpp>
#include <roam/mobile/detail/resident.hpp>
#include <vector>

namespace roam::mobile::expected_sequences_test {
namespace {

using Expected = ExpectedSequences::Expected;

std::map<std::int32_t, std::uint32_t> by_origin(const std::vector<Expected>& all) {
  std::map<std::int32_t, std::uint32_t> result;
  for (const Expected& entry : all) {
    EXPECT_TRUE(result.emplace(entry.origin, entry.next).second) << entry.origin << " twice";
  }
  return result;
}

TEST(ExpectedSequences, M3_counts_each_origin_by_itself_while_some_are_forgotten) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    core::Random random(seed);
    ExpectedSequences sequences;
    std::map<std::int32_t, std::uint32_t> model;
    for (int i = 0; i < 2000; ++i) {
      const auto origin = static_cast<std::int32_t>(random.below(40));
      if (random.below(4) == 0) {
        sequences.forget(origin);
        model.erase(origin);
      } else {
        ASSERT_EQ(sequences.of(origin), model[origin]);
        ++sequences.of(origin);
        ++model[origin];
      }
      ASSERT_EQ(by_origin(sequences.all()), model);
      sequences.look_ahead();  // changes nothing
    }
    ExpectedSequences moved;
    moved.set(sequences.all());
    EXPECT_EQ(by_origin(moved.all()), model);
    for (const auto& [origin, next] : model) sequences.forget(origin);
    EXPECT_TRUE(sequences.all().empty());
  }
}

}  // namespace
}  // namespace roam::mobile::expected_sequences_test
