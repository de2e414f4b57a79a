// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace jacobi {

/// The values along one side of a block, the last direction fastest. Empty at the edge of the
/// plate, where the temperature is 0.
using Face = std::vector<double>;

/// Sides are numbered 2 d for the low one in direction d, 2 d + 1 for the high one. Reading values
/// from side s is reading side opposite(s) of the neighbour there.
[[nodiscard]] constexpr std::size_t opposite(std::size_t side) { return side ^ 1U; }

/// Cells of a plate (D = 2) or a cube (D = 3): a rectangle or cuboid of them, the last direction
/// fastest, with a layer of one cell around it for the values of its neighbours.
template <int D>
class Block {
 public:
  using Coordinates = std::array<std::int64_t, D>;
  static constexpr std::size_t sides = 2 * D;

  Block() = default;
  /// Makes `extent` cells from `begin` on, of a plate of `plate` cells, with their initial
  /// temperature.
  Block(const Coordinates& begin, const Coordinates& extent, const Coordinates& plate);
  /// Whether that side is at the edge of the plate.
  [[nodiscard]] bool is_edge(std::size_t side) const;
  /// Sets `face` to the values of the cells along a side, for the neighbour there; to none at the
  /// edge of the plate.
  void copy_face(std::size_t side, Face& face) const;
  /// Does one step with the values beyond each side: every cell becomes the mean of its neighbours,
  /// added in the order of the sides, which determines the last bit. Returns the largest change of
  /// a cell.
  double relax(const std::array<const Face*, 2 * D>& beyond);
  /// The sum of the bits of all cells and their places, independent of how the plate is cut.
  [[nodiscard]] std::uint64_t fingerprint() const;
  /// What it owns beyond itself.
  [[nodiscard]] std::size_t memory_bytes() const {
    return (cells_.capacity() + next_.capacity() + ends_.capacity()) * sizeof(double);
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(begin_, extent_, plate_, cells_, ends_);
  }

 private:
  [[nodiscard]] std::size_t stride(std::size_t d) const;
  /// Calls act(place of the first, its coordinates) for all rows of cells along the last direction.
  template <class Act>
  void for_rows(const Act& act) const;
  /// Calls act(place of the first) for all rows of a layer of cells, in the order of a Face: number
  /// -1 of a direction is the one before the first cells. Not for the last direction.
  template <class Act>
  void for_layer(std::size_t d, std::int64_t layer, const Act& act) const;
  void set_beyond(std::size_t side, const Face& face);
  /// How many rows it has along the last direction.
  [[nodiscard]] std::size_t rows() const;
  /// Makes room for the ends of all rows; returns where those of the first one are kept.
  double* make_ends();
  /// Keeps the ends of a row; returns where those of the next one are kept.
  double* keep_ends(const double* row, double* first) const;

  Coordinates begin_{};
  Coordinates extent_{};
  Coordinates plate_{};
  std::vector<double> cells_;  // with the layer around them
  std::vector<double> next_;   // of the same size, or empty; no part of the state
  std::vector<double> ends_;   // the first value of each row, then the last of each: copies, since
                               // in cells_ each is in a cache line of its own
};

extern template class Block<2>;
extern template class Block<3>;

}  // namespace jacobi
