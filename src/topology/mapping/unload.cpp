// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <utility>

#include "refine.hpp"

namespace roam::topology {

namespace {

/// Finds the cheapest path on which objects move, each one step further, from an overloaded leaf to
/// one with capacity: Dijkstra's search over the leaves, with the cost of each step (gains count as
/// 0).
class Unloading {
 public:
  explicit Unloading(MapState& state) : state_(state), reached_(state.index().leaves()) {}

  /// Makes the leaf less overloaded, and no other one newly so. False if that is impossible.
  bool relieve(std::uint32_t leaf) {
    ++search_;
    heap_.clear();
    Reached& start = reached_[leaf];
    start = {0, 0, none, leaf, search_, true};
    expand(leaf);
    std::size_t settled = 0;
    while (!heap_.empty() && settled++ < most_settled) {
      std::pop_heap(heap_.begin(), heap_.end(), std::greater{});
      const auto [cost, at] = heap_.back();
      heap_.pop_back();
      Reached& here = reached_[at];
      if (here.is_settled || cost > here.cost) continue;
      here.is_settled = true;
      if (state_.fits(here.load, at)) {
        apply(at, leaf);
        return true;
      }
      expand(at);
    }
    return settle_anywhere(leaf) || exchange(leaf);
  }

 private:
  static constexpr std::uint32_t none = MapState::none;
  static constexpr std::size_t most_settled = 20'000;
  struct Reached {
    double cost = 0;
    double load = 0;  // that of the object that arrives
    std::uint32_t object = none;
    std::uint32_t from = none;
    std::uint32_t search = 0;
    bool is_settled = false;
  };

  void expand(std::uint32_t at) {
    const Reached here = reached_[at];
    const double too_much = state_.load(at) + here.load - state_.limit(at);
    for (std::uint32_t v = state_.first_on(at); v != none; v = state_.next_of(v)) {
      const double load = state_.graph().load(v);
      // A leaf on the path must give away what exceeds its limit after the arrival.
      if (load <= 0 || (here.object != none && !state_.fits(here.load - load, at))) continue;
      if (here.object == none && too_much <= 0) continue;
      for (const MapState::Move& move : state_.moves_of(v)) {
        reach(move.leaf, v, at, here.cost + std::max(0.0, -move.gain), load);
      }
    }
  }

  void reach(std::uint32_t leaf, std::uint32_t object, std::uint32_t from, double cost,
             double load) {
    Reached& there = reached_[leaf];
    // Each step costs a little, so that the shortest of equally expensive paths is taken.
    cost += state_.epsilon();
    if (there.search == search_ && (there.is_settled || there.cost <= cost)) return;
    there = {cost, load, object, from, search_, false};
    heap_.emplace_back(cost, leaf);
    std::push_heap(heap_.begin(), heap_.end(), std::greater{});
  }

  void apply(std::uint32_t end, std::uint32_t start) {
    for (std::uint32_t at = end; at != start;) {
      const Reached step = reached_[at];
      state_.move(step.object, at);
      at = step.from;
    }
  }

  /// If no path leads to a leaf with capacity, an object goes to the leaf with the most capacity
  /// left.
  bool settle_anywhere(std::uint32_t leaf) {
    std::uint32_t roomiest = 0;
    for (std::uint32_t other = 0; other < state_.index().leaves(); ++other) {
      if (state_.limit(other) - state_.load(other) >
          state_.limit(roomiest) - state_.load(roomiest)) {
        roomiest = other;
      }
    }
    std::uint32_t best = none;
    double best_gain = 0;
    for (std::uint32_t v = state_.first_on(leaf); v != none; v = state_.next_of(v)) {
      const double load = state_.graph().load(v);
      if (load <= 0 || !state_.fits(load, roomiest)) continue;
      const double gain = state_.gain_of(v, roomiest);
      if (best == none || gain > best_gain) {
        best = v;
        best_gain = gain;
      }
    }
    if (best == none) return false;
    state_.move(best, roomiest);
    return true;
  }

  /// If no object fits anywhere, exchanging one for a lighter one helps.
  bool exchange(std::uint32_t leaf) {
    const CommunicationGraph& graph = state_.graph();
    std::uint32_t best = none;
    std::uint32_t partner = none;
    double best_gain = 0;
    for (std::uint32_t v = state_.first_on(leaf); v != none; v = state_.next_of(v)) {
      for (std::uint32_t u = 0; u < graph.size(); ++u) {
        const double less = graph.load(v) - graph.load(u);
        if (less <= 0 || state_.place(u) == leaf || !state_.fits(less, state_.place(u))) continue;
        const double gain = state_.gain_of(v, state_.place(u)) + state_.gain_of(u, leaf);
        if (best == none || gain > best_gain) {
          best = v;
          partner = u;
          best_gain = gain;
        }
      }
    }
    if (best == none) return false;
    const std::uint32_t there = state_.place(partner);
    state_.move(best, there);
    state_.move(partner, leaf);
    return true;
  }

  MapState& state_;
  std::vector<Reached> reached_;
  std::vector<std::pair<double, std::uint32_t>> heap_;
  std::uint32_t search_ = 0;
};

}  // namespace

bool unload(MapState& state) {
  Unloading unloading(state);
  bool all_within = true;
  for (std::uint32_t leaf = 0; leaf < state.index().leaves(); ++leaf) {
    while (state.excess(leaf) > 0) {
      if (!unloading.relieve(leaf)) {
        all_within = false;
        break;
      }
    }
  }
  return all_within;
}

}  // namespace roam::topology
