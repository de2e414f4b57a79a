// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "mesh/curve.hpp"

namespace seismic {

using Point = std::array<double, 3>;  ///< m

/// A cell of the tree: its level (0: roots) and its place in the grid of that level.
struct CellKey {
  int level = 0;
  CellPlace place{};

  friend bool operator==(const CellKey&, const CellKey&) = default;
};

struct CellKeyHash {
  [[nodiscard]] std::size_t operator()(const CellKey& key) const;
};

/// The grid of root cubes, and how they are divided.
struct RootGrid {
  Point origin{};
  double size = 1.0;  ///< m, of a root's edge
  std::array<std::int32_t, 3> count{1, 1, 1};
  int refinement = 3;  ///< parts of a cell in each direction: 2 or 3
  std::array<bool, 3> is_periodic{};
};

/// The refinement level wanted in a box (lower corner, size).
using WantedLevel = std::function<int(const Point& lower, double size)>;

/// Cubes divided into refinement^3 cubes, recursively. Cells that share a face, an edge or a corner
/// differ by one level at most.
class Spacetree {
 public:
  /// Throws std::invalid_argument if the grid is invalid, or too fine for the curve.
  explicit Spacetree(const RootGrid& grid);

  /// Divides each cell that is coarser than wanted, and others as required by grading.
  void refine(const WantedLevel& wanted);
  /// Divides a leaf, and coarser neighbours of it first. Nothing happens if it is no leaf.
  void divide(const CellKey& key);
  /// Makes the children of `parent` one leaf again, if all are leaves and grading allows it.
  bool join(const CellKey& parent);

  [[nodiscard]] const RootGrid& grid() const { return grid_; }
  [[nodiscard]] double size_at(int level) const;
  [[nodiscard]] Point lower_corner(const CellKey& key) const;
  [[nodiscard]] bool is_leaf(const CellKey& key) const { return leaves_.contains(key); }
  [[nodiscard]] std::size_t leaf_count() const { return leaves_.size(); }
  /// All leaves in the order of the curve.
  [[nodiscard]] std::vector<CellKey> leaves_in_order() const;
  /// The cell of `key`'s level that lies `offset` cells away; none outside of the domain.
  [[nodiscard]] std::optional<CellKey> neighbour(const CellKey& key, const CellPlace& offset) const;
  [[nodiscard]] CellKey parent(const CellKey& key) const;
  /// Child (x, y, z), each 0 to refinement - 1.
  [[nodiscard]] CellKey child(const CellKey& key, const CellPlace& at) const;
  /// The leaf that is or contains `key`; none if the tree is finer there.
  [[nodiscard]] std::optional<CellKey> leaf_around(CellKey key) const;

 private:
  [[nodiscard]] std::int32_t count_at(int level, std::size_t axis) const;

  RootGrid grid_;
  int root_digits_ = 0;  // of the curve through the roots
  int deepest_ = 0;
  std::unordered_map<CellKey, bool, CellKeyHash> leaves_;
};

}  // namespace seismic
