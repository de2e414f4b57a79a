// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>

#include "model/grid_axis.hpp"
#include "model/line_reader.hpp"

namespace seismic {

/// The first lines of an ESRI ASCII grid.
struct EsriHead {
  std::array<std::size_t, 2> count{};  ///< columns along x, rows along y
  std::array<double, 2> size{};        ///< of a cell, m
  std::array<double, 2> lowest{};  ///< x and y of the south-western cell's middle, or its corner
  std::array<bool, 2> is_corner{};
  bool has_no_data = false;
  double no_data = 0.0;  ///< stands where there is no value

  [[nodiscard]] static bool begins_with(const std::string& line);
  /// Reads up to the first line of values, at which the reader is then. Throws LineError.
  [[nodiscard]] static EsriHead read(LineReader& reader);

  /// The middles of columns or rows, ascending.
  [[nodiscard]] GridAxis axis(std::size_t d) const;
  /// How far cells reach beyond the outermost middles; nothing where the grid is one of points.
  [[nodiscard]] std::array<double, 2> margin() const;
};

}  // namespace seismic
