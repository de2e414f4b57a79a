// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include "kernels/kernels.hpp"

namespace seismic {

enum class Boundary {
  free,           ///< no traction: the Earth's surface
  absorbing,      ///< absorbs waves that arrive at right angles
  clamped,        ///< does not move
  symmetric,      ///< a mirror: the motion beyond it is the reflected one
  antisymmetric,  ///< a mirror with the sign turned, as a source Mxy has it at x = 0 and y = 0
  periodic        ///< joined to the opposite side
};

/// The boundaries at the faces of the domain, in the order of `faces`: lower x, upper x, lower y,
/// ...
using Boundaries = std::array<Boundary, faces>;

/// At a mirror, velocity across and traction along vanish; with the sign turned, the other two.
[[nodiscard]] constexpr Reflection reflection(Boundary boundary) {
  switch (boundary) {
    case Boundary::free:
      return {1.0, 1.0};
    case Boundary::clamped:
      return {-1.0, -1.0};
    case Boundary::symmetric:
      return {-1.0, 1.0};
    case Boundary::antisymmetric:
      return {1.0, -1.0};
    default:
      return {0.0, 0.0};
  }
}

[[nodiscard]] constexpr bool is_mirror(Boundary boundary) {
  return boundary == Boundary::symmetric || boundary == Boundary::antisymmetric;
}

}  // namespace seismic
