// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/cells.hpp"
#include "molecular_dynamics/filling.hpp"
#include "molecular_dynamics/lennard_jones.hpp"

namespace md {

/// The simulated system.
struct Model {
  Cells cells;
  Filling filling;
  double cutoff = 2.5;
  double step = 0.004;
  std::int64_t migration_interval =
      10;  ///< steps after which atoms go to the cells that they are in

  [[nodiscard]] LennardJones potential() const { return {cutoff, Truncation::shifted_force}; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, filling, cutoff, step, migration_interval);
  }
};

struct Energy {
  double potential = 0;
  double kinetic = 0;
  [[nodiscard]] double sum() const { return potential + kinetic; }
  friend bool operator==(const Energy&, const Energy&) = default;
};

/// Adds up the forces of a cell: those of its own computations in their order, then those of other
/// cells' computations with it, so that the result is bitwise the same in whatever order they come.
class CellForces {
 public:
  CellForces() = default;
  explicit CellForces(std::int64_t computations)
      : computations_(computations), parts_(static_cast<std::size_t>(2 * computations - 1)) {}

  /// Stores the result of one of the cell's own computations.
  void put_own(std::int64_t computation, std::vector<Vec3> forces, double energy) {
    parts_[static_cast<std::size_t>(computation)] = {std::move(forces), energy};
  }
  /// Stores the result of a computation of another cell; `computation` is 1 or higher.
  void put_other(std::int64_t computation, std::vector<Vec3> forces) {
    parts_[static_cast<std::size_t>(computations_ + computation - 1)] = {std::move(forces), 0};
  }
  [[nodiscard]] std::int64_t expected() const { return 2 * computations_ - 1; }
  /// Returns the sum of the forces, for `atoms` atoms, and the energy of the own computations, and
  /// clears them. All parts must have come.
  [[nodiscard]] std::vector<Vec3> take_sum(std::size_t atoms, double& energy);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(computations_, parts_);
  }

 private:
  struct Part {
    std::vector<Vec3> forces;
    double energy = 0;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(forces, energy);
    }
  };
  std::int64_t computations_ = 1;
  std::vector<Part> parts_;
};

/// The atoms of one cell, and their motion.
class CellState {
 public:
  CellState() = default;
  CellState(const Model& model, const CellIndex& index)
      : index_(index), atoms_(model.filling.atoms_of(model.cells, index)) {}

  [[nodiscard]] const CellIndex& index() const { return index_; }
  [[nodiscard]] const std::vector<Atom>& atoms() const { return atoms_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  /// The energies after each step so far, beginning with the initial ones.
  [[nodiscard]] const std::vector<Energy>& energies() const { return energies_; }

  /// Ends a step; `forces` must be those at the present positions.
  void finish_step(const Model& model, CellForces& forces);
  /// Begins the next step: velocities and positions. Throws std::runtime_error if an atom is so far
  /// outside of the cell that pairs may be missed.
  void begin_step(const Model& model);
  /// True if atoms change cells before the forces of this step are computed.
  [[nodiscard]] bool migrates(const Model& model) const {
    return step_ % model.migration_interval == 0;
  }
  [[nodiscard]] std::array<std::vector<Atom>, 27> take_leaving(const Model& model) {
    return model.cells.take_leaving(index_, atoms_);
  }
  /// Adds atoms that have come from the surrounding cells, in any order.
  void add(const std::vector<Atom>& come);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index_, atoms_, forces_, step_, energies_);
  }

 private:
  CellIndex index_{};
  std::vector<Atom> atoms_;  // sorted by id
  std::vector<Vec3> forces_;
  std::int64_t step_ = 0;  // the step begun last
  std::vector<Energy> energies_;
};

}  // namespace md
