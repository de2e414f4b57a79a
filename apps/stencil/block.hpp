// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cereal/types/array.hpp>
#include <cstdint>
#include <roam/roam.hpp>
#include <vector>

#include "settings.hpp"

namespace stencil {

class Block;
using Grid = roam::collection<Block, 2>;
using Place = roam::Index<2>;

/// The initial temperature: hot at one side, cold at the others.
[[nodiscard]] double first_value(std::int64_t row, std::int64_t column);
[[nodiscard]] double border_value(std::int64_t row);

/// A checksum that depends on each cell's position and value, but not on the order of the terms.
[[nodiscard]] std::uint64_t fingerprint(std::int64_t row, std::int64_t column, double value);

/// A square of the plate with a margin for its neighbours' cells. Does a step when all four edges
/// have come; a neighbour is at most one step ahead, so the margins of two steps are stored.
class Block {
 public:
  Block() = default;
  explicit Block(const Place& place) : place_(place) {}

  /// Fills the block and sends its edges.
  void start(Grid grid, std::int32_t blocks, std::int32_t side, std::int32_t steps,
             double cell_seconds);
  /// Receives a neighbour's edge at `edge` of this block (0 to 3) for step `step`.
  void take(std::int32_t step, std::int32_t edge, std::vector<double> cells);
  [[nodiscard]] std::uint64_t fingerprint_of_all();

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place_, grid_, blocks_, side_, steps_, step_, cell_seconds_, come_, cells_, margins_);
  }

 private:
  static constexpr std::int32_t edges = 4;  // upper, lower, left, right

  [[nodiscard]] double& cell(std::int32_t row, std::int32_t column) {
    return cells_[static_cast<std::size_t>(row * (side_ + 2) + column)];
  }
  /// The k-th cell of an edge: inside of the block, or in its margin.
  [[nodiscard]] double& edge_cell(std::int32_t edge, std::int32_t k, bool is_inside);
  [[nodiscard]] bool has_neighbour(std::int32_t edge) const;
  void send_edges();
  void step_if_complete();
  void step();

  Place place_{};
  Grid grid_;
  std::int32_t blocks_ = 0;
  std::int32_t side_ = 0;
  std::int32_t steps_ = 0;  // steps to be done; 0: not started
  std::int32_t step_ = 0;   // steps done
  double cell_seconds_ = 0;
  std::array<std::int32_t, 2> come_{};  // edges that have come, by the parity of the step
  std::vector<double> cells_;           // including the margin
  std::array<std::array<std::vector<double>, edges>, 2> margins_;
};

}  // namespace stencil
