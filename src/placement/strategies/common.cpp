// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace roam::placement {

namespace {

[[nodiscard]] std::size_t index(std::int32_t rank) { return static_cast<std::size_t>(rank); }

bool ranks_are_alike(const LoadGraph& graph, const Machine& machine) {
  const auto same = [](const auto& values) {
    return std::ranges::adjacent_find(values, std::ranges::not_equal_to{}) == values.end();
  };
  return same(machine.speeds) && same(graph.background_seconds) &&
         std::ranges::find(graph.pinned, 1) == graph.pinned.end();
}

}  // namespace

std::vector<ObjectIndex> movable_by_size(const LoadGraph& graph) {
  // Sorted with their sizes beside them: half the time of looking these up.
  std::vector<std::pair<double, ObjectIndex>> sized;
  sized.reserve(graph.size());
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!graph.is_pinned(i)) sized.emplace_back(-graph.seconds[i], static_cast<ObjectIndex>(i));
  }
  std::ranges::sort(sized);
  std::vector<ObjectIndex> order(sized.size());
  std::ranges::transform(sized, order.begin(), [](const auto& object) { return object.second; });
  return order;
}

std::vector<double> fixed_seconds(const LoadGraph& graph, const Machine& machine) {
  std::vector<double> fixed(index(machine.ranks));
  for (std::size_t r = 0; r < fixed.size(); ++r) fixed[r] = graph.background(r);
  for (std::size_t i = 0; i < graph.pinned.size(); ++i) {
    if (graph.is_pinned(i)) fixed[index(graph.rank[i])] += graph.seconds[i];
  }
  return fixed;
}

std::vector<double> current_seconds(const LoadGraph& graph, const Machine& machine) {
  std::vector<double> work(index(machine.ranks));
  for (std::size_t r = 0; r < work.size(); ++r) work[r] = graph.background(r);
  for (std::size_t i = 0; i < graph.size(); ++i) work[index(graph.rank[i])] += graph.seconds[i];
  return work;
}

ObjectLists::ObjectLists(std::size_t owners, std::span<const ObjectIndex> order,
                         std::span<const std::int32_t> owner_of)
    : begin_(owners + 1), objects_(order.size()) {
  for (const ObjectIndex object : order) ++begin_[index(owner_of[object]) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (const ObjectIndex object : order) objects_[next[index(owner_of[object])]++] = object;
}

RankHeap::RankHeap(std::vector<Item> items) : items_(std::move(items)) {
  for (std::size_t at = items_.size() / 2; at-- > 0;) sift_down(at);
}

void RankHeap::change_top(double key) {
  items_.front().key = key;
  sift_down(0);
}

void RankHeap::sift_down(std::size_t at) {
  const Item item = items_[at];
  while (true) {
    std::size_t child = 2 * at + 1;
    if (child >= items_.size()) break;
    if (child + 1 < items_.size() && items_[child + 1].before(items_[child])) ++child;
    if (!items_[child].before(item)) break;
    items_[at] = items_[child];
    at = child;
  }
  items_[at] = item;
}

void keep_at_home(const LoadGraph& graph, const Machine& machine, Placement& placement) {
  if (!ranks_are_alike(graph, machine)) return;
  // What group and rank have in common, by bytes where they are known.
  struct Share {
    double amount;
    std::int32_t group;
    std::int32_t rank;
  };
  std::vector<Share> shares(placement.size());
  for (std::size_t i = 0; i < placement.size(); ++i) {
    shares[i] = {graph.bytes.empty() ? 1.0 : static_cast<double>(graph.bytes[i]), placement[i],
                 graph.rank[i]};
  }
  const auto place = [](const Share& share) { return std::pair(share.group, share.rank); };
  std::ranges::sort(shares, {}, place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    if (i > 0 && place(shares[kept - 1]) == place(shares[i])) {
      shares[kept - 1].amount += shares[i].amount;
    } else {
      shares[kept++] = shares[i];
    }
  }
  shares.resize(kept);
  std::ranges::stable_sort(shares, std::ranges::greater{}, &Share::amount);

  const auto ranks = index(machine.ranks);
  std::vector<std::int32_t> rank_of(ranks, -1);
  std::vector<bool> is_taken(ranks);
  for (const Share& share : shares) {
    if (rank_of[index(share.group)] >= 0 || is_taken[index(share.rank)]) continue;
    rank_of[index(share.group)] = share.rank;
    is_taken[index(share.rank)] = true;
  }
  std::int32_t free = 0;
  for (std::int32_t& rank : rank_of) {
    if (rank >= 0) continue;
    while (is_taken[index(free)]) ++free;
    rank = free++;
  }
  for (std::int32_t& rank : placement) rank = rank_of[index(rank)];
}

}  // namespace roam::placement
