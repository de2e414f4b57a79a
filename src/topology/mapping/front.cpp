// SPDX-License-Identifier: Apache-2.0
#include "front.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace roam::topology {

namespace {

constexpr std::uint32_t no_object = 0xffffffffU;

/// Free objects, ordered by the part of their communication that is with taken ones. Outdated
/// entries are skipped.
class Frontier {
 public:
  explicit Frontier(std::size_t objects) : version_(objects) {}
  void push(std::uint32_t object, double key) {
    entries_.push_back({key, object, ++version_[object]});
    std::push_heap(entries_.begin(), entries_.end());
  }
  void forget(std::uint32_t object) { ++version_[object]; }
  std::uint32_t pop() {
    while (!entries_.empty()) {
      std::pop_heap(entries_.begin(), entries_.end());
      const Entry entry = entries_.back();
      entries_.pop_back();
      if (version_[entry.object] == entry.version) return entry.object;
    }
    return no_object;
  }

 private:
  struct Entry {
    double key;
    std::uint32_t object;
    std::uint32_t version;
    [[nodiscard]] bool operator<(const Entry& other) const {
      return key < other.key || (key == other.key && object > other.object);
    }
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> version_;
};

/// A possible group. Its quality is first the communication inside, then the greatest communication
/// with any one group (which is largest for groups that fit together like bricks without an
/// offset), then that with all groups.
struct Trial {
  std::vector<std::uint32_t> members;
  double load = 0;
  double inside = 0;
  double flush = 0;
  double contact = 0;
  [[nodiscard]] bool better_than(const Trial& other) const {
    return std::tie(inside, flush, contact) > std::tie(other.inside, other.flush, other.contact);
  }
};

class Growth {
 public:
  Growth(const CommunicationGraph& graph, std::span<const double> shares, core::Random& random)
      : graph_(graph),
        shares_(shares),
        frontier_(graph.size()),
        to_group_(graph.size(), 0),
        to_taken_(graph.size(), 0),
        communication_(graph.size(), 0),
        group_of_(graph.size(), no_object),
        communication_with_(shares.size(), 0),
        is_member_(graph.size(), false),
        any_(graph.size() == 0 ? 0 : static_cast<std::uint32_t>(random.below(graph.size()))) {
    for (std::uint32_t v = 0; v < graph.size(); ++v) {
      for (const auto& [u, amount] : graph.of(v)) communication_[v] += amount;
    }
  }

  std::vector<std::vector<std::uint32_t>> run() {
    std::vector<std::vector<std::uint32_t>> groups(shares_.size());
    double load_left = graph_.total_load();
    double shares_left = std::accumulate(shares_.begin(), shares_.end(), 0.0);
    for (std::uint32_t g = 0; g < groups.size(); ++g) {
      const bool takes_all = g + 1 == groups.size();
      Trial best = best_trial(load_left * shares_[g] / shares_left, takes_all);
      for (const std::uint32_t v : best.members) take(v, g);
      load_left -= best.load;
      shares_left -= shares_[g];
      groups[g] = std::move(best.members);
    }
    return groups;
  }

 private:
  static constexpr std::size_t most_trials = 8;

  /// The best group from the next start: grown greedily, and with each of the start's nearest
  /// neighbours as the second object.
  Trial best_trial(double target, bool takes_all) {
    const std::uint32_t first = start();
    if (first == no_object) return {};
    Trial best = grow(first, no_object, target, takes_all);
    if (takes_all) return best;
    std::vector<std::pair<double, std::uint32_t>> seconds;
    for (const auto& [u, amount] : graph_.of(first)) {
      if (!is_taken(u)) seconds.emplace_back(-to_taken_[u], u);
    }
    const std::size_t trials = std::min(most_trials, seconds.size());
    std::partial_sort(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(trials),
                      seconds.end());
    for (std::size_t i = 0; i < trials; ++i) {
      Trial trial = grow(first, seconds[i].second, target, false);
      if (trial.better_than(best)) best = std::move(trial);
    }
    if (best.members.empty()) frontier_.push(first, to_taken_[first] / communication_[first]);
    return best;
  }

  Trial grow(std::uint32_t first, std::uint32_t second, double target, bool takes_all) {
    Trial trial;
    candidates_.clear();
    std::uint32_t next = first;
    while (next != no_object) {
      const double after = trial.load + graph_.load(next);
      if (!takes_all && after > target && after - target > target - trial.load) break;
      trial.load = after;
      trial.inside += to_group_[next];
      trial.contact += to_taken_[next];
      trial.members.push_back(next);
      is_member_[next] = true;
      for (const auto& [u, amount] : graph_.of(next)) {
        if (is_taken(u)) continue;
        if (to_group_[u] == 0) candidates_.push_back(u);
        to_group_[u] += amount;
      }
      next = trial.members.size() == 1 && second != no_object ? second : nearest();
      // If a group has no free neighbours, it continues elsewhere.
      if (next == no_object) next = start();
    }
    trial.flush = most_to_one_group(trial.members);
    for (const std::uint32_t v : trial.members) is_member_[v] = false;
    for (const std::uint32_t v : candidates_) to_group_[v] = 0;
    return trial;
  }

  [[nodiscard]] bool is_taken(std::uint32_t v) const { return group_of_[v] != no_object; }

  double most_to_one_group(const std::vector<std::uint32_t>& members) {
    double most = 0;
    for (const std::uint32_t v : members) {
      for (const auto& [u, amount] : graph_.of(v)) {
        if (is_taken(u)) most = std::max(most, communication_with_[group_of_[u]] += amount);
      }
    }
    for (const std::uint32_t v : members) {
      for (const auto& [u, amount] : graph_.of(v)) {
        if (is_taken(u)) communication_with_[group_of_[u]] = 0;
      }
    }
    return most;
  }

  [[nodiscard]] std::uint32_t nearest() const {
    std::uint32_t best = no_object;
    for (const std::uint32_t v : candidates_) {
      if (is_member_[v]) continue;
      if (best == no_object ||
          std::pair(to_group_[v], to_taken_[v]) > std::pair(to_group_[best], to_taken_[best])) {
        best = v;
      }
    }
    return best;
  }

  void take(std::uint32_t v, std::uint32_t group) {
    group_of_[v] = group;
    frontier_.forget(v);
    for (const auto& [u, amount] : graph_.of(v)) {
      if (is_taken(u)) continue;
      to_taken_[u] += amount;
      frontier_.push(u, to_taken_[u] / communication_[u]);
    }
  }

  /// An object to start from: as near as possible to those taken.
  std::uint32_t start() {
    for (std::uint32_t near = frontier_.pop(); near != no_object; near = frontier_.pop()) {
      if (!is_member_[near]) return near;
    }
    for (std::uint32_t i = 0; i < graph_.size(); ++i) {
      const std::uint32_t v = (any_ + i) % graph_.size();
      if (!is_taken(v) && !is_member_[v]) {
        any_ = v;
        return v;
      }
    }
    return no_object;
  }

  const CommunicationGraph& graph_;
  const std::span<const double> shares_;
  Frontier frontier_;
  std::vector<double> to_group_;
  std::vector<double> to_taken_;
  std::vector<double> communication_;
  std::vector<std::uint32_t> group_of_;
  std::vector<double> communication_with_;
  std::vector<bool> is_member_;
  std::vector<std::uint32_t> candidates_;
  std::uint32_t any_;
};

}  // namespace

std::vector<std::vector<std::uint32_t>> grow_groups(const CommunicationGraph& graph,
                                                    std::span<const double> shares,
                                                    core::Random& random) {
  return Growth(graph, shares, random).run();
}

}  // namespace roam::topology
