// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "parallel/run_settings.hpp"
#include "solve/patch.hpp"
#include "solve/receivers.hpp"

namespace seismic {

/// The pixels of pictures of the surface, z = the mesh's top.
struct Raster {
  std::array<std::int32_t, 2> count{};  ///< along x and y
  double pixel = 0.0;                   ///< m

  [[nodiscard]] std::size_t pixels() const {
    return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]);
  }
};
[[nodiscard]] Raster make_raster(const Settings& settings);

/// Samples between two pictures that are to be `seconds` apart, 1 or more; 0: there are none.
[[nodiscard]] std::int64_t samples_between(double seconds, double sampling);

/// A pixel, by the cell whose surface it lies on: the value in its middle.
struct SurfacePixel {
  std::int32_t number;  ///< y * count[0] + x
  ReceiverPart value;
};
/// The pixels of a patch's own cells.
[[nodiscard]] std::vector<SurfacePixel> surface_pixels(const Raster& raster, const Patch& patch);

/// Points of a cell in each direction, its ends included, that snapshots have.
inline constexpr int snapshot_points = 3;
/// Velocity there: [z][y][x][component], m/s.
[[nodiscard]] std::vector<float> snapshot_of(const Basis& basis, const double* state);

}  // namespace seismic
