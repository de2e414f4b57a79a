// SPDX-License-Identifier: Apache-2.0
#include "by_parts.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace roam::placement {

namespace {

/// The objects of one part that are not placed yet, the largest first.
struct Part {
  std::vector<ObjectIndex> objects;
  std::size_t first = 0;
  double seconds = 0;

  [[nodiscard]] bool empty() const { return first == objects.size(); }
};

}  // namespace

void assign_by_parts(const LoadGraph& graph, const Machine& machine,
                     std::span<const std::int32_t> ranks,
                     std::vector<std::vector<ObjectIndex>> parts, std::span<const double> work,
                     Placement& placement) {
  std::vector<Part> left(ranks.size());
  std::set<std::pair<double, std::size_t>> by_work;
  std::vector<RankHeap::Item> items;
  std::size_t count = 0;
  for (std::size_t k = 0; k < ranks.size(); ++k) {
    std::ranges::sort(parts[k], [&](ObjectIndex a, ObjectIndex b) {
      return std::pair(-graph.seconds[a], a) < std::pair(-graph.seconds[b], b);
    });
    for (const ObjectIndex object : parts[k]) left[k].seconds += graph.seconds[object];
    left[k].objects = std::move(parts[k]);
    count += left[k].objects.size();
    if (!left[k].empty()) by_work.emplace(left[k].seconds, k);
    const auto rank = static_cast<std::size_t>(ranks[k]);
    items.push_back({work[rank] / capacity(machine, rank), static_cast<std::int32_t>(k)});
  }
  RankHeap heap(std::move(items));
  for (; count > 0; --count) {
    const RankHeap::Item free = heap.top();
    const auto own = static_cast<std::size_t>(free.rank);
    const bool is_used_up = left[own].empty();
    const std::size_t from = is_used_up ? by_work.rbegin()->second : own;
    Part& part = left[from];
    by_work.erase({part.seconds, from});
    const ObjectIndex object = is_used_up ? part.objects.back() : part.objects[part.first];
    if (is_used_up) {
      part.objects.pop_back();
    } else {
      ++part.first;
    }
    part.seconds -= graph.seconds[object];
    if (!part.empty()) by_work.emplace(part.seconds, from);
    placement[object] = ranks[own];
    const auto rank = static_cast<std::size_t>(ranks[own]);
    heap.change_top(free.key + graph.seconds[object] / capacity(machine, rank));
  }
}

std::vector<std::vector<ObjectIndex>> equal_parts(std::span<const ObjectIndex> order,
                                                  std::size_t parts) {
  std::vector<std::vector<ObjectIndex>> result(parts);
  for (std::size_t i = 0; i < order.size(); ++i) {
    result[i * parts / order.size()].push_back(order[i]);
  }
  return result;
}

}  // namespace roam::placement
