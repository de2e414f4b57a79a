// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/nearest.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace roam::topology {
namespace {

constexpr std::size_t distances = 4;

/// 0 to distances - 1.
std::size_t distance(const Place& a, const Place& b) {
  const auto same = [](std::int32_t one, std::int32_t other) {
    return one == other && one != Place::unknown;
  };
  if (same(a.l3, b.l3)) return 0;
  if (same(a.numa, b.numa)) return 1;
  return same(a.package, b.package) ? 2 : 3;
}

}  // namespace

std::vector<std::vector<std::vector<WorkerIndex>>> nearest_first(std::span<const Place> places) {
  std::vector<std::vector<std::vector<WorkerIndex>>> all;
  for (std::size_t worker = 0; worker < places.size(); ++worker) {
    std::array<std::vector<WorkerIndex>, distances> others;
    for (std::size_t other = 0; other < places.size(); ++other) {
      if (other != worker)
        others[distance(places[worker], places[other])].push_back(static_cast<WorkerIndex>(other));
    }
    std::vector<std::vector<WorkerIndex>>& nearest = all.emplace_back();
    for (std::vector<WorkerIndex>& list : others) {
      if (!list.empty()) nearest.push_back(std::move(list));
    }
  }
  const bool is_known =
      std::ranges::any_of(all, [](const auto& lists) { return lists.size() > 1; });
  return is_known ? std::move(all) : std::vector<std::vector<std::vector<WorkerIndex>>>();
}

}  // namespace roam::topology
