// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by kernels_instances.cpp alone, once for each instruction set.
#include <array>
#include <cstddef>
#include <cstdint>

#include "numerics/closure.hpp"
#include "numerics/first_difference.hpp"

namespace sw4::ROAM_SW4_ISA {

/// Operations on a row of points along x. Pointers are to the row's first own point.
using In = const double* __restrict;
using Out = double* __restrict;

/// (1, -8, 0, 8, -1) / 12 of points `step` apart.
[[nodiscard]] inline double first(const double* at, std::ptrdiff_t step) {
  return near_factor * (at[step] - at[-step]) - far_factor * (at[2 * step] - at[-2 * step]);
}

/// The factors of v(-2) - v(0), v(-1) - v(0), v(1) - v(0) and v(2) - v(0) in 6 (c v')' from
/// c(-2), ..., c(2): closure.hpp's form, summed up.
struct Factors {
  double lower2, lower1, upper1, upper2;
};
[[nodiscard]] inline Factors factors(double c0, double c1, double c2, double c3, double c4) {
  return {c1 - 0.75 * (c2 + c0), c0 + c3 + 3.0 * (c2 + c1), c1 + c4 + 3.0 * (c3 + c2),
          c3 - 0.75 * (c2 + c4)};
}
[[nodiscard]] inline double second(const Factors& f, const double* v, std::ptrdiff_t step) {
  const double center = v[0];
  return (1.0 / 6.0) * ((f.lower2 * (v[-2 * step] - center) + f.lower1 * (v[-step] - center)) +
                        (f.upper1 * (v[step] - center) + f.upper2 * (v[2 * step] - center)));
}

/// Three components of a row.
struct RowsIn {
  const double *u, *v, *w;
};
struct RowsOut {
  double *u, *v, *w;
};

/// out = stretch (second derivative along x, and the derivative along x of `mixed`). `p` and `s`:
/// stretched lambda + 2 mu and mu.
inline void along_x(std::int32_t n, In p, In s, In stretch, RowsIn field, RowsIn mixed,
                    RowsOut out) {
  In u = field.u, v = field.v, w = field.w, mu = mixed.u, mv = mixed.v, mw = mixed.w;
  Out ou = out.u, ov = out.v, ow = out.w;
  for (std::int32_t i = 0; i < n; ++i) {
    const Factors fp = factors(p[i - 2], p[i - 1], p[i], p[i + 1], p[i + 2]);
    const Factors fs = factors(s[i - 2], s[i - 1], s[i], s[i + 1], s[i + 2]);
    ou[i] = stretch[i] * (second(fp, u + i, 1) + first(mu + i, 1));
    ov[i] = stretch[i] * (second(fs, v + i, 1) + first(mv + i, 1));
    ow[i] = stretch[i] * (second(fs, w + i, 1) + first(mw + i, 1));
  }
}

/// Five rows with their stretches: those two before to two behind.
using Five = std::array<const double*, 5>;
using Stretches = std::array<double, 5>;

/// out += stretch times the first derivative of `mixed` across its rows.
inline void mixed_across(std::int32_t n, double stretch, const std::array<Five, 3>& mixed,
                         RowsOut out) {
  const std::array<double*, 3> to{out.u, out.v, out.w};
  for (std::size_t c = 0; c < 3; ++c) {
    In r0 = mixed[c][0], r1 = mixed[c][1], r3 = mixed[c][3], r4 = mixed[c][4];
    Out o = to[c];
    for (std::int32_t i = 0; i < n; ++i)
      o[i] += stretch * (near_factor * (r3[i] - r1[i]) - far_factor * (r4[i] - r0[i]));
  }
}

/// out += stretch times the second derivative across rows. `stiff`: the component that moves along
/// this direction (1: v, 2: w) has lambda + 2 mu.
template <int stiff>
inline void across(std::int32_t n, const Five& mu, const Five& lambda, const Stretches& stretch,
                   RowsIn field, std::ptrdiff_t step, RowsOut out) {
  In m0 = mu[0], m1 = mu[1], m2 = mu[2], m3 = mu[3], m4 = mu[4];
  In l0 = lambda[0], l1 = lambda[1], l2 = lambda[2], l3 = lambda[3], l4 = lambda[4];
  In u = field.u, v = field.v, w = field.w;
  Out ou = out.u, ov = out.v, ow = out.w;
  const auto [t0, t1, t2, t3, t4] = stretch;
  for (std::int32_t i = 0; i < n; ++i) {
    const Factors fs = factors(t0 * m0[i], t1 * m1[i], t2 * m2[i], t3 * m3[i], t4 * m4[i]);
    const Factors fp =
        factors(t0 * (l0[i] + 2.0 * m0[i]), t1 * (l1[i] + 2.0 * m1[i]), t2 * (l2[i] + 2.0 * m2[i]),
                t3 * (l3[i] + 2.0 * m3[i]), t4 * (l4[i] + 2.0 * m4[i]));
    const Factors& fv = stiff == 1 ? fp : fs;
    const Factors& fw = stiff == 2 ? fp : fs;
    ou[i] += t2 * second(fs, u + i, step);
    ov[i] += t2 * second(fv, v + i, step);
    ow[i] += t2 * second(fw, w + i, step);
  }
}

/// Near the surface, at point `k` from 1 to 6: out += the second derivative down. Rows of `mu`,
/// `lambda` and `field` begin at point 0, `step` apart. The supergrid does not reach here.
inline void down_at_surface(std::int32_t n, std::int32_t k, In mu, In lambda, RowsIn field,
                            std::ptrdiff_t step, RowsOut out) {
  constexpr auto columns = static_cast<std::int32_t>(Closure<double>::columns);
  const auto& table = closure.second[static_cast<std::size_t>(k - 1)];
  Out ou = out.u, ov = out.v, ow = out.w;
  for (std::int32_t column = 0; column < columns; ++column) {
    In u = field.u + step * (column + 1);
    In v = field.v + step * (column + 1);
    In w = field.w + step * (column + 1);
    const auto factor = table[static_cast<std::size_t>(column)];
    for (std::int32_t i = 0; i < n; ++i) {
      double s = 0.0;
      double p = 0.0;
      for (std::int32_t m = 0; m < columns; ++m) {
        const double of_mu = mu[i + step * (m + 1)];
        s += factor[static_cast<std::size_t>(m)] * of_mu;
        p += factor[static_cast<std::size_t>(m)] * (lambda[i + step * (m + 1)] + 2.0 * of_mu);
      }
      ou[i] += s * u[i];
      ov[i] += s * v[i];
      ow[i] += p * w[i];
    }
  }
  if (k > 1) return;
  const double scale = -1.0 / closure.norm[0];  // the boundary term
  const auto slope = [&](const double* f, std::int32_t i) {
    double sum = 0.0;
    for (std::size_t at = 0; at < 5; ++at)
      sum += closure.surface[at] * f[i + step * static_cast<std::ptrdiff_t>(at)];
    return sum;
  };
  for (std::int32_t i = 0; i < n; ++i) {
    const double s = scale * mu[i + step];
    const double p = scale * (lambda[i + step] + 2.0 * mu[i + step]);
    ou[i] += s * slope(field.u, i);
    ov[i] += s * slope(field.v, i);
    ow[i] += p * slope(field.w, i);
  }
}

/// out += stretch times the derivative down of `mixed`, of the four rows of a FirstDifference.
inline void mixed_down(std::int32_t n, double stretch, const FirstDifference& difference,
                       const std::array<std::array<const double*, 4>, 3>& mixed, RowsOut out) {
  const std::array<double*, 3> to{out.u, out.v, out.w};
  for (std::size_t c = 0; c < 3; ++c) {
    In r0 = mixed[c][0], r1 = mixed[c][1], r2 = mixed[c][2], r3 = mixed[c][3];
    Out o = to[c];
    const auto [f0, f1, f2, f3] = difference.factor;
    for (std::int32_t i = 0; i < n; ++i)
      o[i] += stretch * ((f0 * r0[i] + f1 * r1[i]) + (f2 * r2[i] + f3 * r3[i]));
  }
}

}  // namespace sw4::ROAM_SW4_ISA
