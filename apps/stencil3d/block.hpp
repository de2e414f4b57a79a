// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "field.hpp"

namespace stencil3d {

class Block;
using Grid = roam::collection<Block, 3>;
using Place = roam::Index<3>;

/// Parameters that all blocks share.
struct Work {
  Grid grid;
  Mode mode;
  std::int32_t repeat = 1;
  bool is_uneven = false;
  double cell_seconds = 0;  ///< in virtual time

  template <class Archive>
  void serialize(Archive& archive) {
    archive(grid, mode, repeat, is_uneven, cell_seconds);
  }
};

/// A part of the cube. Does a step when all six faces have come; a neighbour is at most one step
/// ahead, so the faces of two steps are stored. A block that is alone in a direction is its own
/// neighbour.
class Block {
 public:
  Block() = default;
  explicit Block(const Place& place) : place_(place) {}

  /// Fills the block.
  void set(const Work& work);
  /// Does steps until `steps` are done.
  void run_to(std::int64_t steps);
  /// Receives a neighbour's cells beside a face of this block (0 to 5) for step `step`.
  void take(std::int64_t step, std::int32_t face, std::vector<double> cells);
  [[nodiscard]] Outcome outcome() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place_, work_, step_, last_step_, come_, cells_, come_cells_);
  }

 private:
  static constexpr std::int32_t faces = 6;  // lower and upper of x, y, z

  [[nodiscard]] Triple origin() const;
  [[nodiscard]] Triple size() const;
  /// Number of times that the sweep of this step is computed.
  [[nodiscard]] std::int32_t sweeps() const;
  void send_faces();
  void step_if_complete();
  void step();

  Place place_{};
  Work work_;
  std::int64_t step_ = 0;               // steps done
  std::int64_t last_step_ = 0;          // steps to be done
  std::array<std::int32_t, 2> come_{};  // faces that have come, by the parity of the step
  Box cells_;
  std::array<std::array<std::vector<double>, faces>, 2> come_cells_;
};

}  // namespace stencil3d
