// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "common.hpp"

namespace roam::placement {

/// The objects that each object communicates with: each link is listed at both its ends; links of
/// an object with itself are left out.
class Adjacency {
 public:
  struct Neighbour {
    ObjectIndex object;
    double bytes;
  };
  explicit Adjacency(const LoadGraph& graph);
  [[nodiscard]] std::span<const Neighbour> of(std::size_t object) const {
    return std::span(neighbours_).subspan(begin_[object], begin_[object + 1] - begin_[object]);
  }

 private:
  std::vector<std::size_t> begin_;
  std::vector<Neighbour> neighbours_;
};

/// The bytes that one object exchanges with the objects of each rank.
class RankAffinity {
 public:
  RankAffinity(const Adjacency& adjacency, std::size_t ranks)
      : adjacency_(adjacency), bytes_(ranks) {}

  /// Adds up the bytes of `object`; neighbours that are on no rank (-1) do not count.
  void look_at(std::size_t object, const Placement& placement);
  [[nodiscard]] double bytes(std::size_t rank) const { return bytes_[rank]; }
  /// Ranks with which bytes are exchanged, those with most first; equal ones by number.
  [[nodiscard]] std::span<const std::int32_t> ranks() const { return ranks_; }

 private:
  const Adjacency& adjacency_;
  std::vector<double> bytes_;
  std::vector<std::int32_t> ranks_;
};

}  // namespace roam::placement
