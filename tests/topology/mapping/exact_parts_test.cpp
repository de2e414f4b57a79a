// SPDX-License-Identifier: Apache-2.0
#include "topology/mapping/exact_parts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "roam/core/error.hpp"
#include "support/communication_instances.hpp"

namespace exact_parts_test {

namespace {

using namespace roam::topology;

CommunicationGraph random_graph(std::uint32_t objects, std::uint32_t communications,
                                roam::core::Random& random) {
  std::vector<Communication> list;
  for (std::uint32_t i = 0; i < communications; ++i) {
    list.push_back({static_cast<std::uint32_t>(random.below(objects)),
                    static_cast<std::uint32_t>(random.below(objects)),
                    static_cast<double>(1 + random.below(9))});
  }
  return CommunicationGraph(objects, list);
}

std::vector<std::uint32_t> random_sizes(std::uint32_t objects, std::uint32_t parts,
                                        roam::core::Random& random) {
  std::vector<std::uint32_t> sizes(parts);
  for (std::uint32_t i = 0; i < objects; ++i) ++sizes[random.below(parts)];
  return sizes;
}

std::vector<std::uint32_t> sizes_of(const std::vector<std::uint32_t>& parts, std::size_t count) {
  std::vector<std::uint32_t> sizes(count);
  for (const std::uint32_t part : parts) ++sizes[part];
  return sizes;
}

/// The least cut, found by trying all arrangements of the parts' numbers.
double least_cut(const CommunicationGraph& graph, const std::vector<std::uint32_t>& sizes) {
  std::vector<std::uint32_t> parts;
  for (std::uint32_t p = 0; p < sizes.size(); ++p) parts.insert(parts.end(), sizes[p], p);
  double least = cut_of(graph, parts);
  while (std::ranges::next_permutation(parts).found) least = std::min(least, cut_of(graph, parts));
  return least;
}

TEST(ExactParts, sizes_are_exact_in_ten_thousand_random_cases) {
  roam::core::Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const auto objects = static_cast<std::uint32_t>(1 + random.below(40));
    const auto parts = static_cast<std::uint32_t>(1 + random.below(8));
    const CommunicationGraph graph = random_graph(objects, 2 * objects, random);
    const auto sizes = random_sizes(objects, parts, random);
    const auto cut = exact_parts(graph, sizes, {.exchanges = 0});
    ASSERT_EQ(sizes_of(cut, sizes.size()), sizes) << "case " << i;
  }
}

TEST(ExactParts, small_ones_are_optimal) {
  roam::core::Random random(2);
  for (int i = 0; i < 300; ++i) {
    const auto objects = static_cast<std::uint32_t>(2 + random.below(7));
    const CommunicationGraph graph = random_graph(objects, 2 * objects, random);
    const auto sizes =
        random_sizes(objects, static_cast<std::uint32_t>(2 + random.below(3)), random);
    const auto cut = exact_parts(graph, sizes);
    ASSERT_EQ(sizes_of(cut, sizes.size()), sizes);
    ASSERT_EQ(cut_of(graph, cut), least_cut(graph, sizes)) << "case " << i;
  }
}

// Tests what paths, exchanges and cycles reach by themselves, without trying all ways.
TEST(ExactParts, make_exact_is_nearly_optimal_from_any_partition) {
  roam::core::Random random(3);
  int optimal = 0;
  constexpr int cases = 300;
  for (int i = 0; i < cases; ++i) {
    const auto objects = static_cast<std::uint32_t>(4 + random.below(5));
    const CommunicationGraph graph = random_graph(objects, 2 * objects, random);
    const auto sizes = random_sizes(objects, 3, random);
    std::vector<std::uint32_t> any(objects);
    for (std::uint32_t& part : any) part = static_cast<std::uint32_t>(random.below(3));
    const auto made = make_exact(graph, sizes, any);
    ASSERT_EQ(sizes_of(made, sizes.size()), sizes);
    if (cut_of(graph, made) == least_cut(graph, sizes)) ++optimal;
  }
  EXPECT_GE(optimal, cases * 7 / 10);
}

// Three objects in three parts, each of which gains where the next one is; no two of them would
// gain by an exchange.
TEST(ExactParts, cycles_gain_where_exchanges_do_not) {
  std::vector<Communication> communications;
  for (std::uint32_t p = 0; p < 3; ++p) {
    communications.push_back({p, 3 + 2 * ((p + 1) % 3), 10});
    communications.push_back({p, 3 + 2 * p, 9});
    communications.push_back({3 + 2 * p, 4 + 2 * p, 100});
  }
  const CommunicationGraph graph(9, communications);
  const std::vector<std::uint32_t> parts{0, 1, 2, 0, 0, 1, 1, 2, 2};
  const std::vector<std::uint32_t> sizes{3, 3, 3};
  EXPECT_EQ(cut_of(graph, parts), 30);
  EXPECT_EQ(cut_of(graph, make_exact(graph, sizes, parts)), 27);
}

TEST(ExactParts, refuses_sizes_that_do_not_add_up) {
  const CommunicationGraph graph = instances::ring(8).graph();
  const std::vector<std::uint32_t> sizes{3, 4};
  EXPECT_THROW((void)exact_parts(graph, sizes), roam::Error);
  EXPECT_THROW((void)make_exact(graph, sizes, std::vector<std::uint32_t>(8)), roam::Error);
  const std::vector<std::uint32_t> fit{4, 4};
  EXPECT_THROW((void)make_exact(graph, fit, {0, 0, 0, 0, 1, 1, 1, 2}), roam::Error);
}

}  // namespace

}  // namespace exact_parts_test
