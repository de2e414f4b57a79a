// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "exact_sum.hpp"
#include "piece.hpp"
#include "plasma.hpp"
#include "solver.hpp"

namespace mini_pic {

/// A particle on its way to its new position, which has come to a face beyond which another part
/// is. Plain bytes.
struct Walker {
  Particle particle;
  Vector from{};                 ///< where it was, in the coordinates of the tetrahedron to come
  std::int64_t tetrahedron = 0;  ///< the number of that one
};

/// What one part has for others: a letter for each. Empty if it has none for anybody.
template <class T>
struct Mail {
  std::int32_t from = -1;
  std::vector<std::int32_t> to;  ///< parts, in rising order
  std::vector<std::vector<T>> letters;

  /// The letter to a part; nullptr if there is none.
  [[nodiscard]] const std::vector<T>* letter_to(std::int32_t part) const {
    for (std::size_t i = 0; i < to.size(); ++i)
      if (to[i] == part) return &letters[i];
    return nullptr;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(from, to, letters);
  }
};

/// Sums counts energies and momenta, both of weight 1 to a particle, in parts of 1 / energy_unit.
inline constexpr double energy_unit = 0x1p20;

/// What moving particles adds up over all parts: exact, whatever the parts. Plain bytes.
struct Sums {
  std::int64_t walkers = 0;                ///< particles that have to go on to another part
  std::int64_t background = 0;             ///< of all nodes, as deposits
  ExactSum field;                          ///< energy of the field
  std::int64_t kinetic = 0;                ///< of all particles, times energy_unit
  std::array<std::int64_t, 3> momentum{};  ///< likewise
  friend Sums operator+(const Sums& a, const Sums& b) {
    return {a.walkers + b.walkers,
            a.background + b.background,
            a.field + b.field,
            a.kinetic + b.kinetic,
            {a.momentum[0] + b.momentum[0], a.momentum[1] + b.momentum[1],
             a.momentum[2] + b.momentum[2]}};
  }
};

/// The result of checking particles; results can be added. Plain bytes.
struct Found {
  std::int64_t particles = 0;
  std::int64_t misplaced = 0;   ///< not in the tetrahedron in which they should be
  std::uint64_t ids = 0;        ///< sum of the numbers, modulo 2^64
  std::uint64_t squares = 0;    ///< of the numbers, likewise
  std::uint64_t bits = 0;       ///< of positions, velocities and the field, whatever the order
  std::int64_t iterations = 0;  ///< of the solver, told by the first part
  friend Found operator+(const Found& a, const Found& b) {
    return {a.particles + b.particles, a.misplaced + b.misplaced, a.ids + b.ids,
            a.squares + b.squares,     a.bits + b.bits,           a.iterations + b.iterations};
  }
};

/// A part of the mesh with the particles and the field in it.
///
/// A step: move(); take() until no particle is on its way; deposit() and add_deposits(); then
/// begin_field(), and set_gradients(), products(), advance() until the sums say that it is solved.
class Part {
 public:
  Part() = default;
  Part(const Plasma& plasma, std::int32_t number);

  /// Makes the particles that begin here, and walks with them to where they are.
  [[nodiscard]] Mail<Walker> load(const Plasma& plasma, Sums& sums);
  /// Moves all particles by one step: velocities by the field, then positions. Particles that leave
  /// the part are returned. Throws std::runtime_error if one moves too far.
  [[nodiscard]] Mail<Walker> move(const Plasma& plasma, Sums& sums);
  /// Takes particles that others have sent; those that have to go on are added to `onward`, which
  /// is to be no_mail() at first.
  void take(const std::vector<Walker>& letter, Mail<Walker>& onward);
  /// Deposits the particles' charge by linear functions, rounded so that each deposits exactly its
  /// weight. Returns what is for nodes of others.
  [[nodiscard]] Mail<std::int64_t> deposit();
  void add_deposits(std::int32_t from, const std::vector<std::int64_t>& letter);
  /// Begins to solve for the potential. `background`: the sum over all parts.
  [[nodiscard]] Mail<double> begin_field(const Plasma& plasma, std::int64_t background);
  void set_gradients(std::int32_t from, const std::vector<double>& letter);
  [[nodiscard]] Products products();
  [[nodiscard]] Mail<double> advance(const Products& sums, double tolerance);

  [[nodiscard]] Found check() const;
  /// Mail with an empty letter for each neighbour.
  template <class T>
  [[nodiscard]] Mail<T> no_mail() const;
  [[nodiscard]] std::int32_t number() const { return piece_.number; }
  [[nodiscard]] const Piece& piece() const { return piece_; }
  [[nodiscard]] const Solver& solver() const { return solver_; }
  [[nodiscard]] const std::vector<Particle>& particles() const { return particles_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(piece_, solver_, length_, particles_, deposits_, background_, deposited_);
  }

 private:
  /// Walks on from the particle's tetrahedron to that of its position. True if it is here; else it
  /// is in the mail.
  bool walk(Particle& particle, Vector from, Mail<Walker>& leaving) const;
  [[nodiscard]] Mail<double> gradient_mail();

  Piece piece_;
  Solver solver_;
  Vector length_{};  // of the box, in units
  std::vector<Particle> particles_;
  std::vector<std::int64_t> deposits_;    // of all nodes
  std::vector<std::int64_t> background_;  // of own nodes: the ions, as deposits
  std::int64_t deposited_ = 0;            // by particles on own nodes
};

}  // namespace mini_pic
