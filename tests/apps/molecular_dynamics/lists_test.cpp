// SPDX-License-Identifier: Apache-2.0
// Lennard-Jones atoms with neighbour lists: forces, energies and motion against what is known
// without lists and cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "molecular_dynamics/forces.hpp"
#include "molecular_dynamics/list_run.hpp"
#include "molecular_dynamics/neighbour_list.hpp"
#include "molecular_dynamics/xyz.hpp"

namespace md::lists_test {

ListModel fluid(const std::array<std::int64_t, 3>& units, const CellIndex& cells) {
  ListModel model;
  model.start.units = units;
  model.start.filled = units[0];
  model.grid.extent = cells;
  const Vec3 box = model.start.box();
  for (std::size_t d = 0; d < 3; ++d)
    model.grid.edges[d] = coordinate(box, d) / static_cast<double>(cells[d]);
  return model;
}

/// All cells of a model, and the sums of their results.
struct Simulation {
  explicit Simulation(const ListModel& of)
      : model(of), exchange(of.grid), run(of, exchange, 0, of.grid.count()) {
    results.push_back(exchange.sum(run.results()));
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) {
      run.step();
      results.push_back(exchange.sum(run.results()));
    }
  }
  [[nodiscard]] Snapshot snapshot() const {
    Snapshot all;
    for (const ListCell& cell : run.cells()) all.add(snapshot_of(cell));
    return all;
  }
  [[nodiscard]] double largest_energy_error() const {
    double largest = 0;
    for (const StepResult& result : results)
      largest = std::max(largest, std::abs(result.energy() - results.front().energy()));
    return largest;
  }

  ListModel model;
  SerialExchange exchange;
  ListRun run;
  std::vector<StepResult> results;
};

TEST(Lists, give_the_forces_of_all_pairs) {
  // One cell that neighbours itself, two that neighbour each other twice, unequal numbers.
  for (const CellIndex& cells : {CellIndex{1, 1, 1}, {2, 1, 2}, {2, 2, 2}, {2, 1, 3}}) {
    Simulation simulation(fluid({4, 4, 6}, cells));
    simulation.steps(25);
    EXPECT_GT(simulation.run.list_builds(), 2);
    const Snapshot all = simulation.snapshot();
    EXPECT_LE(force_error(simulation.model, all), 1e-12);
    const Reference reference = forces_of_all_pairs(
        simulation.model.potential(), positions_of(all.atoms), simulation.model.start.box());
    EXPECT_NEAR(simulation.results.back().potential, reference.energy,
                1e-12 * std::abs(reference.energy));
  }
}

TEST(Lists, find_a_wrong_force) {  // the check itself
  Simulation simulation(fluid({4, 4, 4}, {2, 2, 2}));
  simulation.steps(1);
  Snapshot all = simulation.snapshot();
  all.forces[17].y += 1e-9;
  EXPECT_GT(force_error(simulation.model, all), 1e-12);
}

// As in the test of cells: the file is NIST's, and the test is skipped where it is not.
TEST(Lists, give_the_energy_of_a_configuration_of_nist) {
  const char* const elsewhere = std::getenv("NIST_LJ_CONFIGURATION");
  const std::string path = elsewhere != nullptr ? elsewhere : NIST_LJ_CONFIGURATION;
  if (!std::filesystem::exists(path))
    GTEST_SKIP() << path << ", which is not part of the repository, is not there";
  const Configuration configuration = read_configuration(path);
  std::vector<Vec3> positions = configuration.atoms;
  for (int n = 0; n < 27; ++n) {  // the images around the box, as ghosts
    if (n == 13) continue;
    const Vec3 shift{(n / 9 - 1) * 8.0, (n / 3 % 3 - 1) * 8.0, (n % 3 - 1) * 8.0};
    for (const Vec3& atom : configuration.atoms) positions.push_back(atom + shift);
  }
  NeighbourList list;
  list.build(positions, configuration.atoms.size(), 3.4);
  std::vector<Vec3> forces(configuration.atoms.size());
  const LennardJones potential(3, Truncation::plain);
  EXPECT_NEAR(list.compute_forces(potential, positions, forces), -16.790321304625856, 1e-11);
}

TEST(Lists, keep_a_fourth_of_the_energy_error_at_half_the_step) {
  ListModel model = fluid({4, 4, 4}, {2, 2, 2});
  Simulation whole(model);
  whole.steps(60);
  model.step /= 2;
  Simulation half(model);
  half.steps(120);
  EXPECT_LT(whole.largest_energy_error() / 256, 2e-3);
  const double ratio = whole.largest_energy_error() / half.largest_energy_error();
  EXPECT_GT(ratio, 3.5);
  EXPECT_LT(ratio, 4.5);
}

TEST(Lists, keep_momentum_and_atoms_and_begin_at_the_temperature) {
  ListModel model = fluid({4, 4, 4}, {2, 2, 2});
  model.temperature = 3;
  Simulation simulation(model);
  EXPECT_NEAR(2 * simulation.results.front().kinetic / (3 * 255), 3, 1e-13);
  std::vector<std::size_t> counts;
  for (const ListCell& cell : simulation.run.cells()) counts.push_back(cell.atoms().size());
  simulation.steps(80);
  std::vector<Atom> atoms = simulation.snapshot().atoms;
  EXPECT_LE(std::sqrt(dot(momentum(atoms), momentum(atoms))), 256e-12);
  ASSERT_EQ(atoms.size(), 256U);
  std::ranges::sort(atoms, {}, &Atom::id);
  EXPECT_EQ(std::ranges::adjacent_find(atoms, {}, &Atom::id), atoms.end());
  std::size_t changed = 0;
  for (std::size_t i = 0; i < counts.size(); ++i)
    changed += simulation.run.cells()[i].atoms().size() != counts[i] ? 1 : 0;
  EXPECT_GT(changed, 0U);
}

TEST(Lists, give_the_same_motion_for_all_divisions_into_cells) {
  Simulation one(fluid({4, 4, 4}, {1, 1, 1}));
  Simulation eight(fluid({4, 4, 4}, {2, 2, 2}));
  one.steps(30);
  eight.steps(30);
  EXPECT_EQ(one.run.list_builds(), eight.run.list_builds());
  for (std::size_t step = 0; step < one.results.size(); ++step)
    EXPECT_NEAR(one.results[step].kinetic, eight.results[step].kinetic, 1e-9) << step;
}

TEST(Lists, of_a_part_of_the_box_that_has_atoms) {
  ListModel model = fluid({8, 4, 4}, {4, 2, 2});
  model.start.filled = 3;
  Simulation simulation(model);
  simulation.steps(30);
  const Snapshot all = simulation.snapshot();
  EXPECT_EQ(all.atoms.size(), 192U);
  EXPECT_LE(force_error(model, all), 1e-12);
}

TEST(Lists, refuse_steps_in_which_atoms_go_too_far) {
  ListModel model = fluid({4, 4, 4}, {2, 2, 2});
  model.step = 0.1;
  model.temperature = 100;
  Simulation simulation(model);
  EXPECT_THROW(simulation.steps(100), std::runtime_error);
}

TEST(Lists, sum_as_collections_do) {
  const std::vector<StepResult> five{
      {1, 0, 3, 1}, {1e-17, 0, 1, 1}, {1e-17, 0, 2, 1}, {-1, 0, 9, 1}, {4, 0, 0, 1}};
  const StepResult sum = sum_of(five.data(), five.size());
  EXPECT_EQ(sum.potential, ((1 + 1e-17) + (1e-17 + -1.0)) + 4);
  EXPECT_EQ(sum.moved_squared, 9);
  EXPECT_EQ(sum.pairs, 5U);
}

}  // namespace md::lists_test
