// SPDX-License-Identifier: Apache-2.0
// The counts of which object calls which.
#include "mobile/call_graph.hpp"

#include <gtest/gtest.h>

#include "roam/core/random.hpp"
#include "roam/mobile/detail/call_reader.hpp"

namespace roam::mobile::call_graph_test {
namespace {

constexpr std::uint32_t slots = 3;
constexpr std::size_t bytes_each = 8;

std::uint64_t calls_of(const std::vector<CallEdge>& edges) {
  std::uint64_t calls = 0;
  for (const CallEdge& edge : edges) {
    EXPECT_EQ(edge.bytes, bytes_each * edge.calls);
    calls += edge.calls;
  }
  return calls;
}

TEST(CallGraph, joins_the_calls_of_all_workers_and_keeps_directions_apart) {
  CallGraph graph(slots);
  const CallReader reader(graph);
  graph.add(0, {7, 5, 1, 100});
  graph.add(2, {7, 5, 1, 50});
  graph.add(1, {5, 7, 1, 1});
  const std::vector<CallEdge> edges = reader.take();
  ASSERT_EQ(edges.size(), 2U);
  EXPECT_EQ(edges[0].from, 5U) << "sorted";
  EXPECT_EQ(edges[0].calls, 1U);
  EXPECT_EQ(edges[1].to, 5U);
  EXPECT_EQ(edges[1].calls, 2U);
  EXPECT_EQ(edges[1].bytes, 150U);
  EXPECT_TRUE(reader.take().empty()) << "begins anew";
}

TEST(CallGraph, tells_each_reader_of_every_call_once) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    core::Random random(seed);
    CallGraph graph(slots);
    const std::vector<CallReader> readers{CallReader(graph), CallReader(graph), CallReader(graph)};
    std::vector<std::uint64_t> taken(readers.size());
    constexpr std::uint64_t calls = 500;
    for (std::uint64_t n = 0; n < calls; ++n) {
      graph.add(static_cast<std::uint32_t>(random.below(slots)),
                {1 + random.below(5), 1 + random.below(5), 1, bytes_each});
      // One reader reads often, one seldom, one at the end.
      if (random.below(5) == 0) taken[0] += calls_of(readers[0].take());
      if (random.below(100) == 0) taken[1] += calls_of(readers[1].take());
    }
    for (std::size_t r = 0; r < readers.size(); ++r) {
      EXPECT_EQ(taken[r] + calls_of(readers[r].take()), calls) << seed << ", reader " << r;
    }
  }
}

TEST(CallGraph, a_reader_of_nothing_reads_nothing) {
  const CallReader reader;
  EXPECT_FALSE(reader);
  EXPECT_TRUE(reader.take().empty());
}

}  // namespace
}  // namespace roam::mobile::call_graph_test
