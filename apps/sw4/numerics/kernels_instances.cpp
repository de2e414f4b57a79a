// SPDX-License-Identifier: Apache-2.0
// The kernels for one instruction set, ROAM_SW4_ISA.
#include "numerics/kernels_instances.hpp"

#include "numerics/dissipation.hpp"
#include "numerics/sweep.hpp"

namespace sw4::ROAM_SW4_ISA {
namespace {

/// Of L of a field at a row, in units of its spacing, to the acceleration.
struct ToAcceleration {
  const Medium& medium;
  double* acceleration;

  void put(std::ptrdiff_t at, std::int32_t n, const RowsOut& sum) const {
    const auto volume = static_cast<std::ptrdiff_t>(medium.extent.volume());
    const double scale = 1.0 / (medium.spacing * medium.spacing);
    In density = medium.density + at, su = sum.u, sv = sum.v, sw = sum.w;
    Out au = acceleration + at, av = acceleration + volume + at,
        aw = acceleration + 2 * volume + at;
    for (std::int32_t i = 0; i < n; ++i) {
      const double factor = scale / density[i];
      au[i] = factor * su[i];
      av[i] = factor * sv[i];
      aw[i] = factor * sw[i];
    }
  }
};

/// Of L of the acceleration at a row to the field after the step.
struct ToNext {
  const Medium& medium;
  const double* acceleration;
  const double* now;
  const double* before;
  double step;
  double* next;

  void put(std::ptrdiff_t at, std::int32_t n, const RowsOut& sum) const {
    const auto volume = static_cast<std::ptrdiff_t>(medium.extent.volume());
    const double scale = step * step / (12.0 * medium.spacing * medium.spacing);
    const double square = step * step;
    const std::array<const double*, 3> sums{sum.u, sum.v, sum.w};
    In density = medium.density + at;
    for (std::ptrdiff_t c = 0; c < 3; ++c) {
      const std::ptrdiff_t place = c * volume + at;
      In s = sums[static_cast<std::size_t>(c)], a = acceleration + place;
      In u = now + place, b = before + place;
      Out to = next + place;
      for (std::int32_t i = 0; i < n; ++i)
        to[i] = (2.0 * u[i] - b[i]) + square * (a[i] + scale / density[i] * s[i]);
    }
  }
};

void accelerate(const Medium& medium, const double* field, double* acceleration, double* scratch) {
  const ToAcceleration sink{medium, acceleration};
  Sweep<ToAcceleration>(medium, field, sink, scratch).run();
}

void advance(const Medium& medium, const double* acceleration, const double* now,
             const double* before, double step, double* next, double* scratch) {
  const ToNext sink{medium, acceleration, now, before, step, next};
  Sweep<ToNext>(medium, acceleration, sink, scratch).run();
}

}  // namespace

Kernels instances() { return {&accelerate, &advance, &damp}; }

}  // namespace sw4::ROAM_SW4_ISA
