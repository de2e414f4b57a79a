// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "mesh/mesh.hpp"
#include "model/vertical_map.hpp"

namespace seismic {

/// The wave field at one time. Each cell has `points` points in each direction, its ends included,
/// of its own: at faces the field may jump.
struct Snapshot {
  int points = 2;
  std::vector<float> velocity;      ///< [cell][z][y][x][component], m/s
  std::vector<std::int32_t> piece;  ///< of each cell
  std::vector<std::int32_t> rank;   ///< of each cell
};

/// Writes a VTK file (.vtu, version 1.0, raw data appended): hexahedra between the points, with the
/// points' velocity and the cells' level, piece and rank. z counts downwards, as in the mesh.
/// Throws std::runtime_error if it cannot be written completely. Blocks.
void write_vtu(const std::filesystem::path& file, const Mesh& mesh, const VerticalMap& map,
               const Snapshot& snapshot);

/// One file of a series.
struct SeriesEntry {
  double time;  ///< s
  std::string file;
};
/// The list of a series (.pvd), which ParaView opens.
void write_pvd(const std::filesystem::path& file, const std::vector<SeriesEntry>& series);

}  // namespace seismic
