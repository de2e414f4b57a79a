// SPDX-License-Identifier: Apache-2.0
// Lennard-Jones atoms in cells: forces, energies and motion against what is known without cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <numbers>
#include <random>
#include <vector>

#include "molecular_dynamics/cells.hpp"
#include "molecular_dynamics/forces.hpp"
#include "molecular_dynamics/lennard_jones.hpp"
#include "molecular_dynamics/serial_run.hpp"
#include "molecular_dynamics/xyz.hpp"

namespace md::physics_test {

/// Forces of all atoms by cells, as a Reference in the order of `atoms`.
Reference forces_by_cells(const LennardJones& potential, const Cells& cells,
                          const std::vector<Vec3>& atoms) {
  const auto number_of_cells = static_cast<std::size_t>(cells.count());
  std::vector<std::vector<Vec3>> positions(number_of_cells);
  std::vector<std::vector<std::size_t>> members(number_of_cells);
  const auto place = [&cells](double x, std::size_t d) {
    const auto last = cells.extent()[d] - 1;
    return std::min(static_cast<std::int64_t>(x / cells.edge()), last);
  };
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const CellIndex at{place(atoms[i].x, 0), place(atoms[i].y, 1), place(atoms[i].z, 2)};
    const auto cell = static_cast<std::size_t>(cells.number_of(at));
    positions[cell].push_back(atoms[i]);
    members[cell].push_back(i);
  }
  std::vector<std::vector<Vec3>> forces;
  for (const auto& of_cell : positions) forces.emplace_back(of_cell.size());
  Reference result;
  for (std::size_t own = 0; own < number_of_cells; ++own) {
    result.energy += add_forces_inside(potential, positions[own], forces[own]);
    for (std::int64_t k = 1; k < cells.computations(); ++k) {
      const auto [index, shift] = cells.other_of(cells.index_of(static_cast<std::int64_t>(own)), k);
      const auto other = static_cast<std::size_t>(cells.number_of(index));
      result.energy += add_forces_between(potential, positions[own], positions[other], shift,
                                          forces[own], forces[other]);
    }
  }
  result.forces.resize(atoms.size());
  for (std::size_t cell = 0; cell < number_of_cells; ++cell) {
    for (std::size_t i = 0; i < members[cell].size(); ++i) {
      result.forces[members[cell][i]] = forces[cell][i];
    }
  }
  return result;
}

void expect_equal(const Reference& by_cells, const Reference& all_pairs) {
  EXPECT_NEAR(by_cells.energy, all_pairs.energy, 1e-12 * std::abs(all_pairs.energy));
  double largest = 1;
  for (const Vec3& force : all_pairs.forces)
    largest = std::max(largest, std::sqrt(dot(force, force)));
  ASSERT_EQ(by_cells.forces.size(), all_pairs.forces.size());
  for (std::size_t i = 0; i < all_pairs.forces.size(); ++i) {
    const Vec3 error = by_cells.forces[i] - all_pairs.forces[i];
    EXPECT_LE(std::sqrt(dot(error, error)), 1e-12 * largest) << "atom " << i;
  }
}

/// Atoms near the sites of a cubic lattice.
std::vector<Vec3> disordered(const Vec3& box, std::int64_t side, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto coordinate = [&](std::int64_t site, double length) {
    const double off = 0.3 * static_cast<double>(random() >> 11) * 0x1.0p-53;
    return (static_cast<double>(site) + 0.35 + off) * length / static_cast<double>(side);
  };
  std::vector<Vec3> atoms;
  for (std::int64_t n = 0; n < side * side * side; ++n) {
    const double x = coordinate(n / (side * side), box.x);
    const double y = coordinate(n / side % side, box.y);
    const double z = coordinate(n % side, box.z);
    atoms.push_back({x, y, z});
  }
  return atoms;
}

TEST(Forces, are_those_of_all_pairs) {
  const LennardJones potential(2.5, Truncation::shifted_force);
  // The fewest cells whose box is twice the cut-off, cells that reach twice as far, unequal sides.
  for (const auto& [extent, edge, away] : {std::tuple{CellIndex{2, 2, 2}, 2.6, 1},
                                           {CellIndex{4, 4, 4}, 1.3, 2},
                                           {CellIndex{3, 4, 5}, 2.5, 1},
                                           {CellIndex{1, 1, 1}, 5.5, 1},
                                           {CellIndex{2, 5, 9}, 2.5, 1}}) {
    const Cells cells(extent, edge, away);
    const std::vector<Vec3> atoms = disordered(cells.box(), 6, 7);
    SCOPED_TRACE(edge);
    const Reference all = forces_of_all_pairs(potential, atoms, cells.box());
    expect_equal(forces_by_cells(potential, cells, atoms), all);
  }
}

TEST(Forces, are_the_slope_of_the_energy) {
  for (const Truncation truncation : {Truncation::plain, Truncation::shifted_force}) {
    const LennardJones potential(2.5, truncation);
    for (const double r : {0.9, 1.0, 1.12, 1.5, 2.0, 2.4}) {
      const double h = 1e-5;
      const double slope =
          (potential.pair((r + h) * (r + h)).energy - potential.pair((r - h) * (r - h)).energy) /
          (2 * h);
      const double force = r * potential.pair(r * r).force_over_distance;
      EXPECT_NEAR(-slope, force, 1e-7 * (1 + std::abs(force))) << r;
    }
  }
}

TEST(Forces, of_the_shifted_potential_end_at_the_cut_off) {
  const LennardJones potential(2.5, Truncation::shifted_force);
  const LennardJones::Pair there = potential.pair(potential.cutoff_squared());
  EXPECT_NEAR(there.energy, 0, 1e-15);
  EXPECT_NEAR(there.force_over_distance, 0, 1e-15);
}

/// The icosahedron of 13 atoms at the least energy; twelve are at distance 1 from the middle.
std::vector<Vec3> icosahedron() {
  std::vector<Vec3> atoms{{}};
  const double golden = std::numbers::phi;
  const double scale = 1 / std::sqrt(1 + golden * golden);
  for (const double a : {-scale, scale}) {
    for (const double b : {-golden * scale, golden * scale}) {
      atoms.push_back({0, a, b});
      atoms.push_back({a, b, 0});
      atoms.push_back({b, 0, a});
    }
  }
  double sixth = 0;
  double twelfth = 0;
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Vec3 apart = atoms[i] - atoms[j];
      sixth += std::pow(dot(apart, apart), -3);
      twelfth += std::pow(dot(apart, apart), -6);
    }
  }
  const double radius = std::pow(2 * twelfth / sixth, 1.0 / 6);
  for (Vec3& atom : atoms) atom = radius * atom;
  return atoms;
}

// Its energy is -44.326801 (J. P. K. Doye and D. J. Wales, The Cambridge Cluster Database; first
// given by M. R. Hoare and P. Pal, Adv. Phys. 20, 161, 1971).
TEST(Energy, of_the_icosahedron_of_13_atoms) {
  std::vector<Vec3> atoms = icosahedron();
  const Cells cells({3, 3, 3}, 5, 1);  // within reach: all of it, and no image
  for (Vec3& atom : atoms) atom += Vec3{7, 7.5, 8.1};
  const LennardJones potential(5, Truncation::plain);
  const Reference result = forces_by_cells(potential, cells, atoms);
  EXPECT_NEAR(result.energy, -44.326801, 5e-7);
  for (const Vec3& force : result.forces) EXPECT_LE(std::sqrt(dot(force, force)), 1e-11);
}

// NIST Standard Reference Simulation Website, Lennard-Jones Fluid Reference Calculations: Cuboid
// Cell, configuration 4 (30 atoms, box of 8): energy at cut-off 3 and what it leaves out. The file
// is NIST's and no part of the repository, so the test is skipped where nobody has put it.
TEST(Energy, of_a_configuration_of_nist) {
  const char* const elsewhere = std::getenv("NIST_LJ_CONFIGURATION");
  const std::string path = elsewhere != nullptr ? elsewhere : NIST_LJ_CONFIGURATION;
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << ", which is not part of the repository, is not there";
  Configuration configuration = read_configuration(path);
  ASSERT_EQ(configuration.atoms.size(), 30U);
  ASSERT_EQ(configuration.box, (Vec3{8, 8, 8}));
  for (Vec3& atom : configuration.atoms) atom += Vec3{4, 4, 4};
  const LennardJones potential(3, Truncation::plain);
  const Cells cells({2, 2, 2}, 4, 1);
  const Reference by_cells = forces_by_cells(potential, cells, configuration.atoms);
  EXPECT_NEAR(by_cells.energy, -16.790321304625856, 1e-11);
  EXPECT_NEAR(potential.tail_energy(30, 512), -0.5451660014945704, 1e-14);
  expect_equal(by_cells, forces_of_all_pairs(potential, configuration.atoms, configuration.box));
}

/// 512 atoms in 8 cells.
Model liquid(double step) {
  Model model;
  model.filling = {Density::uniform, 64, 64, 1.0, 3};
  model.cells = Cells({2, 2, 2}, std::cbrt(64 / 0.7), 1);
  model.step = step;
  model.migration_interval = 5;
  return model;
}

double largest_energy_error(double step, std::int64_t steps) {
  SerialRun run(liquid(step));
  run.run(steps);
  const std::vector<Energy> energies = run.energies();
  double largest = 0;
  for (const Energy& energy : energies) {
    largest = std::max(largest, std::abs(energy.sum() - energies.front().sum()));
  }
  return largest / 512;
}

TEST(Motion, has_a_fourth_of_the_energy_error_at_half_the_step) {
  const double whole = largest_energy_error(0.004, 100);
  const double half = largest_energy_error(0.002, 200);
  EXPECT_LT(whole, 1e-3);
  EXPECT_GT(whole / half, 3.5);
  EXPECT_LT(whole / half, 4.5);
}

TEST(Motion, keeps_momentum_and_atoms) {
  SerialRun run(liquid(0.004));
  EXPECT_EQ(momentum(run.all_atoms()), Vec3{});
  run.run(100);
  std::vector<Atom> atoms = run.all_atoms();
  EXPECT_LE(std::sqrt(dot(momentum(atoms), momentum(atoms))), 1e-12);
  ASSERT_EQ(atoms.size(), 512U);
  std::ranges::sort(atoms, {}, &Atom::id);
  EXPECT_EQ(std::ranges::adjacent_find(atoms, {}, &Atom::id), atoms.end());
}

TEST(Motion, has_the_forces_of_all_pairs_after_atoms_have_changed_cells) {
  Model model = liquid(0.004);
  model.filling.temperature = 4;
  SerialRun run(model);
  run.run(120);
  const std::vector<Vec3> atoms = positions_of(run.all_atoms());
  const Reference all = forces_of_all_pairs(model.potential(), atoms, model.cells.box());
  EXPECT_NEAR(run.energies().back().potential, all.energy, 1e-12 * std::abs(all.energy));
  std::size_t elsewhere = 0;
  for (const CellState& cell : run.cells()) {
    for (const Atom& atom : cell.atoms()) {
      elsewhere += Filling::first_cell_of(atom) != model.cells.number_of(cell.index()) ? 1 : 0;
    }
  }
  EXPECT_GT(elsewhere, 10U);
}

TEST(Motion, refuses_steps_in_which_atoms_go_too_far) {
  Model model = liquid(0.1);
  model.migration_interval = 1000;
  SerialRun run(model);
  EXPECT_THROW(run.run(200), std::runtime_error);
}

TEST(Fillings, have_the_atoms_that_they_are_after) {
  const Cells cells({4, 4, 4}, 8, 1);
  const Filling gradient{Density::gradient, 100, 250, 1, 1};
  EXPECT_EQ(gradient.atoms_in(cells, {0, 3, 1}), 100);
  EXPECT_EQ(gradient.atoms_in(cells, {1, 0, 0}), 150);
  EXPECT_EQ(gradient.atoms_in(cells, {3, 2, 2}), 250);
  const Filling clump{Density::clump, 100, 250, 1, 1};
  EXPECT_GT(clump.atoms_in(cells, {1, 2, 1}), 150);
  EXPECT_LT(clump.atoms_in(cells, {0, 0, 0}), 105);
  EXPECT_EQ(gradient.atoms_of(cells, {3, 0, 0}).size(), 250U);
}

}  // namespace md::physics_test
