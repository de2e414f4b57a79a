// SPDX-License-Identifier: Apache-2.0
// Recursive coordinate bisection (Berger and Bokhari 1987): the ranks are halved, and the objects
// with them, by a plane across the longest side of the box around them, until one rank is left.
#include <algorithm>
#include <limits>
#include <numeric>

#include "common.hpp"
#include "roam/core/error.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

using Objects = std::span<ObjectIndex>;

class Bisection {
 public:
  Bisection(const LoadGraph& graph, const Machine& machine, Placement& placement)
      : graph_(graph),
        placement_(placement),
        per_second_(capacities(machine)),
        fixed_(fixed_seconds(graph, machine)) {}

  void divide(Objects objects, std::size_t first_rank, std::size_t end_rank) {
    if (end_rank - first_rank == 1) {
      for (const ObjectIndex object : objects) {
        placement_[object] = static_cast<std::int32_t>(first_rank);
      }
      return;
    }
    const std::size_t middle = first_rank + (end_rank - first_rank) / 2;
    const std::size_t cut =
        select(objects, longest_side(objects), left_share(objects, first_rank, middle, end_rank));
    divide(objects.first(cut), first_rank, middle);
    divide(objects.subspan(cut), middle, end_rank);
  }

 private:
  /// The work of the ranks before `middle`, chosen so that both halves end together.
  [[nodiscard]] double left_share(Objects objects, std::size_t first_rank, std::size_t middle,
                                  std::size_t end_rank) const {
    const auto sum = [](const std::vector<double>& values, std::size_t begin, std::size_t end) {
      return std::accumulate(values.begin() + static_cast<std::ptrdiff_t>(begin),
                             values.begin() + static_cast<std::ptrdiff_t>(end), 0.0);
    };
    double work = sum(fixed_, first_rank, end_rank);
    for (const ObjectIndex object : objects) work += graph_.seconds[object];
    const double part =
        sum(per_second_, first_rank, middle) / sum(per_second_, first_rank, end_rank);
    return work * part - sum(fixed_, first_rank, middle);
  }

  [[nodiscard]] std::size_t longest_side(Objects objects) const {
    std::size_t longest = 0;
    double most = -1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      for (const ObjectIndex object : objects) {
        low = std::min(low, graph_.coordinates[object][axis]);
        high = std::max(high, graph_.coordinates[object][axis]);
      }
      if (high - low <= most) continue;
      most = high - low;
      longest = axis;
    }
    return longest;
  }

  /// Orders the objects along the axis so that the first ones have as nearly `share` seconds as can
  /// be; returns how many they are. Quickselect by weight: O(objects) on average.
  std::size_t select(Objects objects, std::size_t axis, double share) const {
    const auto before = [&](ObjectIndex a, ObjectIndex b) {
      const double x = graph_.coordinates[a][axis];
      const double y = graph_.coordinates[b][axis];
      return x < y || (x == y && a < b);
    };
    std::size_t begin = 0;
    std::size_t end = objects.size();
    double left = share;  // work still to be taken from `begin` on
    while (end - begin > 1) {
      const std::size_t middle = begin + (end - begin) / 2;
      const auto at = [&](std::size_t k) {
        return objects.begin() + static_cast<std::ptrdiff_t>(k);
      };
      std::nth_element(at(begin), at(middle), at(end), before);
      double lower = 0;
      for (std::size_t k = begin; k < middle; ++k) lower += graph_.seconds[objects[k]];
      if (lower <= left) {
        left -= lower;
        begin = middle;
      } else {
        end = middle;
      }
    }
    // The last object goes to the side where it exceeds the share less.
    if (begin < end && left >= graph_.seconds[objects[begin]] / 2) ++begin;
    return begin;
  }

  const LoadGraph& graph_;
  Placement& placement_;
  const std::vector<double> per_second_;
  const std::vector<double> fixed_;
};

class RecursiveBisection final : public Strategy {
 public:
  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    if (graph.coordinates.empty() && graph.size() > 0) {
      throw Error(
          "strategy recursive_bisection needs the coordinates of the objects, and these have none; "
          "give them coordinates or take another strategy (graph, greedy)");
    }
    Placement placement = graph.rank;
    std::vector<ObjectIndex> movable;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      if (!graph.is_pinned(i)) movable.push_back(static_cast<ObjectIndex>(i));
    }
    Bisection(graph, machine, placement)
        .divide(movable, 0, static_cast<std::size_t>(machine.ranks));
    return placement;
  }
};

const StrategyRegistrar bisection_registrar{
    {.name = "recursive_bisection",
     .description = "neighbours in space stay together: halves of space to halves of the machine",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<Strategy> {
       return std::make_unique<RecursiveBisection>();
     },
     .seconds_per_object = 1.7e-7,
     .uses_coordinates = true}};

}  // namespace
}  // namespace roam::placement
