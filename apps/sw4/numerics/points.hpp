// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "numerics/extent.hpp"
#include "numerics/grid.hpp"

namespace sw4 {

/// What a source does at one point of a patch: the force density over the source's rate, N s / m^3.
struct PointForce {
  std::ptrdiff_t at = 0;
  std::int32_t source = 0;
  std::array<double, 3> force{};

  template <class Archive>
  void serialize(Archive& archive) {
    archive(at, source, force[0], force[1], force[2]);
  }
};

/// A receiver that a patch reads: the one that has the column next to it.
struct PatchReceiver {
  std::int32_t receiver = 0;
  std::ptrdiff_t at = 0;  ///< the first of 5 x 5 x 5 points
  std::array<std::array<double, 5>, 3> weights{};

  /// The field at the receiver.
  [[nodiscard]] std::array<double, 3> read(const Extent& extent, const double* field) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(receiver, at);
    for (auto& direction : weights) {
      for (double& weight : direction) archive(weight);
    }
  }
};

/// The forces of moment tensor number `source` (xx, yy, zz, xy, xz, yz; N m) at `position` in the
/// region's own points: -div(M delta), the delta function by source_weights(), over the norm near
/// the surface.
[[nodiscard]] std::vector<PointForce> forces_of(const Grid& grid, const Region& region,
                                                std::int32_t source, const Point& position,
                                                const std::array<double, 6>& moment);

/// The region's receivers among those at `positions`, which lie inside of the grid.
[[nodiscard]] std::vector<PatchReceiver> receivers_of(const Grid& grid, const Region& region,
                                                      const std::vector<Point>& positions);

}  // namespace sw4
