// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "molecular_dynamics/vec3.hpp"

namespace md {

struct Configuration {
  Vec3 box;
  std::vector<Vec3> atoms;
};

/// Reads a configuration as NIST's reference calculations for Lennard-Jones have them: the number
/// of atoms, a line with a number and the three lengths of the box, and a line with number, x, y, z
/// for each atom. Throws std::runtime_error, with file and line, for anything else.
[[nodiscard]] Configuration read_configuration(const std::string& path);

}  // namespace md
