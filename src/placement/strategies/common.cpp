// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "placement/rank_seconds.hpp"
#include "roam/topology/detail/assignment/assign.hpp"

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
  // Sorting pairs takes half the time of looking the sizes up.
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
  return rank_work(graph, machine, graph.rank);
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
  // What group and rank have in common, by bytes where they are known, in units that add up to what
  // the solver takes.
  double total = 0;  // recorded sizes may add up to more than a whole number holds
  for (const std::uint64_t bytes : graph.bytes) total += static_cast<double>(bytes);
  const double most = static_cast<double>(std::uint64_t{1} << 59U) / (machine.ranks + 1.0);
  const std::uint64_t unit = 1 + static_cast<std::uint64_t>(total / most);
  std::vector<topology::AssignmentGain> gains(placement.size());
  for (std::size_t i = 0; i < placement.size(); ++i) {
    gains[i] = {static_cast<std::uint32_t>(placement[i]), static_cast<std::uint32_t>(graph.rank[i]),
                graph.bytes.empty() ? 1 : static_cast<std::int64_t>(graph.bytes[i] / unit)};
  }
  const std::vector<std::uint32_t> rank_of =
      topology::assign_for_gain(static_cast<std::uint32_t>(machine.ranks), std::move(gains));
  for (std::int32_t& rank : placement) rank = static_cast<std::int32_t>(rank_of[index(rank)]);
}

}  // namespace roam::placement
