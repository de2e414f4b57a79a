// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace stencil3d {

/// Numbers along x, y and z; z varies fastest in memory.
using Triple = std::array<std::int64_t, 3>;

/// The cells of a box with a margin of one cell around it.
struct Box {
  Triple size{};
  std::vector<double> cells;

  explicit Box(const Triple& inside = {}) : size(inside), cells(with_margin(inside)) {}

  /// The cell at x, y, z; each from -1 to the size, both included.
  [[nodiscard]] double& at(std::int64_t x, std::int64_t y, std::int64_t z) {
    return cells[place(x, y, z)];
  }
  [[nodiscard]] double at(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return cells[place(x, y, z)];
  }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(size, cells);
  }

 private:
  [[nodiscard]] static std::size_t with_margin(const Triple& size) {
    return static_cast<std::size_t>((size[0] + 2) * (size[1] + 2) * (size[2] + 2));
  }
  [[nodiscard]] std::size_t place(std::int64_t x, std::int64_t y, std::int64_t z) const {
    return static_cast<std::size_t>(((x + 1) * (size[1] + 2) + y + 1) * (size[2] + 2) + z + 1);
  }
};

/// A Fourier mode on a periodic grid: the product of a cosine in each direction, with waves[d]
/// periods.
struct Mode {
  Triple grid{};
  Triple waves{};

  [[nodiscard]] double value(std::int64_t x, std::int64_t y, std::int64_t z) const;
  /// The factor by which a step multiplies the mode: (1 + 2 cos a + 2 cos b + 2 cos c) / 7, where
  /// a, b, c are the phase differences between neighbouring cells.
  [[nodiscard]] double decay() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(grid, waves);
  }
};

/// Sets the cells of a box, whose first one is at `origin` of the grid, to the mode.
void fill(Box& box, const Triple& origin, const Mode& mode);

/// Does one Jacobi step: each cell of `after` becomes the mean of the same cell of `before` and its
/// six neighbours, added up in the same order everywhere. The margin of `after` is not changed.
void sweep(const Box& before, Box& after);

/// The result over the cells of one or more boxes.
struct Outcome {
  /// A sum modulo 2^64 that depends on each bit of each cell, but not on the order of the terms.
  std::uint64_t fingerprint = 0;
  /// The largest difference from the mode in closed form.
  double largest_error = 0;

  friend Outcome operator+(const Outcome& a, const Outcome& b) {
    return {a.fingerprint + b.fingerprint,
            a.largest_error < b.largest_error ? b.largest_error : a.largest_error};
  }
};

[[nodiscard]] Outcome outcome_of(const Box& box, const Triple& origin, const Mode& mode,
                                 std::int64_t steps);

}  // namespace stencil3d
