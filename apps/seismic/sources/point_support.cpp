// SPDX-License-Identifier: Apache-2.0
#include "sources/point_support.hpp"

#include <cstddef>
#include <utility>

namespace seismic {
namespace {

constexpr std::size_t block_edge = 3;
constexpr std::size_t block_cells = block_edge * block_edge * block_edge;

/// The cells around and including one, [z][y][x]; -1 where there is none of its size.
using Block = std::array<CellIndex, block_cells>;

Block block_around(const Mesh& mesh, CellIndex middle) {
  const CellKey& key = mesh.cells[static_cast<std::size_t>(middle)].key;
  Block block{};
  block.fill(-1);
  for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
    const CellKey& other = mesh.cells[k].key;
    bool is_near = other.level == key.level;
    std::size_t place = 0;
    for (std::size_t axis = block_edge; axis-- > 0;) {
      const std::int32_t away = other.place[axis] - key.place[axis];
      is_near = is_near && away >= -1 && away <= 1;
      place = block_edge * place + static_cast<std::size_t>(away + 1);
    }
    if (is_near) block[place] = static_cast<CellIndex>(k);
  }
  return block;
}

bool is_one_material(const CellMaterials& materials) {
  const CellMaterial first = materials.cell(0);
  for (std::size_t k = 0; k < block_cells; ++k) {
    const CellMaterial here = materials.cell(static_cast<CellIndex>(k));
    if (here.varying != nullptr || here.metric != nullptr ||
        here.uniform.inverse_density != first.uniform.inverse_density ||
        here.uniform.lambda != first.uniform.lambda || here.uniform.mu != first.uniform.mu) {
      return false;
    }
  }
  return true;
}

}  // namespace

PointSupport::PointSupport(MaterialAtPoint material, VerticalMap map, int order)
    : surroundings_(Surroundings{std::move(material), std::move(map), order}) {}

std::vector<PointShare> PointSupport::shares(const Mesh& mesh, const Point& point) const {
  std::vector<PointShare> in_cells = locate(mesh, point);
  if (!surroundings_) return in_cells;
  std::vector<PointShare> shares;
  for (const PointShare& alone : in_cells) {
    const Block block = block_around(mesh, alone.cell);
    Mesh around;
    around.grid = mesh.grid;
    for (const CellIndex cell : block) {
      if (cell >= 0) around.cells.push_back(mesh.cells[static_cast<std::size_t>(cell)]);
    }
    if (around.cells.size() < block_cells ||
        !is_one_material(CellMaterials(around, Basis(surroundings_->order), surroundings_->material,
                                       surroundings_->map))) {
      shares.push_back(alone);
      continue;
    }
    for (std::size_t k = 0; k < block_cells; ++k) {
      PointShare share = alone;
      share.cell = block[k];
      share.is_among_neighbours = true;
      share.offset = {static_cast<int>(k % block_edge) - 1,
                      static_cast<int>(k / block_edge % block_edge) - 1,
                      static_cast<int>(k / (block_edge * block_edge)) - 1};
      shares.push_back(share);
    }
  }
  return shares;
}

}  // namespace seismic
