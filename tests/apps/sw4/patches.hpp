// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <span>
#include <vector>

#include "numerics/patch.hpp"

namespace sw4 {

/// A grid cut into patches that exchange their edges in this thread.
class Patches {
 public:
  Patches(const Grid& grid, std::array<std::int32_t, 2> blocks, const ElasticModel& model)
      : grid_(grid), blocks_(blocks) {
    for (std::int32_t y = 0; y < blocks[1]; ++y) {
      for (std::int32_t x = 0; x < blocks[0]; ++x)
        patches_.emplace_back(grid, region_of(grid, blocks, x, y), model);
    }
  }

  void step(double step, std::span<const double> rates, std::span<const double> bends) {
    for (Patch& patch : patches_) patch.predict(rates);
    exchange();
    for (Patch& patch : patches_) patch.finish_predictor();
    for (Patch& patch : patches_) patch.correct(step, bends);
    exchange();
    for (Patch& patch : patches_) patch.finish_corrector();
  }

  [[nodiscard]] std::vector<Patch>& all() { return patches_; }
  [[nodiscard]] const Grid& grid() const { return grid_; }

 private:
  void exchange() {
    for (int axis = 0; axis < 2; ++axis) {
      const std::int32_t next = axis == 0 ? 1 : blocks_[0];
      for (std::int32_t p = 0; p < blocks_[0] * blocks_[1]; ++p) {
        const bool has_upper =
            axis == 0 ? p % blocks_[0] + 1 < blocks_[0] : p / blocks_[0] + 1 < blocks_[1];
        if (!has_upper) continue;
        Patch& lower = patches_[static_cast<std::size_t>(p)];
        Patch& upper = patches_[static_cast<std::size_t>(p + next)];
        std::vector<double> values(lower.edge_size(axis));
        lower.copy_edge(axis, Side::upper, values);
        upper.set_halo(axis, Side::lower, values);
        upper.copy_edge(axis, Side::lower, values);
        lower.set_halo(axis, Side::upper, values);
      }
    }
  }

  Grid grid_;
  std::array<std::int32_t, 2> blocks_;
  std::vector<Patch> patches_;
};

}  // namespace sw4
