// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "numerics/extent.hpp"

namespace sw4 {

/// What the equation's coefficients are at the points of a patch. Fields have three components, one
/// after the other, each an array of Extent::volume(). `stretch`: how much the supergrid shrinks
/// distances along x, y and z, 1 outside of its layers; x's and y's begin at point -2, z's at 0.
struct Medium {
  Extent extent;
  double spacing = 1.0;             ///< m
  const double* mu = nullptr;       ///< Pa
  const double* lambda = nullptr;   ///< Pa
  const double* density = nullptr;  ///< kg/m^3
  const double* stretch_x = nullptr;
  const double* stretch_y = nullptr;
  const double* stretch_z = nullptr;
  const double* damping_x = nullptr;  ///< strength of the dissipation; begins as the stretch does
  const double* damping_y = nullptr;
  const double* damping_z = nullptr;
};

/// How many numbers of memory the kernels need beside their fields, for one thread.
[[nodiscard]] std::size_t scratch_size(const Extent& extent);

/// The kernels of one instruction set. All sets give the same bits, since no product is fused with
/// a sum and no sum is reordered; nor do bits depend on how the grid is cut into patches.
struct Kernels {
  /// acceleration = L field / density at the patch's own points, with L the divergence of the
  /// stress (Sjoegreen and Petersson 2012, section 3): summation by parts of order 4, and of order
  /// 2 at the surface. The field needs its halo and ghost points.
  void (*accelerate)(const Medium& medium, const double* field, double* acceleration,
                     double* scratch);
  /// next = 2 now - before + step^2 (acceleration + step^2 / 12 L acceleration / density).
  void (*advance)(const Medium& medium, const double* acceleration, const double* now,
                  const double* before, double step, double* next, double* scratch);
  /// Takes `strength` times the fourth difference of (now - before) in the layers from `next`
  /// (Petersson and Sjoegreen, J. Comput. Phys. 299, 2014, section 4).
  void (*damp)(const Medium& medium, const double* now, const double* before, double strength,
               double* next);
};

/// Those of the best instruction set that this processor has; `portable`: those for all.
[[nodiscard]] const Kernels& kernels();
[[nodiscard]] const Kernels& portable_kernels();

}  // namespace sw4
