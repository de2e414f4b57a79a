// SPDX-License-Identifier: Apache-2.0
#include "molecular_dynamics/lennard_jones.hpp"

#include <cmath>
#include <numbers>

namespace md {

LennardJones::LennardJones(double cutoff, Truncation truncation)
    : cutoff_(cutoff), shift_(0), slope_(0) {
  if (truncation == Truncation::plain) return;
  const double sixth = std::pow(cutoff, -6);
  slope_ = 24 * (2 * sixth * sixth - sixth) / cutoff;
  shift_ = 4 * (sixth * sixth - sixth) + slope_ * cutoff;
}

double LennardJones::tail_energy(std::size_t atoms, double volume) const {
  const double third = std::pow(cutoff_, -3);
  const auto n = static_cast<double>(atoms);
  return n * n / volume * 8 * std::numbers::pi / 9 * (third * third * third - 3 * third);
}

}  // namespace md
