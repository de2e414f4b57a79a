// SPDX-License-Identifier: Apache-2.0
#include "mesh/mesh.hpp"

#include <cstddef>
#include <stdexcept>

namespace seismic {
namespace {

class FaceFinder {
 public:
  FaceFinder(const Spacetree& tree, Mesh& mesh) : tree_(tree), mesh_(mesh) {
    for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
      index_.emplace(mesh.cells[k].key, static_cast<CellIndex>(k));
    }
  }

  void find(CellIndex cell, int direction, int side) {
    const CellKey& key = mesh_.cells[static_cast<std::size_t>(cell)].key;
    CellPlace offset{};
    offset[static_cast<std::size_t>(direction)] = side == 1 ? 1 : -1;
    const auto beside = tree_.neighbour(key, offset);
    if (!beside) {
      mesh_.boundary.push_back({cell, direction, side});
    } else if (const auto found = index_.find(*beside); found != index_.end()) {
      if (side == 1) mesh_.inner.push_back({cell, found->second, direction});
    } else if (!tree_.leaf_around(*beside)) {
      mesh_.hanging.push_back({cell, direction, side, fine_cells(*beside, direction, side)});
    }
  }

 private:
  std::array<CellIndex, 9> fine_cells(const CellKey& beside, int direction, int side) const {
    const int parts = tree_.grid().refinement;
    const auto across = static_cast<std::size_t>(direction);
    const std::size_t a = direction == 0 ? 1 : 0;
    const std::size_t b = direction == 2 ? 1 : 2;
    std::array<CellIndex, 9> result{};
    for (std::int32_t at_b = 0; at_b < parts; ++at_b) {
      for (std::int32_t at_a = 0; at_a < parts; ++at_a) {
        CellPlace place{};
        place[across] = side == 1 ? 0 : parts - 1;
        place[a] = at_a;
        place[b] = at_b;
        result[static_cast<std::size_t>(at_b * parts + at_a)] =
            index_.at(tree_.child(beside, place));
      }
    }
    return result;
  }

  const Spacetree& tree_;
  Mesh& mesh_;
  std::unordered_map<CellKey, CellIndex, CellKeyHash> index_;
};

/// Whether parts of weight `most` or less suffice; fills in where they begin.
bool cut(std::span<const double> weights, double most, std::size_t parts,
         std::vector<std::size_t>& begins) {
  begins.assign(1, 0);
  double sum = 0.0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    if (weights[k] > most) return false;
    if (sum + weights[k] > most) {
      begins.push_back(k);
      sum = 0.0;
    }
    sum += weights[k];
  }
  if (begins.size() > parts) return false;
  begins.resize(parts + 1, weights.size());
  begins[parts] = weights.size();
  return true;
}

}  // namespace

Mesh make_mesh(const Spacetree& tree) {
  Mesh mesh;
  mesh.grid = tree.grid();
  for (const CellKey& key : tree.leaves_in_order()) {
    mesh.cells.push_back({key, tree.lower_corner(key), tree.size_at(key.level)});
  }
  FaceFinder finder(tree, mesh);
  for (std::size_t cell = 0; cell < mesh.cells.size(); ++cell) {
    for (int face = 0; face < 6; ++face) {
      finder.find(static_cast<CellIndex>(cell), face / 2, face % 2);
    }
  }
  return mesh;
}

std::vector<std::size_t> partition(std::span<const double> weights, std::size_t parts) {
  if (parts == 0) throw std::invalid_argument("a mesh is cut into one part or more");
  double low = 0.0;
  double high = 0.0;
  for (const double weight : weights) high += weight;
  high *= 1.0 + 1e-12;  // the sum of any order
  std::vector<std::size_t> begins;
  for (int step = 0; step < 60; ++step) {
    const double middle = 0.5 * (low + high);
    (cut(weights, middle, parts, begins) ? high : low) = middle;
  }
  cut(weights, high, parts, begins);
  return begins;
}

}  // namespace seismic
