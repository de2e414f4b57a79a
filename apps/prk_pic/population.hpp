// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "problem.hpp"

namespace prk_pic {

/// A particle with unit mass.
struct Particle {
  std::int64_t id = 0;
  double x = 0;  ///< in cells, 0 <= x < grid
  double y = 0;
  double vx = 0;  ///< in cells per step
  double vy = 0;
  double charge = 0;
};

/// The charge of a mesh point, which depends on its column alone: even columns attract what odd
/// ones repel.
[[nodiscard]] inline double mesh_charge(std::int64_t column) {
  return column % 2 == 0 ? 1.0 : -1.0;
}

/// Which particles are where at first. Particles are numbered by columns, and within a column by
/// rows; the column's share of all particles is that of the distribution, rounded so that exactly
/// as many exist as are asked for. Each begins in the middle of a cell.
class Population {
 public:
  Population() = default;
  explicit Population(const Problem& problem);
  /// The number of the first particle of a cell; the next cell's first follows its last.
  [[nodiscard]] std::int64_t first_of(std::int64_t column, std::int64_t row) const;
  /// The initial state of a particle. Its charge is such that the forces of the mesh move it by 2 k
  /// + 1 cells in each step.
  [[nodiscard]] Particle start(std::int64_t id) const;
  /// Where a particle is after so many steps: the analytic solution. Returns x and y.
  [[nodiscard]] std::array<double, 2> place(std::int64_t id, std::int64_t steps) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(problem_, first_of_column_);
  }

 private:
  /// Column and row of a particle.
  [[nodiscard]] std::array<std::int64_t, 2> cell_of(std::int64_t id) const;
  [[nodiscard]] std::int64_t row_begin() const;
  [[nodiscard]] std::int64_t row_count() const;

  Problem problem_;
  std::vector<std::int64_t> first_of_column_;  // grid + 1 numbers
};

}  // namespace prk_pic
