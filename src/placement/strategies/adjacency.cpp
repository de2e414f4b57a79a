// SPDX-License-Identifier: Apache-2.0
#include "adjacency.hpp"

#include <algorithm>
#include <numeric>

namespace roam::placement {

Adjacency::Adjacency(const LoadGraph& graph) : begin_(graph.size() + 1) {
  for (const Link& link : graph.links) {
    if (link.a == link.b) continue;
    ++begin_[link.a + 1];
    ++begin_[link.b + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  neighbours_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const Link& link : graph.links) {
    if (link.a == link.b) continue;
    neighbours_[next[link.a]++] = {link.b, link.bytes};
    neighbours_[next[link.b]++] = {link.a, link.bytes};
  }
}

void RankAffinity::look_at(std::size_t object, const Placement& placement) {
  for (const std::int32_t rank : ranks_) bytes_[static_cast<std::size_t>(rank)] = 0;
  ranks_.clear();
  for (const auto& [neighbour, bytes] : adjacency_.of(object)) {
    const std::int32_t rank = placement[neighbour];
    if (rank < 0 || bytes <= 0) continue;
    double& sum = bytes_[static_cast<std::size_t>(rank)];
    if (sum == 0) ranks_.push_back(rank);
    sum += bytes;
  }
  std::ranges::sort(ranks_, [this](std::int32_t a, std::int32_t b) {
    const double x = bytes(static_cast<std::size_t>(a));
    const double y = bytes(static_cast<std::size_t>(b));
    return x > y || (x == y && a < b);
  });
}

}  // namespace roam::placement
