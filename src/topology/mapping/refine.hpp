// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "leaf_index.hpp"
#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// A mapping that is being improved: it computes what moves gain by the true objective, level by
/// level of the tree, and the load of each leaf.
class MapState {
 public:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
  struct Move {
    std::uint32_t leaf = none;
    double gain = 0;
  };

  /// `graph`, `index` and `limits` (the most load of each leaf) must outlive it.
  MapState(const CommunicationGraph& graph, const LeafIndex& index, std::span<const double> limits,
           std::vector<std::uint32_t> place);

  [[nodiscard]] const CommunicationGraph& graph() const { return graph_; }
  [[nodiscard]] const LeafIndex& index() const { return index_; }
  [[nodiscard]] std::uint32_t place(std::uint32_t object) const { return place_[object]; }
  [[nodiscard]] const std::vector<std::uint32_t>& places() const { return place_; }
  [[nodiscard]] double load(std::uint32_t leaf) const { return load_[leaf]; }
  [[nodiscard]] double limit(std::uint32_t leaf) const { return limits_[leaf]; }
  /// The load beyond the limit; 0 if it is within rounding errors.
  [[nodiscard]] double excess(std::uint32_t leaf) const {
    const double over = load_[leaf] - limits_[leaf];
    return over > epsilon_load_ ? over : 0;
  }
  [[nodiscard]] bool fits(double load, std::uint32_t leaf) const {
    return load_[leaf] + load <= limits_[leaf] + epsilon_load_;
  }
  /// Gains below this are rounding errors.
  [[nodiscard]] double epsilon() const { return epsilon_; }
  [[nodiscard]] double cost() const;

  /// True if a neighbour is on another leaf.
  [[nodiscard]] bool is_at_border(std::uint32_t object) const;
  /// The move of an object to the leaf of a neighbour that gains most (it may be a loss), among
  /// leaves on which it fits.
  [[nodiscard]] Move best_move(std::uint32_t object);
  /// All such moves, whether or not the object fits, unordered; valid until the next call.
  [[nodiscard]] std::span<const Move> moves_of(std::uint32_t object);
  [[nodiscard]] double gain_of(std::uint32_t object, std::uint32_t leaf) const;
  void move(std::uint32_t object, std::uint32_t leaf);

  /// The first object on a leaf; next_of() gives the further ones, until none.
  [[nodiscard]] std::uint32_t first_on(std::uint32_t leaf) const { return first_[leaf]; }
  [[nodiscard]] std::uint32_t next_of(std::uint32_t object) const { return next_[object]; }

 private:
  // Up to so many leaves, moves are compared leaf by leaf.
  static constexpr std::size_t few = 4;

  void gains_of_few(std::uint32_t here);
  void link(std::uint32_t object, std::uint32_t leaf);
  void unlink(std::uint32_t object);

  const CommunicationGraph& graph_;
  const LeafIndex& index_;
  const std::span<const double> limits_;
  std::vector<std::uint32_t> place_;
  std::vector<double> load_;
  std::vector<std::uint32_t> first_, next_, previous_;
  std::vector<double>
      communication_;          // per leaf: communication with neighbours there; 0 between calls
  std::vector<double> saved_;  // per node: what communication with neighbours in it saves; likewise
  std::vector<Move> moves_;
  double epsilon_load_ = 0;
  double epsilon_ = 0;
};

/// Makes one round of localised Fiduccia-Mattheyses searches (Sanders and Schulz 2011) from all
/// objects at a border: each search moves objects of one region as long as that may pay, and undoes
/// what did not. No leaf exceeds its limit. Returns the gain.
double search_locally(MapState& state, int patience, core::Random& random);

/// Exchanges two objects wherever that gains. Returns the gain.
double swap_objects(MapState& state, core::Random& random);

/// Moves several objects of equal loads at once, along negative cycles, as long as that gains; for
/// a few hundred leaves at most. Returns the gain.
double turn_cycles(MapState& state);

/// Brings all leaves within their limits, if moves along paths of leaves can do it: one object
/// moves on each step of the cheapest path. False if some leaf is still overloaded in the end.
bool unload(MapState& state);

}  // namespace roam::topology
