// SPDX-License-Identifier: Apache-2.0
#include "solve/adaptation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <unordered_map>
#include <vector>

namespace seismic {
namespace {

CellKey parent_of(CellKey key, int refinement) {
  --key.level;
  for (std::int32_t& at : key.place) at /= refinement;
  return key;
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

double greatest_velocity(const Layout& layout, const double* state) {
  double greatest = 0.0;
  for (int component = 0; component < 3; ++component) {
    for (int k = 0; k < layout.volume(); ++k) {
      greatest = std::max(greatest, std::abs(state[component * layout.quantity() + k]));
    }
  }
  return greatest;
}

bool adapt(Spacetree& tree, const Mesh& mesh, std::span<const double> velocities,
           const AdaptRule& rule, const WantedLevel& least) {
  const auto& cells = mesh.cells;
  std::unordered_map<CellKey, int, CellKeyHash> quiet;  // children below the lower limit, by parent
  std::vector<CellKey> loud;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const CellKey& key = cells[k].key;
    if (velocities[k] > rule.divide_above && key.level < rule.levels) loud.push_back(key);
    if (velocities[k] < rule.join_below && key.level > 0) ++quiet[tree.parent(key)];
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

bool adapt(Spacetree& tree, const Solver& solver, const AdaptRule& rule, const WantedLevel& least) {
  std::vector<double> velocities;
  for (std::size_t k = 0; k < solver.mesh().cells.size(); ++k) {
    velocities.push_back(
        greatest_velocity(solver.kernels().layout, solver.state(static_cast<CellIndex>(k))));
  }
  return adapt(tree, solver.mesh(), velocities, rule, least);
}

Transfer::Transfer(const Mesh& from, const Mesh& to, const Basis& basis)
    : from_(from), to_(to), layout_{basis.nodes()} {
  for (int part = 0; part < from.grid.refinement; ++part) {
    parts_.push_back(make_part_operators(basis, part, from.grid.refinement));
  }
  for (std::size_t k = 0; k < from.cells.size(); ++k) {
    old_cells_.emplace(from.cells[k].key, static_cast<CellIndex>(k));
  }
}

std::vector<CellIndex> Transfer::origins(CellIndex cell) const {
  const CellKey& key = to_.cells[static_cast<std::size_t>(cell)].key;
  if (const auto same = old_cells_.find(key); same != old_cells_.end()) return {same->second};
  const int refinement = from_.grid.refinement;
  if (key.level > 0) {
    const auto around = old_cells_.find(parent_of(key, refinement));
    if (around != old_cells_.end()) return {around->second};
  }
  std::vector<CellIndex> children;
  CellKey child{key.level + 1, {}};
  for (int k = 0; k < refinement * refinement * refinement; ++k) {
    child.place = {key.place[0] * refinement + k % refinement,
                   key.place[1] * refinement + k / refinement % refinement,
                   key.place[2] * refinement + k / (refinement * refinement)};
    children.push_back(old_cells_.at(child));
  }
  std::sort(children.begin(), children.end());
  return children;
}

void Transfer::fill(CellIndex cell, std::span<const double* const> states, double* out) const {
  const std::vector<CellIndex> from = origins(cell);
  const CellKey& key = to_.cells[static_cast<std::size_t>(cell)].key;
  const auto part = [&](std::int32_t place) -> const PartOperators& {
    return parts_[static_cast<std::size_t>(place) % parts_.size()];
  };
  TensorProduct product(layout_);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const CellKey& old = from_.cells[static_cast<std::size_t>(from[k])].key;
    if (old.level == key.level) {
      std::copy_n(states[k], layout_.cell(), out);
    } else if (old.level < key.level) {
      product.add(part(key.place[0]).interpolate.data(), part(key.place[1]).interpolate.data(),
                  part(key.place[2]).interpolate.data(), states[k], out);
    } else {
      product.add(part(old.place[0]).project.data(), part(old.place[1]).project.data(),
                  part(old.place[2]).project.data(), states[k], out);
    }
  }
}

void transfer(const Solver& from, Solver& to) {
  const Transfer transfer(from.mesh(), to.mesh(), from.basis());
  for (std::size_t k = 0; k < to.mesh().cells.size(); ++k) {
    const auto cell = static_cast<CellIndex>(k);
    std::vector<const double*> states;
    for (const CellIndex origin : transfer.origins(cell)) states.push_back(from.state(origin));
    transfer.fill(cell, states, to.state(cell));
  }
}

}  // namespace seismic
