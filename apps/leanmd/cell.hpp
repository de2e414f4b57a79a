// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cereal/types/array.hpp>
#include <cereal/types/vector.hpp>
#include <cstdint>
#include <vector>

#include "molecular_dynamics/cell_state.hpp"
#include "objects.hpp"

namespace leanmd {

/// The results of a cell at the end.
struct CellResult {
  std::int64_t number = 0;
  std::int64_t atoms = 0;
  /// The number of these atoms that have come from other cells since the beginning.
  std::int64_t come_atoms = 0;
  std::uint64_t fingerprint = 0;
  md::Vec3 momentum;
  std::vector<md::Energy> energies;  ///< after each step

  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, atoms, come_atoms, fingerprint, momentum, energies);
  }
};
using CellResults = std::vector<CellResult>;
/// The results of several cells.
struct Joined {
  CellResults operator()(CellResults a, const CellResults& b) const {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
};

/// The atoms of a cell. In each step it moves them, gives those that have left to the surrounding
/// cells (every so many steps), sends positions to all computations that need them, and ends the
/// step when all forces have come. A surrounding cell is at most one exchange of atoms ahead.
class Cell {
 public:
  Cell() = default;
  explicit Cell(const roam::Index<3>& place) : place_{place[0], place[1], place[2]} {}

  void set(const World& world);
  /// Does steps until `steps` are done; the first call also computes the initial forces.
  void run_to(std::int64_t steps);
  void take_own_forces(std::int64_t computation, std::vector<md::Vec3> forces, double energy);
  void take_forces_of_other(std::int64_t computation, std::vector<md::Vec3> forces);
  /// Receives atoms from one of the 26 surrounding cells.
  void take_atoms(const std::vector<md::Atom>& atoms);
  [[nodiscard]] CellResults result() const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(place_, world_, state_, forces_, forces_come_, is_started_, is_exchanging_, atoms_from_,
            come_, last_step_);
  }

 private:
  /// Number of surrounding cells, each of which sends its atoms.
  static constexpr std::int32_t around = 26;

  void send_positions();
  void note_forces();
  void advance();
  void send_atoms();
  void end_exchange_if_complete();

  md::CellIndex place_{};
  World world_;
  md::CellState state_;
  md::CellForces forces_;
  std::int64_t forces_come_ = 0;
  bool is_started_ = false;
  bool is_exchanging_ = false;   // true while atoms are exchanged with the surrounding cells
  std::int32_t atoms_from_ = 0;  // number of cells whose atoms have come in this exchange
  std::vector<md::Atom> come_;   // atoms that have come in it
  std::int64_t last_step_ = 0;
};

}  // namespace leanmd
