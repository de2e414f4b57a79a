// SPDX-License-Identifier: Apache-2.0
// Values combined in the order of their positions, whatever the order in which they come (M11).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/mobile/detail/value_tree.hpp"

namespace roam::mobile::value_tree_test {

namespace {

struct Join {
  std::string operator()(const std::string& a, const std::string& b) const { return a + b; }
};
struct FailsOnSeven {
  std::int64_t operator()(std::int64_t a, std::int64_t b) const {
    if (a == 7 || b == 7) throw std::runtime_error("seven");
    return a + b;
  }
};

std::vector<std::size_t> shuffled(std::size_t count, core::Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

TEST(ValueTree, combines_in_the_order_of_positions_with_some_missing) {
  core::Random random(3);
  for (std::size_t count = 0; count < 70; ++count) {
    ValueTree<std::string, Join> tree;
    tree.reset(count);
    std::string expected;
    std::vector<bool> has_value(count);
    for (std::size_t i = 0; i < count; ++i) {
      has_value[i] = random.below(4) != 0;
      if (has_value[i]) expected += std::to_string(i) + ",";
    }
    for (const std::size_t i : shuffled(count, random)) {
      tree.put(i, has_value[i] ? std::optional(std::to_string(i) + ",") : std::nullopt);
    }
    const auto result = tree.take_result();
    EXPECT_EQ(result.value_or(""), expected) << count;
    EXPECT_EQ(result.has_value(), !expected.empty()) << count;
  }
}

TEST(ValueTree, of_floating_point_numbers_is_the_same_to_the_last_bit) {
  core::Random random(4);
  for (const std::size_t count : {2U, 3U, 100U, 1001U}) {
    std::optional<double> first;
    for (int round = 0; round < 10; ++round) {
      ValueTree<double, std::plus<>> tree;
      tree.reset(count);
      for (const std::size_t i : shuffled(count, random))
        tree.put(i, 1.0 / static_cast<double>(i + 1));
      const auto result = tree.take_result();
      if (!first) first = result;
      EXPECT_EQ(result, first);
    }
  }
}

TEST(ValueTree, takes_values_of_several_threads) {
  constexpr std::size_t count = 20'000;
  constexpr std::size_t threads = 4;
  ValueTree<std::int64_t, std::plus<>> tree;
  tree.reset(count);
  std::vector<std::thread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&tree, t] {
      for (std::size_t i = t; i < count; i += threads) tree.put(i, static_cast<std::int64_t>(i));
    });
  }
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(tree.take_result(), static_cast<std::int64_t>(count * (count - 1) / 2));
}

TEST(ValueTree, says_what_an_operator_threw_and_comes_to_its_end) {
  ValueTree<std::int64_t, FailsOnSeven> tree;
  tree.reset(5);
  int failures = 0;
  std::size_t position = 0;
  for (const std::int64_t value : {1, 7, 2, 3, 4}) {
    try {
      tree.put(position++, value);
    } catch (const std::runtime_error&) {
      ++failures;
    }
  }
  EXPECT_EQ(failures, 1);
  EXPECT_EQ(tree.take_result(), 2 + 3 + 4);
}

TEST(ValueTree, adds_vectors_element_by_element) {
  ValueTree<std::vector<int>, std::plus<>> tree;
  tree.reset(3);
  tree.put(2, std::vector<int>{1, 2});
  tree.put(0, std::vector<int>{10, 20});
  tree.put(1, std::vector<int>{100, 200});
  EXPECT_EQ(tree.take_result(), (std::vector<int>{111, 222}));
}

}  // namespace
}  // namespace roam::mobile::value_tree_test
