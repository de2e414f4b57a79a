// SPDX-License-Identifier: Apache-2.0
#include "roam/core/detail/slot_table.hpp"

#include <gtest/gtest.h>

#include <iostream>
#include <map>
#include <set>

#include "roam/core/random.hpp"

namespace slot_table_test {

namespace {

using Table = roam::core::SlotTable<int>;

TEST(SlotTable, A7_tokens_find_what_they_were_given_for_until_it_is_taken) {
  Table table;
  int a = 0;
  int b = 0;
  const std::uint64_t first = table.add(&a);
  const std::uint64_t second = table.add(&b);
  EXPECT_NE(first, 0U);
  EXPECT_NE(first, second);
  EXPECT_EQ(table.find(first), &a);
  EXPECT_EQ(table.take(second), &b);
  EXPECT_EQ(table.find(second), nullptr);
  EXPECT_EQ(table.take(second), nullptr);
  EXPECT_EQ(table.size(), 1U);
}

TEST(SlotTable, A7_forged_and_stale_tokens_find_nothing) {
  Table table;
  int value = 0;
  const std::uint64_t old = table.add(&value);
  for (const std::uint64_t token :
       {std::uint64_t{0}, old + 1, old + (std::uint64_t{1} << 32), ~std::uint64_t{0}})
    EXPECT_EQ(table.take(token), nullptr) << token;
  EXPECT_EQ(table.take(old), &value);
  const std::uint64_t next = table.add(&value);
  EXPECT_NE(next, old) << "the place has been used again";
  EXPECT_EQ(table.find(old), nullptr);
  EXPECT_EQ(table.find(next), &value);
}

TEST(SlotTable, gives_back_all_that_is_left) {
  Table table;
  int values[5] = {};
  std::uint64_t tokens[5];
  for (int i = 0; i < 5; ++i) tokens[i] = table.add(&values[i]);
  EXPECT_EQ(table.take(tokens[2]), &values[2]);
  EXPECT_EQ(table.take_all(), (std::vector<int*>{&values[0], &values[1], &values[3], &values[4]}));
  EXPECT_EQ(table.size(), 0U);
  for (const std::uint64_t token : tokens) EXPECT_EQ(table.find(token), nullptr);
  EXPECT_EQ(table.find(table.add(&values[0])), &values[0]);
}

TEST(SlotTable, behaves_like_a_map_of_tokens) {
  const std::uint64_t seed = 5;
  std::cout << "seed " << seed << "\n";
  roam::core::Random random(seed);
  Table table;
  std::map<std::uint64_t, int*> model;
  std::set<std::uint64_t> ever;
  std::vector<int> values(50);
  for (int i = 0; i < 20'000; ++i) {
    if (random.below(2) == 0 && model.size() < values.size()) {
      int* const value = &values[random.below(values.size())];
      const std::uint64_t token = table.add(value);
      EXPECT_TRUE(ever.insert(token).second) << "a token was given twice";
      model[token] = value;
    } else if (!model.empty()) {
      auto place = model.begin();
      std::advance(place, static_cast<std::ptrdiff_t>(random.below(model.size())));
      EXPECT_EQ(table.take(place->first), place->second);
      model.erase(place);
    }
    ASSERT_EQ(table.size(), model.size());
  }
}

}  // namespace

}  // namespace slot_table_test
