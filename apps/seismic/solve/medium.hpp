// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"
#include "model/boundaries.hpp"
#include "model/vertical_map.hpp"
#include "solve/cell_materials.hpp"
#include "solve/damping.hpp"

namespace seismic {

/// The medium of the waves.
struct Medium {
  MaterialAtPoint material;  ///< at points of the ground
  VerticalMap map;           ///< from the mesh's cubes to the ground
  Boundaries boundaries{};
  Flux flux = Flux::godunov;
  DampingLayer damping;
};

}  // namespace seismic
