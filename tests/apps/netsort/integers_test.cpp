// SPDX-License-Identifier: Apache-2.0
#include "integers.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace netsort {
namespace {

TEST(Integers, a_comparison_leaves_the_lower_half_left_and_the_upper_half_right) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    roam::core::Random random(seed);
    const std::size_t size = 1 + random.below(20);
    Integers a(size);
    Integers b(size);
    for (Integers* each : {&a, &b}) {
      for (std::int32_t& value : *each) value = static_cast<std::int32_t>(random.below(15));
      std::sort(each->begin(), each->end());
    }
    Integers both = a;
    both.insert(both.end(), b.begin(), b.end());
    std::sort(both.begin(), both.end());
    Integers found = lower_half(a, b);
    const Integers upper = upper_half(b, a);  // as the right neighbour calls it
    found.insert(found.end(), upper.begin(), upper.end());
    EXPECT_EQ(found, both) << "seed " << seed;
  }
}

TEST(Integers, input_is_the_same_in_whole_and_in_parts) {
  Settings settings;
  settings.largest = 7;
  const Integers whole = input(settings, 0, 50);
  Integers parts = input(settings, 0, 20);
  const Integers rest = input(settings, 20, 50);
  parts.insert(parts.end(), rest.begin(), rest.end());
  EXPECT_EQ(parts, whole);
  EXPECT_THAT(whole, ::testing::Each(::testing::AllOf(::testing::Ge(0), ::testing::Le(7))));
  settings.seed = 2;
  EXPECT_NE(input(settings, 0, 50), whole);
}

TEST(Integers, fingerprint_adds_up_and_sees_every_value_and_place) {
  const Integers all{3, 1, 4, 1, 5};
  const std::span<const std::int32_t> span(all);
  EXPECT_EQ(fingerprint(span.first(2), 0) + fingerprint(span.subspan(2), 2), fingerprint(all, 0));
  EXPECT_NE(fingerprint(Integers{1, 3, 4, 1, 5}, 0), fingerprint(all, 0));
  EXPECT_NE(fingerprint(Integers{3, 1, 4, 1, 6}, 0), fingerprint(all, 0));
}

}  // namespace
}  // namespace netsort
