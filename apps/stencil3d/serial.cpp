// SPDX-License-Identifier: Apache-2.0
#include "serial.hpp"

#include <utility>

namespace stencil3d {

namespace {

/// Fills the margin of a box that is its own neighbour on all sides. Its edges and corners are not
/// used.
void wrap(Box& box) {
  const auto [nx, ny, nz] = box.size;
  for (std::int64_t y = 0; y < ny; ++y) {
    for (std::int64_t z = 0; z < nz; ++z) {
      box.at(-1, y, z) = box.at(nx - 1, y, z);
      box.at(nx, y, z) = box.at(0, y, z);
    }
  }
  for (std::int64_t x = 0; x < nx; ++x) {
    for (std::int64_t z = 0; z < nz; ++z) {
      box.at(x, -1, z) = box.at(x, ny - 1, z);
      box.at(x, ny, z) = box.at(x, 0, z);
    }
    for (std::int64_t y = 0; y < ny; ++y) {
      box.at(x, y, -1) = box.at(x, y, nz - 1);
      box.at(x, y, nz) = box.at(x, y, 0);
    }
  }
}

}  // namespace

Outcome serial_outcome(const Settings& settings) {
  const Mode mode{settings.cells, settings.waves};
  Box cells(settings.cells);
  Box after(settings.cells);
  fill(cells, {}, mode);
  for (std::int64_t step = 0; step < settings.steps; ++step) {
    wrap(cells);
    sweep(cells, after);
    std::swap(cells, after);
  }
  return outcome_of(cells, {}, mode, settings.steps);
}

}  // namespace stencil3d
