// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "refine.hpp"

namespace roam::topology {

namespace {

std::vector<std::uint32_t> border(const MapState& state, core::Random& random) {
  std::vector<std::uint32_t> objects;
  for (std::uint32_t v = 0; v < state.graph().size(); ++v) {
    if (state.is_at_border(v)) objects.push_back(v);
  }
  for (std::size_t i = objects.size(); i > 1; --i) {
    std::swap(objects[i - 1], objects[random.below(i)]);
  }
  return objects;
}

class LocalSearch {
 public:
  LocalSearch(MapState& state, int patience)
      : state_(state),
        patience_(static_cast<std::size_t>(patience)),
        version_(state.graph().size(), 0) {}

  /// Searches from one object and returns the gain.
  double from(std::uint32_t seed) {
    if (version_[seed] == locked) return 0;
    heap_.clear();
    done_.clear();
    touched_.clear();
    offer(seed);
    double gained = 0;
    double most = 0;
    std::size_t kept = 0;
    while (!heap_.empty() && done_.size() - kept < patience_) {
      const Entry entry = pop();
      if (version_[entry.object] != entry.version) continue;
      const MapState::Move move = state_.best_move(entry.object);
      if (move.leaf == MapState::none) continue;
      if (move.gain < entry.gain - state_.epsilon()) {
        push(entry.object, move.gain);
        continue;
      }
      done_.emplace_back(entry.object, state_.place(entry.object));
      version_[entry.object] = locked;
      state_.move(entry.object, move.leaf);
      gained += move.gain;
      if (gained > most + state_.epsilon()) {
        most = gained;
        kept = done_.size();
      }
      for (const auto& [u, amount] : state_.graph().of(entry.object)) {
        if (version_[u] != locked) offer(u);
      }
    }
    for (std::size_t i = done_.size(); i > kept; --i) {
      // It remains locked: since no object moves twice, the time of a round is bounded.
      state_.move(done_[i - 1].first, done_[i - 1].second);
    }
    for (const std::uint32_t v : touched_) {
      if (version_[v] != locked) version_[v] = 0;
    }
    return most;
  }

 private:
  static constexpr std::uint32_t locked = 0xffffffffU;
  struct Entry {
    double gain;
    std::uint32_t object;
    std::uint32_t version;
    [[nodiscard]] bool operator<(const Entry& other) const { return gain < other.gain; }
  };

  void offer(std::uint32_t v) {
    const MapState::Move move = state_.best_move(v);
    if (move.leaf == MapState::none) {
      version_[v] = ++last_version_;
      return;
    }
    push(v, move.gain);
  }
  void push(std::uint32_t v, double gain) {
    if (version_[v] == 0) touched_.push_back(v);
    heap_.push_back({gain, v, version_[v] = ++last_version_});
    std::push_heap(heap_.begin(), heap_.end());
  }
  Entry pop() {
    std::pop_heap(heap_.begin(), heap_.end());
    const Entry entry = heap_.back();
    heap_.pop_back();
    return entry;
  }

  MapState& state_;
  const std::size_t patience_;
  std::vector<std::uint32_t> version_;
  std::vector<Entry> heap_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> done_;
  std::vector<std::uint32_t> touched_;
  std::uint32_t last_version_ = 0;
};

}  // namespace

double search_locally(MapState& state, int patience, core::Random& random) {
  LocalSearch search(state, patience);
  double gained = 0;
  for (const std::uint32_t seed : border(state, random)) gained += search.from(seed);
  return gained;
}

double swap_objects(MapState& state, core::Random& random) {
  constexpr std::size_t most_leaves = 4;
  const CommunicationGraph& graph = state.graph();
  double gained = 0;
  std::vector<MapState::Move> moves;
  for (const std::uint32_t v : border(state, random)) {
    // If an exchange of two objects gains, one of them gains by its own move, which its leaf's
    // limit prevented.
    moves.clear();
    for (const MapState::Move& move : state.moves_of(v)) {
      if (move.gain > state.epsilon() && !state.fits(graph.load(v), move.leaf))
        moves.push_back(move);
    }
    if (moves.empty()) continue;
    const std::size_t looked_at = std::min(most_leaves, moves.size());
    std::ranges::partial_sort(moves, moves.begin() + static_cast<std::ptrdiff_t>(looked_at), {},
                              [](const MapState::Move& m) { return -m.gain; });
    moves.resize(looked_at);
    const std::uint32_t here = state.place(v);
    double best = state.epsilon();
    std::uint32_t partner = MapState::none;
    for (const MapState::Move& move : moves) {
      const double distance = state.index().distance(here, move.leaf);
      std::size_t left = 64;
      for (std::uint32_t u = state.first_on(move.leaf); u != MapState::none && left > 0;
           u = state.next_of(u), --left) {
        const double more = graph.load(v) - graph.load(u);
        if (!state.fits(more, move.leaf) || !state.fits(-more, here)) continue;
        double gain = move.gain + state.gain_of(u, here);
        if (gain <= best) continue;
        for (const auto& [w, amount] : graph.of(v)) {
          if (w == u) gain -= 2 * amount * distance;
        }
        if (gain > best) {
          best = gain;
          partner = u;
        }
      }
    }
    if (partner == MapState::none) continue;
    const std::uint32_t there = state.place(partner);
    state.move(v, there);
    state.move(partner, here);
    gained += best;
  }
  return gained;
}

}  // namespace roam::topology
