// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "refine.hpp"

namespace roam::topology {

MapState::MapState(const CommunicationGraph& graph, const LeafIndex& index,
                   std::span<const double> limits, std::vector<std::uint32_t> place)
    : graph_(graph),
      index_(index),
      limits_(limits),
      place_(std::move(place)),
      load_(index.leaves(), 0.0),
      first_(index.leaves(), none),
      next_(graph.size(), none),
      previous_(graph.size(), none),
      communication_(index.leaves(), 0.0),
      saved_(index.nodes(), 0.0) {
  double largest = 0;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    load_[place_[v]] += graph.load(v);
    link(v, place_[v]);
    for (const auto& [u, amount] : graph.of(v)) largest = std::max(largest, amount);
  }
  epsilon_load_ = 1e-9 * (1e-300 + graph.total_load() / index.leaves());
  double farthest = 0;
  for (std::size_t level = 0; level < index.levels(); ++level) farthest += index.drop(level);
  epsilon_ = 1e-10 * largest * farthest;
}

double MapState::cost() const {
  double twice = 0;
  for (std::uint32_t v = 0; v < graph_.size(); ++v) {
    for (const auto& [u, amount] : graph_.of(v)) {
      if (place_[u] != place_[v]) twice += amount * index_.distance(place_[v], place_[u]);
    }
  }
  return twice / 2;
}

bool MapState::is_at_border(std::uint32_t object) const {
  return std::ranges::any_of(graph_.of(object), [&](const CommunicationGraph::Neighbour& n) {
    return place_[n.object] != place_[object];
  });
}

std::span<const MapState::Move> MapState::moves_of(std::uint32_t object) {
  const std::size_t levels = index_.levels();
  moves_.clear();
  const std::uint32_t here = place_[object];
  // Communication is first added up by leaf, because most neighbours are on few leaves.
  for (const auto& [u, amount] : graph_.of(object)) {
    const std::uint32_t leaf = place_[u];
    if (communication_[leaf] == 0 && leaf != here) moves_.push_back({leaf, 0});
    communication_[leaf] += amount;
  }
  if (moves_.size() <= few) {
    gains_of_few(here);
    return moves_;
  }
  const auto for_path = [&](std::uint32_t leaf, auto&& apply) {
    const std::uint32_t* path = index_.path(leaf);
    for (std::size_t level = 0; level < levels; ++level) apply(saved_[path[level]], level);
  };
  const auto enter = [&](std::uint32_t leaf) {
    const double communication = std::exchange(communication_[leaf], 0.0);
    if (communication == 0) return;
    for_path(leaf, [&](double& saved, std::size_t level) {
      saved += communication * index_.drop(level);
    });
  };
  const auto saved_on = [&](std::uint32_t leaf) {
    double sum = 0;
    for_path(leaf, [&](double& saved, std::size_t) { sum += saved; });
    return sum;
  };
  for (const Move& move : moves_) enter(move.leaf);
  enter(here);
  const double now = saved_on(here);
  for (Move& move : moves_) move.gain = saved_on(move.leaf) - now;
  for (const Move& move : moves_)
    for_path(move.leaf, [](double& saved, std::size_t) { saved = 0; });
  for_path(here, [](double& saved, std::size_t) { saved = 0; });
  return moves_;
}

/// Computes the gains of moves_ from what was added up in communication_, which it clears: leaf by
/// leaf, which is less work for few leaves than to go by the nodes of the tree.
void MapState::gains_of_few(std::uint32_t here) {
  const double inside = std::exchange(communication_[here], 0.0);
  std::array<double, few> amount{};
  std::array<double, few> from_here{};
  double now = 0;  // what the object's communication costs on its present leaf
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    amount[i] = std::exchange(communication_[moves_[i].leaf], 0.0);
    from_here[i] = index_.distance(here, moves_[i].leaf);
    now += amount[i] * from_here[i];
  }
  for (std::size_t i = 0; i < moves_.size(); ++i) moves_[i].gain = now - inside * from_here[i];
  for (std::size_t i = 1; i < moves_.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double distance = index_.distance(moves_[i].leaf, moves_[j].leaf);
      moves_[i].gain -= amount[j] * distance;
      moves_[j].gain -= amount[i] * distance;
    }
  }
}

MapState::Move MapState::best_move(std::uint32_t object) {
  Move best;
  const double load = graph_.load(object);
  for (const Move& move : moves_of(object)) {
    if (best.leaf != none && move.gain < best.gain) continue;
    if (!fits(load, move.leaf)) continue;
    if (best.leaf == none || move.gain > best.gain || load_[move.leaf] < load_[best.leaf]) {
      best = move;
    }
  }
  return best;
}

double MapState::gain_of(std::uint32_t object, std::uint32_t leaf) const {
  double gain = 0;
  const std::uint32_t here = place_[object];
  for (const auto& [u, amount] : graph_.of(object)) {
    const std::uint32_t there = place_[u];
    gain += amount * (index_.distance(here, there) - index_.distance(leaf, there));
  }
  return gain;
}

void MapState::move(std::uint32_t object, std::uint32_t leaf) {
  unlink(object);
  load_[place_[object]] -= graph_.load(object);
  place_[object] = leaf;
  load_[leaf] += graph_.load(object);
  link(object, leaf);
}

void MapState::link(std::uint32_t object, std::uint32_t leaf) {
  previous_[object] = none;
  next_[object] = first_[leaf];
  if (first_[leaf] != none) previous_[first_[leaf]] = object;
  first_[leaf] = object;
}

void MapState::unlink(std::uint32_t object) {
  const std::uint32_t before = previous_[object];
  const std::uint32_t after = next_[object];
  (before == none ? first_[place_[object]] : next_[before]) = after;
  if (after != none) previous_[after] = before;
}

}  // namespace roam::topology
