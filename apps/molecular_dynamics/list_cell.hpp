// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "molecular_dynamics/atoms.hpp"
#include "molecular_dynamics/fcc.hpp"
#include "molecular_dynamics/grid.hpp"
#include "molecular_dynamics/lennard_jones.hpp"
#include "molecular_dynamics/neighbour_list.hpp"

namespace md {

/// A fluid that is simulated with neighbour lists.
struct ListModel {
  Grid grid;
  Fcc start;
  double temperature = 1.44;  ///< at the beginning, exactly
  double cutoff = 2.5;
  double skin = 0.3;  ///< lists have pairs up to cutoff + skin
  double step = 0.005;

  [[nodiscard]] double reach() const { return cutoff + skin; }
  [[nodiscard]] LennardJones potential() const { return {cutoff, Truncation::shifted_force}; }
  /// The factor by which initial velocities must be multiplied to have the temperature, given their
  /// kinetic energy. With momentum 0 there are 3 N - 3 degrees of freedom.
  [[nodiscard]] double velocity_factor(double kinetic) const;

  template <class Archive>
  void serialize(Archive& archive) {
    archive(grid.extent, grid.edges, start, temperature, cutoff, skin, step);
  }
};

/// What a cell has to say after a step. Results of two cells can be added; added up over the cells
/// by sum_of(), they have the same bits wherever the cells are. Sent as bytes.
struct StepResult {
  double potential = 0;
  double kinetic = 0;
  double moved_squared = 0;  ///< the farthest that an atom is from where it was in the last list
  std::uint64_t pairs = 0;   ///< in the lists

  [[nodiscard]] double energy() const { return potential + kinetic; }
  friend StepResult operator+(const StepResult& a, const StepResult& b);
};

/// Adds up results of cells, which are in the order of their numbers, over a binary tree: the first
/// part has the largest power of two below their number, the second one the rest. That is how
/// collections of flow programs are reduced.
[[nodiscard]] StepResult sum_of(const StepResult* results, std::size_t count);

/// True if lists must be built anew before the next forces: some atom has moved farther than half
/// the skin.
[[nodiscard]] inline bool lists_are_old(const ListModel& model, double moved_squared) {
  return !(4 * moved_squared <= model.skin * model.skin);
}

/// What a cell passes to its lower and to its upper neighbour along an axis, or has got from them.
template <class T>
struct Sides {
  std::vector<T> lower;
  std::vector<T> upper;
};

/// The atoms of a cell and copies of atoms around it (ghosts), with their neighbour list. A cell
/// communicates with the two neighbours along each axis only, one axis after the other: what has
/// come along x is passed on along y, and so reaches the cells around the edges and corners
/// (Plimpton, J. Comp. Phys. 117, 1995, section 4).
///
/// Step: advance(); then, if lists_are_old(), leave() and enter() along x, y, z, and
/// choose_ghosts() and take_ghosts() along x, y, z; else ghosts() and take_ghosts() along x, y, z;
/// then finish().
class ListCell {
 public:
  ListCell() = default;
  /// Makes the atoms of a cell; they have velocities of width 1.
  ListCell(const ListModel& model, const CellIndex& index)
      : index_(index), atoms_(model.start.atoms_of(model.grid, index)) {}

  [[nodiscard]] const std::vector<Atom>& atoms() const { return atoms_; }
  /// The forces of the last finish(), one for each atom.
  [[nodiscard]] const std::vector<Vec3>& forces() const { return forces_; }
  void scale_velocities(double factor);

  /// Advances velocities by half a step and positions by a step.
  void advance(const ListModel& model);
  /// The square of the farthest that an atom has moved since the list was built.
  [[nodiscard]] double moved_squared() const;

  /// Removes the atoms that are beyond a face and returns them, with positions in the neighbour.
  [[nodiscard]] Sides<Atom> leave(const ListModel& model, std::size_t axis);
  /// Adds atoms that have come from neighbours.
  void enter(const Sides<Atom>& come);

  /// Begins a new set of ghosts: sorts the atoms, and chooses those near the faces of the axis x.
  /// Along the other axes, chooses from atoms and ghosts. Returns their positions. Throws
  /// std::runtime_error if an atom is not in its cell: it has passed a whole cell in one step.
  [[nodiscard]] Sides<Vec3> choose_ghosts(const ListModel& model, std::size_t axis);
  /// The present positions of those chosen.
  [[nodiscard]] Sides<Vec3> ghosts(const ListModel& model, std::size_t axis) const;
  /// Takes the ghosts that have come along an axis: new ones, or new positions of those there.
  void take_ghosts(std::size_t axis, const Sides<Vec3>& come);

  /// Builds the list, for the present positions.
  void build_list(const ListModel& model);
  /// Computes forces; advances velocities by half a step unless these are the first ones.
  StepResult finish(const ListModel& model);

  template <class Archive>
  void serialize(Archive& archive) {
    archive(index_, atoms_, has_forces_, forces_, positions_, listed_, list_);
    for (Channel& channel : channels_) archive(channel.lower, channel.upper, channel.begin);
  }
  /// The memory that the cell owns, in bytes.
  [[nodiscard]] std::size_t memory_bytes() const;

 private:
  /// The ghosts along an axis.
  struct Channel {
    std::vector<std::uint32_t> lower;  // numbers of those passed to the lower neighbour
    std::vector<std::uint32_t> upper;
    std::uint64_t begin = 0;  // the number of the first one that has come along this axis
  };

  CellIndex index_{};
  std::vector<Atom> atoms_;  // sorted by id when the list is built
  bool has_forces_ = false;
  std::vector<Vec3> forces_;
  std::vector<Vec3> positions_;  // of atoms and ghosts
  std::vector<Vec3> listed_;     // the positions of the atoms when the list was built
  NeighbourList list_;
  std::array<Channel, 3> channels_;
};

}  // namespace md
