// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/rank_places.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace roam::placement {
namespace {

// The levels of a host, innermost first, with what a message costs that stays inside one group.
// Chosen: between processes that share a cache, messages of 8 bytes take .1 to .4 us and long ones
// travel at about 10 GB/s (docs/performance.md); each further level makes both worse by about half.
// Strategies depend on the proportions alone.
NetworkLevel level(const char* name, double latency, double overhead, double bandwidth) {
  NetworkLevel made;
  made.name = name;
  made.latency_seconds = latency;
  made.overhead_seconds = overhead;
  made.gap_seconds = overhead / 3;
  made.bandwidth_bytes_per_second = bandwidth;
  return made;
}

constexpr std::size_t level_count = 5;

std::array<NetworkLevel, level_count> levels() {
  return {level("core", 0.1e-6, 0.05e-6, 30e9), level("L3", 0.15e-6, 0.05e-6, 25e9),
          level("NUMA", 0.25e-6, 0.07e-6, 18e9), level("package", 0.25e-6, 0.07e-6, 18e9),
          level("node", 0.4e-6, 0.1e-6, 15e9)};
}

/// The groups that a rank belongs to, one per level, the host's first: ranks sorted by this are in
/// the order of the tree.
using Path = std::array<std::int64_t, level_count>;

/// An unknown group becomes one of the rank's own, sorted behind the known ones.
std::int64_t known_or_alone(std::int32_t number, std::size_t rank) {
  if (number != topology::Place::unknown) return number;
  return std::numeric_limits<std::int32_t>::max() + static_cast<std::int64_t>(rank);
}

std::vector<Path> paths_of(std::span<const topology::Place> places) {
  std::unordered_map<std::uint64_t, std::int64_t> hosts;  // numbered in order of appearance
  std::vector<Path> paths;
  for (std::size_t rank = 0; rank < places.size(); ++rank) {
    const topology::Place& place = places[rank];
    const auto host = hosts.emplace(place.host, std::ssize(hosts)).first->second;
    paths.push_back({host, known_or_alone(place.package, rank), known_or_alone(place.numa, rank),
                     known_or_alone(place.l3, rank), known_or_alone(place.core, rank)});
  }
  return paths;
}

/// The group of each place on a level, numbered in order; two places are in the same group if their
/// paths agree up to and including `depth`.
std::vector<std::int32_t> groups_of(std::span<const Path> paths, std::size_t depth) {
  std::vector<std::int32_t> groups;
  std::int32_t group = 0;
  for (std::size_t p = 0; p < paths.size(); ++p) {
    if (p > 0 &&
        !std::equal(paths[p].begin(), paths[p].begin() + static_cast<std::ptrdiff_t>(depth),
                    paths[p - 1].begin()))
      ++group;
    groups.push_back(group);
  }
  return groups;
}

/// The outer group that contains each inner one.
std::vector<std::int32_t> parents_of(std::span<const std::int32_t> inner,
                                     std::span<const std::int32_t> outer) {
  std::vector<std::int32_t> parents(static_cast<std::size_t>(inner.back()) + 1);
  for (std::size_t p = 0; p < inner.size(); ++p)
    parents[static_cast<std::size_t>(inner[p])] = outer[p];
  return parents;
}

}  // namespace

RankPlaces rank_places(std::span<const topology::Place> places) {
  RankPlaces ordered;
  if (places.empty() || std::ranges::count(places, 0U, &topology::Place::host) > 0) return ordered;
  const std::vector<Path> by_rank = paths_of(places);
  std::vector<std::int32_t> rank_at(places.size());
  std::iota(rank_at.begin(), rank_at.end(), 0);
  std::ranges::stable_sort(rank_at, {}, [&](std::int32_t rank) -> const Path& {
    return by_rank[static_cast<std::size_t>(rank)];
  });
  std::vector<Path> by_place;
  for (const std::int32_t rank : rank_at)
    by_place.push_back(by_rank[static_cast<std::size_t>(rank)]);

  std::vector<std::int32_t> inner(places.size());  // each place by itself
  std::iota(inner.begin(), inner.end(), 0);
  const std::array<NetworkLevel, level_count> kinds = levels();
  bool is_all = false;
  for (std::size_t i = 0; i < kinds.size() && !is_all; ++i) {
    const std::vector<std::int32_t> groups = groups_of(by_place, level_count - i);
    is_all = groups.back() == 0;
    // This level distinguishes no more ranks than the one before.
    if (!is_all && groups == inner) continue;
    ordered.network.push_back(kinds[i]);
    if (is_all) break;
    ordered.network.back().parents = parents_of(inner, groups);
    inner = groups;
  }
  if (!is_all) ordered.network.emplace_back();  // the level between hosts
  if (ordered.network.size() < 2) return {};
  if (!std::ranges::is_sorted(rank_at)) ordered.rank_at = std::move(rank_at);
  return ordered;
}

void ToldPlaces::take(std::size_t rank, std::size_t size, const topology::Place& place) {
  told_.resize(size);
  if (told_[rank] == place) return;
  told_[rank] = place;
  is_in_order_ = false;
}

const RankPlaces& ToldPlaces::ordered() {
  if (!is_in_order_) ordered_ = rank_places(told_);
  is_in_order_ = true;
  return ordered_;
}

}  // namespace roam::placement
