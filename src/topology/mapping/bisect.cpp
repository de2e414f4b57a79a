// SPDX-License-Identifier: Apache-2.0
#include "bisect.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "coarsen.hpp"

namespace roam::topology {

namespace {

/// The quality of a bisection: first that it is within its limits, then that its sides communicate
/// little.
struct Value {
  double excess;
  double cut;
  double off_target;
  [[nodiscard]] bool better_than(const Value& other, double epsilon) const {
    if (excess < other.excess - epsilon) return true;
    if (excess > other.excess + epsilon) return false;
    if (cut < other.cut - epsilon) return true;
    return cut <= other.cut + epsilon && off_target < other.off_target - epsilon;
  }
};

/// A bisection of one graph that is being improved.
class Sides {
 public:
  Sides(const CommunicationGraph& graph, const SideLoads& loads, core::Random& random)
      : graph_(graph),
        loads_(loads),
        random_(random),
        gain_(graph.size()),
        across_(graph.size()),
        version_(graph.size()),
        is_small_(graph.size() <= 80) {
    for (const double load : graph.loads()) largest_ = std::max(largest_, load);
    epsilon_ = 1e-9 * (1 + graph.total_load());
  }

  void start_with(std::vector<std::uint8_t> side) {
    side_ = std::move(side);
    load_ = {0, 0};
    cut_ = 0;
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      load_[side_[v]] += graph_.load(v);
      double inside = 0;
      double outside = 0;
      std::uint32_t across = 0;
      for (const auto& [u, amount] : graph_.of(v)) {
        const bool is_across = side_[u] != side_[v];
        (is_across ? outside : inside) += amount;
        across += is_across ? 1 : 0;
      }
      gain_[v] = outside - inside;
      across_[v] = across;
      cut_ += outside / 2;
    }
  }

  /// Grows side 0 from one object, always adding the object that communicates most with it. The
  /// first is any object, or one at the rim, as far as possible from some other.
  void grow(bool from_rim) {
    start_with(std::vector<std::uint8_t>(graph_.size(), 1));
    begin_pass();
    if (graph_.size() == 0) return;
    std::uint32_t next = pick();
    if (from_rim) next = farthest_from(next);
    while (true) {
      const double load = graph_.load(next);
      if (load_[0] + load > loads_.target[0] &&
          load_[0] + load - loads_.target[0] > loads_.target[0] - load_[0]) {
        break;
      }
      flip(next);
      if (load_[0] >= loads_.target[0]) break;
      if (is_small_) look_at_all();
      next = top(1);
      if (next == none) next = pick();
      if (next == none) break;
    }
  }

  /// Makes passes until one gains nothing.
  void refine(int most_passes) {
    while (most_passes-- > 0 && pass()) {
    }
  }

  [[nodiscard]] Value value() const {
    return {std::max(0.0, load_[0] - loads_.most[0]) + std::max(0.0, load_[1] - loads_.most[1]),
            cut_, std::abs(load_[0] - loads_.target[0])};
  }
  [[nodiscard]] const std::vector<std::uint8_t>& side() const { return side_; }
  [[nodiscard]] double epsilon() const { return epsilon_; }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr double infinite = std::numeric_limits<double>::infinity();
  struct Entry {
    double gain;
    std::uint32_t object;
    std::uint32_t version;
    [[nodiscard]] bool operator<(const Entry& other) const {
      return gain < other.gain || (gain == other.gain && version < other.version);
    }
  };

  void push(std::uint32_t v) {
    if (is_small_) {
      version_[v] = 0;
      return;
    }
    auto& heap = heap_[side_[v]];
    heap.push_back({gain_[v], v, version_[v] = ++last_version_});
    std::push_heap(heap.begin(), heap.end());
  }

  void begin_pass() {
    heap_[0].clear();
    heap_[1].clear();
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      version_[v] = 0;  // it is in no heap
      if (across_[v] > 0) push(v);
    }
  }

  /// The object of a side with the greatest gain. It is taken off the heap until it is pushed
  /// again.
  std::uint32_t top(std::uint8_t side) {
    if (is_small_) return best_[side];
    auto& heap = heap_[side];
    while (!heap.empty()) {
      const Entry entry = heap.front();
      if (version_[entry.object] == entry.version) return entry.object;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    return none;
  }

  /// In a small graph, looking at all objects is faster than maintaining a heap.
  void look_at_all() {
    std::array<double, 2> gain{-infinite, -infinite};
    best_ = {none, none};
    for (std::uint32_t v = 0; v < graph_.size(); ++v) {
      const std::uint8_t side = side_[v];
      if (version_[v] == locked || gain_[v] <= gain[side]) continue;
      gain[side] = gain_[v];
      best_[side] = v;
    }
  }

  std::uint32_t pick() {
    const auto start = static_cast<std::uint32_t>(random_.below(graph_.size()));
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      const std::uint32_t v = (start + i) % graph_.size();
      if (side_[v] == 1) return v;
    }
    return none;
  }

  /// The last object that a breadth-first search reaches.
  std::uint32_t farthest_from(std::uint32_t start) {
    std::vector<bool> is_seen(graph_.size());
    flipped_.assign(1, start);
    is_seen[start] = true;
    for (std::size_t i = 0; i < flipped_.size(); ++i) {
      for (const auto& [u, amount] : graph_.of(flipped_[i])) {
        if (is_seen[u]) continue;
        is_seen[u] = true;
        flipped_.push_back(u);
      }
    }
    return flipped_.back();
  }

  /// Puts an object on the other side, where it stays until the end of this pass.
  void flip(std::uint32_t v) {
    cut_ -= gain_[v];
    version_[v] = locked;
    change_side(v, [this](std::uint32_t u) {
      if (version_[u] != locked) push(u);
    });
  }

  /// Puts an object on the other side; calls `then` for each neighbour.
  template <class Then>
  void change_side(std::uint32_t v, const Then& then) {
    const std::uint8_t from = side_[v];
    const std::uint8_t to = from ^ 1;
    load_[from] -= graph_.load(v);
    load_[to] += graph_.load(v);
    side_[v] = to;
    const auto neighbours = graph_.of(v);
    for (const auto& [u, amount] : neighbours) {
      const bool joins = side_[u] == to;
      gain_[u] += joins ? -2 * amount : 2 * amount;
      across_[u] += joins ? ~std::uint32_t{0} : 1;
      then(u);
    }
    gain_[v] = -gain_[v];
    across_[v] = static_cast<std::uint32_t>(neighbours.size()) - across_[v];
  }

  /// The object to move next; none if there is none.
  std::uint32_t choose() {
    const bool full[2] = {load_[0] > loads_.most[0] + epsilon_,
                          load_[1] > loads_.most[1] + epsilon_};
    if (is_small_) look_at_all();
    const std::uint32_t of[2] = {top(0), top(1)};
    std::uint32_t best = none;
    for (std::uint8_t side = 0; side < 2; ++side) {
      const std::uint32_t v = of[side];
      if (v == none || full[side ^ 1]) continue;
      if (full[side]) return v;
      // The other side may be overloaded by one object, which then has to move on.
      if (load_[side ^ 1] + graph_.load(v) > loads_.most[side ^ 1] + largest_ + epsilon_) continue;
      if (best == none || gain_[v] > gain_[best]) best = v;
    }
    return best;
  }

  bool pass() {
    begin_pass();
    Value best = value();
    const Value before = best;
    std::size_t kept = 0;
    flipped_.clear();
    const std::size_t patience =
        std::min<std::size_t>(8 + graph_.size() / 4, 30 + graph_.size() / 30);
    while (flipped_.size() - kept < patience) {
      const std::uint32_t v = choose();
      if (v == none) break;
      flip(v);
      flipped_.push_back(v);
      const Value now = value();
      if (now.better_than(best, epsilon_)) {
        best = now;
        kept = flipped_.size();
      }
    }
    for (std::size_t i = flipped_.size(); i > kept; --i)
      change_side(flipped_[i - 1], [](std::uint32_t) {});
    cut_ = best.cut;
    return best.better_than(before, epsilon_);
  }

  static constexpr std::uint32_t locked = 0xffffffffU;
  const CommunicationGraph& graph_;
  const SideLoads& loads_;
  core::Random& random_;
  std::vector<std::uint8_t> side_;
  std::vector<double> gain_;           // of each object: what its change of sides gains
  std::vector<std::uint32_t> across_;  // of each object: its neighbours on the other side
  std::vector<std::uint32_t> version_;
  const bool is_small_;
  std::array<std::uint32_t, 2> best_{none, none};
  std::array<std::vector<Entry>, 2> heap_;
  std::vector<std::uint32_t> flipped_;
  std::array<double, 2> load_{};
  double cut_ = 0;
  double largest_ = 0;
  double epsilon_;
  std::uint32_t last_version_ = 0;
};

constexpr std::uint32_t smallest = 24;
constexpr int growths = 6;

std::vector<std::uint8_t> grow_best(const CommunicationGraph& graph, const SideLoads& loads,
                                    core::Random& random) {
  Sides sides(graph, loads, random);
  std::vector<std::uint8_t> best;
  Value least{};
  int in_vain = 0;
  for (int i = 0; i < growths && in_vain < 2; ++i) {
    sides.grow(i % 2 == 0);
    sides.refine(4);
    ++in_vain;
    if (best.empty() || sides.value().better_than(least, sides.epsilon())) {
      least = sides.value();
      best = sides.side();
      in_vain = 0;
    }
  }
  return best;
}

/// Limits that clusters can satisfy without one being taken from far away for its load alone.
SideLoads loosened(const CommunicationGraph& graph, const SideLoads& loads) {
  const double half = std::ranges::max(graph.loads()) / 2;
  SideLoads looser = loads;
  for (std::size_t side = 0; side < 2; ++side) {
    looser.most[side] = std::max(loads.most[side], loads.target[side] + half);
  }
  return looser;
}

/// Performs one multilevel run.
std::vector<std::uint8_t> run_once(const CommunicationGraph& graph, const SideLoads& given,
                                   bool is_finest, core::Random& random) {
  const SideLoads loads = is_finest ? given : loosened(graph, given);
  if (graph.size() <= smallest) return grow_best(graph, loads, random);
  const double mean = graph.total_load() / graph.size();
  const double cap =
      std::max(std::min(3 * mean, std::min(loads.target[0], loads.target[1]) / 3), 2 * mean);
  const Clusters clusters = cluster(graph, cap, random);
  if (clusters.count > graph.size() * 0.95) return grow_best(graph, loads, random);
  const CommunicationGraph coarse = contract(graph, clusters);
  const std::vector<std::uint8_t> of_coarse = run_once(coarse, given, false, random);
  std::vector<std::uint8_t> side(graph.size());
  for (std::uint32_t v = 0; v < graph.size(); ++v) side[v] = of_coarse[clusters.of[v]];
  Sides sides(graph, loads, random);
  sides.start_with(std::move(side));
  sides.refine(6);
  return sides.side();
}

}  // namespace

std::vector<std::uint8_t> bisect(const CommunicationGraph& graph, const SideLoads& loads, int runs,
                                 core::Random& random) {
  Sides sides(graph, loads, random);
  std::vector<std::uint8_t> best;
  Value least{};
  for (int i = 0; i < runs; ++i) {
    std::vector<std::uint8_t> side = run_once(graph, loads, true, random);
    sides.start_with(side);
    // If two runs end with equal results, further ones are unlikely to find a better one.
    if (!best.empty() && !least.better_than(sides.value(), sides.epsilon()) &&
        !sides.value().better_than(least, sides.epsilon())) {
      break;
    }
    if (best.empty() || sides.value().better_than(least, sides.epsilon())) {
      least = sides.value();
      best = std::move(side);
    }
  }
  return best;
}

}  // namespace roam::topology
