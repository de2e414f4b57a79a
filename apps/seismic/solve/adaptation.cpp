// SPDX-License-Identifier: Apache-2.0
#include "solve/adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace seismic {
namespace {

using CellOfKey = std::unordered_map<CellKey, CellIndex, CellKeyHash>;

CellOfKey index_of(const Mesh& mesh) {
  CellOfKey result;
  for (std::size_t k = 0; k < mesh.cells.size(); ++k) {
    result.emplace(mesh.cells[k].key, static_cast<CellIndex>(k));
  }
  return result;
}

/// out[z][y][x] (+)= sum over i, j, k of mz[z][k] my[y][j] mx[x][i] in[k][j][i], for all
/// quantities.
class TensorProduct {
 public:
  explicit TensorProduct(const Layout& layout)
      : layout_(layout),
        first_(static_cast<std::size_t>(layout.volume())),
        second_(static_cast<std::size_t>(layout.volume())) {}

  void add(const double* mx, const double* my, const double* mz, const double* in, double* out) {
    for (int q = 0; q < quantities; ++q) {
      const int offset = q * layout_.quantity();
      along(mx, 1, in + offset, first_.data(), false);
      along(my, layout_.row(), first_.data(), second_.data(), false);
      along(mz, layout_.plane(), second_.data(), out + offset, true);
    }
  }

 private:
  /// One direction, whose nodes lie `stride` apart.
  void along(const double* matrix, int stride, const double* in, double* out, bool adds) const {
    const int n = layout_.nodes;
    for (int z = 0; z < n; ++z) {
      for (int y = 0; y < n; ++y) {
        for (int x = 0; x < n; ++x) {
          const int node = layout_.at(x, y, z);
          const int own = stride == 1 ? x : stride == layout_.row() ? y : z;
          double sum = 0.0;
          for (int k = 0; k < n; ++k) sum += matrix[own * n + k] * in[node + (k - own) * stride];
          out[node] = adds ? out[node] + sum : sum;
        }
      }
    }
  }

  Layout layout_;
  std::vector<double> first_;
  std::vector<double> second_;
};

}  // namespace

double greatest_velocity(const Solver& solver, CellIndex cell) {
  const Layout& layout = solver.kernels().layout;
  const double* state = solver.state(cell);
  double greatest = 0.0;
  for (int component = 0; component < 3; ++component) {
    for (int k = 0; k < layout.volume(); ++k) {
      greatest = std::max(greatest, std::abs(state[component * layout.quantity() + k]));
    }
  }
  return greatest;
}

bool adapt(Spacetree& tree, const Solver& solver, const AdaptRule& rule, const WantedLevel& least) {
  const auto& cells = solver.mesh().cells;
  std::unordered_map<CellKey, int, CellKeyHash> quiet;  // children below the lower limit, by parent
  std::vector<CellKey> loud;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const CellKey& key = cells[k].key;
    const double velocity = greatest_velocity(solver, static_cast<CellIndex>(k));
    if (velocity > rule.divide_above && key.level < rule.levels) loud.push_back(key);
    if (velocity < rule.join_below && key.level > 0) ++quiet[tree.parent(key)];
  }
  // In the order of the curve, so that the mesh does not depend on hash tables.
  const int children = tree.grid().refinement * tree.grid().refinement * tree.grid().refinement;
  bool has_changed = false;
  for (const Cell& cell : cells) {
    if (cell.key.level == 0) continue;
    const CellKey parent = tree.parent(cell.key);
    const auto found = quiet.find(parent);
    if (found == quiet.end() || found->second != children) continue;
    quiet.erase(found);
    if (least(tree.lower_corner(parent), tree.size_at(parent.level)) > parent.level) continue;
    has_changed = tree.join(parent) || has_changed;
  }
  for (const CellKey& key : loud) {
    has_changed = has_changed || tree.is_leaf(key);
    tree.divide(key);
  }
  return has_changed;
}

void transfer(const Solver& from, Solver& to) {
  const int refinement = from.mesh().grid.refinement;
  std::vector<PartOperators> parts;
  for (int part = 0; part < refinement; ++part) {
    parts.push_back(make_part_operators(from.basis(), part, refinement));
  }
  const auto part = [&](std::int32_t place) -> const PartOperators& {
    return parts[static_cast<std::size_t>(place % refinement)];
  };
  const auto parent = [&](CellKey key) {
    --key.level;
    for (std::int32_t& at : key.place) at /= refinement;
    return key;
  };
  const CellOfKey old_cells = index_of(from.mesh());
  const CellOfKey new_cells = index_of(to.mesh());
  TensorProduct product(from.kernels().layout);
  for (const auto& [key, cell] : new_cells) {
    if (const auto same = old_cells.find(key); same != old_cells.end()) {
      std::copy_n(from.state(same->second), from.kernels().layout.cell(), to.state(cell));
    } else if (const auto around = old_cells.find(parent(key)); around != old_cells.end()) {
      product.add(part(key.place[0]).interpolate.data(), part(key.place[1]).interpolate.data(),
                  part(key.place[2]).interpolate.data(), from.state(around->second),
                  to.state(cell));
    }
  }
  // In the order of the old mesh, so that sums of a joined cell have an order.
  for (std::size_t k = 0; k < from.mesh().cells.size(); ++k) {
    const CellKey& key = from.mesh().cells[k].key;
    if (key.level == 0) continue;
    const auto joined = new_cells.find(parent(key));
    if (joined == new_cells.end()) continue;
    product.add(part(key.place[0]).project.data(), part(key.place[1]).project.data(),
                part(key.place[2]).project.data(), from.state(static_cast<CellIndex>(k)),
                to.state(joined->second));
  }
}

}  // namespace seismic
