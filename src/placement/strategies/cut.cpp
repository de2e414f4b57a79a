// SPDX-License-Identifier: Apache-2.0
// Pairwise refinement of a partition under a limit (after Kernighan and Lin 1970; Fiduccia and
// Mattheyses 1982). A change that gains is carried out at once; for partitions that are nearly
// right this is enough.
#include "cut.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "adjacency.hpp"
#include "rank_work.hpp"

namespace roam::placement {

namespace {

constexpr int most_passes = 12;
// The most objects of another rank that are tried as partners of an exchange.
constexpr std::size_t most_cut_partners = 64;

/// The gain of a change.
struct Gain {
  double cut = 0;    // bytes that no longer cross ranks
  double moved = 0;  // bytes that need not be moved

  [[nodiscard]] bool is_gain(double weight) const {
    return cut >= 0 && cut + weight * moved > 1e-12 * (cut + std::abs(weight * moved));
  }
  [[nodiscard]] double value(double weight) const { return cut + weight * moved; }
};

class CutReducer {
 public:
  CutReducer(const LoadGraph& graph, const Machine& machine, double limit, double weight,
             Placement& placement)
      : graph_(graph),
        weight_(weight),
        placement_(placement),
        work_(std::vector<double>(static_cast<std::size_t>(machine.ranks)), machine),
        adjacency_(graph),
        affinity_(adjacency_, work_.ranks()),
        other_affinity_(adjacency_, work_.ranks()),
        objects_(work_.ranks()),
        position_(graph.size()) {
    for (std::size_t r = 0; r < work_.ranks(); ++r) work_.add(graph.background(r), r);
    for (std::size_t i = 0; i < graph.size(); ++i) {
      const auto object = static_cast<ObjectIndex>(i);
      work_.add(graph.seconds[i], rank_of(object));
      if (!graph.is_pinned(i)) list(object, rank_of(object));
    }
    work_.set_limit(limit);
  }

  void run() {
    for (int pass = 0; pass < most_passes; ++pass) {
      bool has_gained = false;
      for (std::size_t i = 0; i < graph_.size(); ++i) {
        if (graph_.is_pinned(i) || adjacency_.of(i).empty()) continue;
        has_gained = improve(static_cast<ObjectIndex>(i)) || has_gained;
      }
      if (!has_gained) return;
    }
  }

 private:
  [[nodiscard]] std::size_t rank_of(ObjectIndex object) const {
    return static_cast<std::size_t>(placement_[object]);
  }

  /// The gain of moving the object to that rank; requires affinity.look_at(object).
  [[nodiscard]] Gain gain_of(ObjectIndex object, std::size_t to,
                             const RankAffinity& affinity) const {
    const std::size_t from = rank_of(object);
    const auto home = static_cast<std::size_t>(graph_.rank[object]);
    const double size =
        graph_.bytes.empty() ? 1 : std::max(1.0, static_cast<double>(graph_.bytes[object]));
    const double homeward = static_cast<double>(home == to) - static_cast<double>(home == from);
    return {affinity.bytes(to) - affinity.bytes(from), size * homeward};
  }

  bool improve(ObjectIndex object) {
    affinity_.look_at(object, placement_);
    const std::size_t from = rank_of(object);
    for (const std::int32_t rank : affinity_.ranks()) {
      const auto to = static_cast<std::size_t>(rank);
      if (to == from) continue;
      const Gain gain = gain_of(object, to, affinity_);
      if (gain.is_gain(weight_) && work_.slack(to) >= graph_.seconds[object]) {
        put(object, to);
        return true;
      }
      if (gain.cut > 0 && exchange(object, to, gain)) return true;
      if (gain.cut < 0) break;  // the ranks that follow gain less
    }
    return false;
  }

  /// Exchanges the object for that object of the rank with which most is gained.
  bool exchange(ObjectIndex object, std::size_t to, const Gain& gain) {
    const std::size_t from = rank_of(object);
    const std::vector<ObjectIndex>& others = objects_[to];
    const std::size_t step = 1 + others.size() / most_cut_partners;
    ObjectIndex best = object;
    double best_value = 0;
    for (std::size_t k = object % step; k < others.size(); k += step) {
      const ObjectIndex other = others[k];
      const double shift = graph_.seconds[object] - graph_.seconds[other];
      if (shift > std::max(0.0, work_.slack(to)) || -shift > std::max(0.0, work_.slack(from))) {
        continue;
      }
      other_affinity_.look_at(other, placement_);
      const Gain back = gain_of(other, from, other_affinity_);
      // The link between the two crosses ranks before and after.
      const Gain both{gain.cut + back.cut - 2 * bytes_between(object, other),
                      gain.moved + back.moved};
      if (!both.is_gain(weight_) || both.value(weight_) <= best_value) continue;
      best = other;
      best_value = both.value(weight_);
    }
    if (best == object) return false;
    put(object, to);
    put(best, from);
    return true;
  }

  [[nodiscard]] double bytes_between(ObjectIndex a, ObjectIndex b) const {
    double bytes = 0;
    for (const auto& [object, amount] : adjacency_.of(a)) bytes += object == b ? amount : 0;
    return bytes;
  }

  void list(ObjectIndex object, std::size_t rank) {
    position_[object] = static_cast<std::uint32_t>(objects_[rank].size());
    objects_[rank].push_back(object);
  }
  void put(ObjectIndex object, std::size_t to) {
    const std::size_t from = rank_of(object);
    work_.move(graph_.seconds[object], from, to);
    std::vector<ObjectIndex>& left = objects_[from];
    position_[left.back()] = position_[object];
    left[position_[object]] = left.back();
    left.pop_back();
    list(object, to);
    placement_[object] = static_cast<std::int32_t>(to);
  }

  const LoadGraph& graph_;
  const double weight_;
  Placement& placement_;
  RankWork work_;
  const Adjacency adjacency_;
  RankAffinity affinity_;
  RankAffinity other_affinity_;
  std::vector<std::vector<ObjectIndex>> objects_;  // of each rank, the objects that can move
  std::vector<std::uint32_t> position_;            // of each object, its place in such a list
};

}  // namespace

void reduce_cut(const LoadGraph& graph, const Machine& machine, double limit_seconds,
                double migration_weight, Placement& placement) {
  CutReducer(graph, machine, limit_seconds, migration_weight, placement).run();
}

}  // namespace roam::placement
