// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>

namespace prk_pic {

/// How many particles the columns of cells have at first.
enum class Distribution : std::int32_t { geometric, sinusoidal, linear, patch };

/// A fault that a run is given in order to see that the checks find it.
enum class Plant : std::int32_t { none, displaced, lost, doubled };

/// Directions: 0 is x, 1 is y, and `nowhere` means that no particle may leave its patch any more.
inline constexpr int nowhere = 2;

/// The problem and how it is cut. Plain bytes. Lengths are in cells, times in steps.
struct Problem {
  std::int64_t steps = 0;      ///< timed ones; one more comes before them
  std::int64_t grid = 0;       ///< cells in each direction, an even number
  std::int64_t particles = 0;  ///< numbered from 1 on
  std::int64_t k = 0;          ///< a particle moves 2 k + 1 cells to the right in each step
  std::int64_t m = 0;          ///< and this many upwards
  Distribution distribution = Distribution::geometric;
  double rho = 1;                       ///< geometric: each column has rho times that of its left
  double alpha = 0;                     ///< linear: column x has beta - alpha x / (grid - 1)
  double beta = 1;                      ///< times a constant
  std::array<std::int64_t, 2> first{};  ///< patch: the lowest column and row with particles,
  std::array<std::int64_t, 2> last{};   ///< and the highest
  std::array<std::int64_t, 2> patches{16, 4};
  Plant plant = Plant::none;

  /// The cells that a particle moves in each step, in each direction.
  [[nodiscard]] std::array<std::int64_t, 2> displacement() const { return {2 * k + 1, m}; }
  /// The first cell of a patch in direction d; patch number patches[d] is the end of the grid.
  [[nodiscard]] std::int64_t begin_of(int d, std::int64_t patch) const {
    return patch * grid / patches[static_cast<std::size_t>(d)];
  }
  /// The patch in direction d that has this cell.
  [[nodiscard]] std::int64_t patch_of(int d, std::int64_t cell) const {
    return ((cell + 1) * patches[static_cast<std::size_t>(d)] - 1) / grid;
  }
  /// The most patches that a particle passes in one step in direction d, on the shorter way around
  /// the periodic grid.
  [[nodiscard]] std::int64_t hops(int d) const;
  /// Name and parameters of the distribution, as on the command line.
  [[nodiscard]] std::string distribution_words() const;
  /// Throws std::invalid_argument if the benchmark does not allow these values.
  void check() const;
};

}  // namespace prk_pic
