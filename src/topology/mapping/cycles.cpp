// SPDX-License-Identifier: Apache-2.0
// Moves of several objects at once after which every leaf has as many as before: each object goes
// to the leaf that the next one leaves. Such a cycle may gain although no single move or exchange
// does.
#include <algorithm>
#include <limits>
#include <utility>

#include "refine.hpp"

namespace roam::topology {

namespace {

class Cycles {
 public:
  explicit Cycles(MapState& state)
      : state_(state),
        leaves_(state.index().leaves()),
        cost_(std::size_t{leaves_} * leaves_),
        object_(std::size_t{leaves_} * leaves_) {}

  double run() {
    double gained = 0;
    price();
    // Every cycle tried either gains, or removes a step that is misleading.
    std::size_t tries = 4 * std::size_t{leaves_} + 16;
    while (tries-- > 0) {
      const std::vector<std::uint32_t> cycle = negative_cycle();
      if (cycle.empty()) break;
      const double gain = turn(cycle);
      if (gain <= state_.epsilon()) continue;
      gained += gain;
      price();
    }
    return gained;
  }

 private:
  static constexpr std::uint32_t none = MapState::none;
  static constexpr double infinite = std::numeric_limits<double>::infinity();

  [[nodiscard]] std::size_t step(std::uint32_t from, std::uint32_t to) const {
    return std::size_t{from} * leaves_ + to;
  }

  /// Finds the cheapest object for each step from leaf to leaf.
  void price() {
    std::ranges::fill(cost_, infinite);
    std::ranges::fill(object_, none);
    for (std::uint32_t v = 0; v < state_.graph().size(); ++v) {
      const std::uint32_t from = state_.place(v);
      const auto offer = [&](std::uint32_t to, double cost) {
        if (cost >= cost_[step(from, to)]) return;
        cost_[step(from, to)] = cost;
        object_[step(from, to)] = v;
      };
      for (std::uint32_t to = 0; to < leaves_; ++to) {
        if (to != from) offer(to, -state_.gain_of(v, to));
      }
    }
  }

  /// The leaves of a cycle whose steps together gain, found by Bellman and Ford's algorithm; empty
  /// if there is none.
  [[nodiscard]] std::vector<std::uint32_t> negative_cycle() const {
    std::vector<double> distance(leaves_, 0);
    std::vector<std::uint32_t> before(leaves_, none);
    std::uint32_t changed = none;
    for (std::uint32_t round = 0; round < leaves_; ++round) {
      changed = none;
      for (std::uint32_t from = 0; from < leaves_; ++from) {
        for (std::uint32_t to = 0; to < leaves_; ++to) {
          const double reached = distance[from] + cost_[step(from, to)];
          if (reached >= distance[to] - state_.epsilon()) continue;
          distance[to] = reached;
          before[to] = from;
          changed = to;
        }
      }
      if (changed == none) return {};
    }
    for (std::uint32_t i = 0; i < leaves_; ++i) changed = before[changed];
    std::vector<std::uint32_t> cycle{changed};
    for (std::uint32_t at = before[changed]; at != changed; at = before[at]) cycle.push_back(at);
    std::ranges::reverse(cycle);
    return cycle;
  }

  /// Moves objects along a cycle and returns the gain. If the cycle looked better than it is,
  /// because objects in it communicate with each other, undoes it and removes its steps from those
  /// considered.
  double turn(const std::vector<std::uint32_t>& cycle) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> moved;
    double gain = 0;
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      const std::uint32_t to = cycle[(i + 1) % cycle.size()];
      const std::uint32_t v = object_[step(cycle[i], to)];
      gain += state_.gain_of(v, to);
      moved.emplace_back(v, cycle[i]);
      state_.move(v, to);
    }
    if (gain > state_.epsilon()) return gain;
    for (std::size_t i = moved.size(); i > 0; --i)
      state_.move(moved[i - 1].first, moved[i - 1].second);
    for (std::size_t i = 0; i < cycle.size(); ++i) {
      cost_[step(cycle[i], cycle[(i + 1) % cycle.size()])] = infinite;
    }
    return 0;
  }

  MapState& state_;
  const std::uint32_t leaves_;
  std::vector<double> cost_;
  std::vector<std::uint32_t> object_;
};

}  // namespace

double turn_cycles(MapState& state) { return Cycles(state).run(); }

}  // namespace roam::topology
