// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by kernels_instances.cpp alone, once for each instruction set.
#include <cstdint>

#include "numerics/kernels.hpp"
#include "numerics/rows.hpp"

namespace sw4::ROAM_SW4_ISA {

/// Dissipation in the layers: of each component w of (now - before), and along each direction, with
/// the second difference D2, spacing 1,
///   next -= strength / density * stretch D2(damping density D2 w).
class Dissipation {
 public:
  Dissipation(const Medium& medium, const double* now, const double* before, double strength,
              double* next)
      : medium_(medium),
        extent_(medium.extent),
        now_(now),
        before_(before),
        strength_(strength),
        next_(next) {}

  void row(std::int32_t j, std::int32_t k) const {
    const auto volume = static_cast<std::ptrdiff_t>(extent_.volume());
    const double* dy = medium_.damping_y + Extent::halo + j;
    const double* dz = medium_.damping_z + k;
    const bool damps_y = dy[-1] != 0.0 || dy[0] != 0.0 || dy[1] != 0.0;
    const bool damps_z = k > 1 && (dz[-1] != 0.0 || dz[0] != 0.0 || dz[1] != 0.0);
    for (std::ptrdiff_t c = 0; c < 3; ++c) {
      const std::ptrdiff_t at = c * volume + extent_.at(0, j, k);
      const double* density = medium_.density + extent_.at(0, j, k);
      along_x(at, density, 0, lower_);
      along_x(at, density, upper_, extent_.nx);
      if (damps_y) across(at, density, extent_.row(), dy, medium_.stretch_y[j + Extent::halo]);
      if (damps_z) across(at, density, extent_.plane(), dz, medium_.stretch_z[k]);
    }
  }

  void run() {
    find_layers();
    for (std::int32_t k = 1; k <= extent_.nz; ++k) {
      for (std::int32_t j = 0; j < extent_.ny; ++j) row(j, k);
    }
  }

 private:
  /// Points from `lower_` to `upper_` have no layer along x beside them.
  void find_layers() {
    const double* d = medium_.damping_x + Extent::halo;
    const auto is_damped = [d](std::int32_t i) {
      return d[i - 1] != 0.0 || d[i] != 0.0 || d[i + 1] != 0.0;
    };
    while (lower_ < extent_.nx && is_damped(lower_)) ++lower_;
    upper_ = extent_.nx;
    while (upper_ > lower_ && is_damped(upper_ - 1)) --upper_;
  }

  void along_x(std::ptrdiff_t at, In density, std::int32_t begin, std::int32_t end) const {
    In u = now_ + at, b = before_ + at;
    In d = medium_.damping_x + Extent::halo, stretch = medium_.stretch_x + Extent::halo;
    Out to = next_ + at;
    for (std::int32_t i = begin; i < end; ++i) {
      const auto inner = [&](std::int32_t p) {
        return d[p] * density[p] *
               ((u[p + 1] - b[p + 1]) - 2.0 * (u[p] - b[p]) + (u[p - 1] - b[p - 1]));
      };
      to[i] -= strength_ / density[i] * stretch[i] * (inner(i + 1) - 2.0 * inner(i) + inner(i - 1));
    }
  }

  void across(std::ptrdiff_t at, In density, std::ptrdiff_t step, In d, double stretch) const {
    In u = now_ + at, b = before_ + at;
    Out to = next_ + at;
    for (std::int32_t i = 0; i < extent_.nx; ++i) {
      const auto inner = [&](std::ptrdiff_t away) {
        const std::ptrdiff_t p = i + away * step;
        return d[away] * density[p] *
               ((u[p + step] - b[p + step]) - 2.0 * (u[p] - b[p]) + (u[p - step] - b[p - step]));
      };
      to[i] -= strength_ / density[i] * stretch * (inner(1) - 2.0 * inner(0) + inner(-1));
    }
  }

  const Medium& medium_;
  const Extent extent_;
  const double* now_;
  const double* before_;
  const double strength_;
  double* next_;
  std::int32_t lower_ = 0;
  std::int32_t upper_ = 0;
};

inline void damp(const Medium& medium, const double* now, const double* before, double strength,
                 double* next) {
  Dissipation(medium, now, before, strength, next).run();
}

}  // namespace sw4::ROAM_SW4_ISA
