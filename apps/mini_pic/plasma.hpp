// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "box.hpp"

namespace mini_pic {

/// Deposits of particles on nodes, of one unit of weight, are whole numbers of 2^-30.
constexpr std::int64_t deposit_units = std::int64_t{1} << 30;
/// The farthest that a particle may move in one step, in cubes.
constexpr double longest_move = 4;

/// A macroparticle: electrons at one place with one velocity. Plain bytes.
struct Particle {
  std::int64_t id = 0;            ///< from 0 on
  Vector at{};                    ///< in units, within the box up to the shift of its tetrahedron
  std::array<double, 3> speed{};  ///< in cubes per time, half a step before the position
  std::int32_t cell = 0;          ///< the tetrahedron in which it is: an index in the part
  std::int32_t weight = 0;        ///< the electrons for which it stands, in units of weight
};

/// The problem: two cold beams of electrons that move in x and against it through ions that do not
/// move, in a periodic box. Lengths are in edges of cubes, times in 1 / omega_p; epsilon_0 and the
/// mean density are 1, and so are charge and mass of an electron.
/// Plain bytes.
struct Plasma {
  Box box{};
  std::int64_t per_edge = 2;  ///< each beam begins with this number cubed of particles in a cube
  bool is_uneven = false;     ///< the first quarter of cubes in y: four times as many, lighter ones
  double ratio = 0.6123724356957945;  ///< k V / omega_p, where k is the longest wave's number in x
                                      ///< and V the beams' speed; sqrt(3/8) grows fastest
  double amplitude = 0.01;  ///< the wave at the beginning: relative change of each beam's density
  double time_step = 0.2;
  double tolerance = 1e-6;  ///< of the solver: residual over right-hand side

  [[nodiscard]] double wave_number() const;  ///< k
  [[nodiscard]] double beam_speed() const { return ratio / wave_number(); }
  /// The complex rate s of the wave, which goes with exp(i k x + s t): the root of the dispersion
  /// relation 1 = (1/2) / (omega - k V)^2 + (1/2) / (omega + k V)^2, omega = i s, that grows, or if
  /// there is none, the slower of those that do not (Buneman, Phys. Rev. 115, 503, 1959).
  [[nodiscard]] std::complex<double> rate() const;
  /// The field energy at the beginning that belongs to the amplitude.
  [[nodiscard]] double first_field_energy() const;
  /// The number of the first particle of a cube; numbers run over cubes by y, x and z.
  [[nodiscard]] std::int64_t first_id(const Vector& cube) const;
  [[nodiscard]] std::int64_t particles() const;
  /// Units of weight of all particles.
  [[nodiscard]] std::int64_t total_weight() const;
  /// The charge (and mass) of one unit of weight.
  [[nodiscard]] double unit_charge() const {
    return static_cast<double>(box.cube_count()) / static_cast<double>(total_weight());
  }
  /// The particles that begin in a cube or, moved by the wave, beside it; `cell` is not set.
  [[nodiscard]] std::vector<Particle> start(const Vector& cube) const;
  /// Throws std::invalid_argument if the program cannot do this.
  void check() const;

 private:
  [[nodiscard]] std::int64_t dense_layers() const;
  [[nodiscard]] std::int64_t particles_in(bool is_dense) const;
};

}  // namespace mini_pic
