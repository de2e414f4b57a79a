// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/filling.hpp"

#include <algorithm>
#include <cmath>

#include "molecular_dynamics/draws.hpp"

namespace md {

namespace {

/// Larger than the number of atoms in any cell.
constexpr std::int64_t ids_of_cell = std::int64_t{1} << 24;

}  // namespace

std::int64_t Filling::first_cell_of(const Atom& atom) { return atom.id / ids_of_cell; }

std::int64_t Filling::atoms_in(const Cells& cells, const CellIndex& cell) const {
  const auto range = static_cast<double>(most - least);
  double share = 0;
  if (density == Density::gradient && cells.extent()[0] > 1) {
    share = static_cast<double>(cell[0]) / static_cast<double>(cells.extent()[0] - 1);
  }
  if (density == Density::clump) {
    double squared = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      const auto length = static_cast<double>(cells.extent()[d]);
      const double from_middle = (static_cast<double>(cell[d]) + 0.5) / length - 0.5;
      squared += from_middle * from_middle;
    }
    share = std::exp(-16 * squared);
  }
  return least + std::llround(range * share);
}

std::vector<Atom> Filling::atoms_of(const Cells& cells, const CellIndex& cell) const {
  const std::int64_t count = atoms_in(cells, cell);
  std::int64_t side = 1;
  while (side * side * side < count) ++side;
  const std::int64_t sites = side * side * side;
  const double spacing = cells.edge() / static_cast<double>(side);
  const std::int64_t number = cells.number_of(cell);
  Draws draws(seed * 0x9e3779b97f4a7c15ULL + static_cast<std::uint64_t>(number));
  const double width = std::sqrt(temperature);
  const auto coordinate = [&](std::size_t d, std::int64_t site) {
    return static_cast<double>(cell[d]) * cells.edge() +
           (static_cast<double>(site) + 0.5) * spacing;
  };
  std::vector<Atom> atoms(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t site = i * sites / count;
    Atom& atom = atoms[static_cast<std::size_t>(i)];
    atom.id = number * ids_of_cell + i;
    atom.position = {coordinate(0, site / (side * side)), coordinate(1, site / side % side),
                     coordinate(2, site % side)};
    if (i % 2 == 0) continue;
    atom.velocity = width * draws.normal_vector();
    atoms[static_cast<std::size_t>(i - 1)].velocity = -1 * atom.velocity;
  }
  return atoms;
}

}  // namespace md
