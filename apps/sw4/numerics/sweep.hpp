// SPDX-License-Identifier: Apache-2.0
#pragma once

// Included by kernels_instances.cpp alone, once for each instruction set.
#include <algorithm>
#include <array>
#include <cstdint>

#include "numerics/kernels.hpp"
#include "numerics/rows.hpp"
#include "numerics/strips.hpp"

namespace sw4::ROAM_SW4_ISA {

/// L of a field at all points of a patch. Mixed derivatives are products of first ones: the inner
/// one times its coefficient is computed once for each point and kept - for the outer derivative
/// along x in a row, along y in a ring of five rows, down in a ring of eight planes. To keep the
/// planes in the cache, the patch is swept in strips of some rows.
template <class Sink>
class Sweep {
 public:
  Sweep(const Medium& medium, const double* field, const Sink& sink, double* scratch)
      : medium_(medium),
        extent_(medium.extent),
        row_(extent_.row()),
        plane_(extent_.plane()),
        sink_(sink) {
    const auto volume = static_cast<std::ptrdiff_t>(extent_.volume());
    for (std::size_t c = 0; c < 3; ++c) field_[c] = field + volume * static_cast<std::ptrdiff_t>(c);
    buffer_ = scratch + Extent::halo;
  }

  void run() {
    for (begin_ = 0; begin_ < extent_.ny; begin_ += strip) {
      end_ = std::min(begin_ + strip, extent_.ny);
      std::int32_t ready = 0;  // planes of the ring
      for (std::int32_t k = 1; k <= extent_.nz; ++k) {
        while (ready < (k == 1 ? 4 : k + 2)) fill_plane(++ready);
        down_ = first_difference_down(k);
        for (std::int32_t j = begin_ - 2; j < begin_ + 2; ++j) fill_ring_row(j, k);
        for (std::int32_t j = begin_; j < end_; ++j) {
          fill_ring_row(j + 2, k);
          row(j, k);
        }
      }
    }
  }

 private:
  [[nodiscard]] double* line(std::int32_t number) { return buffer_ + row_ * number; }
  [[nodiscard]] double* ring_row(std::int32_t which, std::int32_t j) {
    return line(row_lines + which * ring_rows + ((j + Extent::halo) & (ring_rows - 1)));
  }
  [[nodiscard]] double* ring_plane(std::int32_t which, std::int32_t k, std::int32_t j) {
    const std::int32_t plane = which * ring_planes + (k & (ring_planes - 1));
    return line(row_lines + 3 * ring_rows + plane * strip + (j - begin_));
  }
  [[nodiscard]] double stretch_y(std::int32_t j) const {
    return medium_.stretch_y[j + Extent::halo];
  }

  /// The derivative down of a component, `at` a point of the current plane.
  [[nodiscard]] double slope(const double* at, std::int32_t k) const {
    const auto [k0, k1, k2, k3] = down_.at;
    const auto [f0, f1, f2, f3] = down_.factor;
    return (f0 * at[plane_ * (k0 - k)] + f1 * at[plane_ * (k1 - k)]) +
           (f2 * at[plane_ * (k2 - k)] + f3 * at[plane_ * (k3 - k)]);
  }

  /// What is differentiated down: mu w_x, mu w_y, lambda (u_x + v_y).
  void fill_plane(std::int32_t k) {
    for (std::int32_t j = begin_; j < end_; ++j) {
      Out to_u = ring_plane(0, k, j), to_v = ring_plane(1, k, j), to_w = ring_plane(2, k, j);
      if (k > extent_.nz) {  // nothing moves there
        for (std::int32_t i = 0; i < extent_.nx; ++i) to_u[i] = to_v[i] = to_w[i] = 0.0;
        continue;
      }
      const std::ptrdiff_t at = extent_.at(0, j, k);
      In mu = medium_.mu + at, lambda = medium_.lambda + at;
      In u = field_[0] + at, v = field_[1] + at, w = field_[2] + at;
      In phi_x = medium_.stretch_x + Extent::halo;
      const double phi_y = stretch_y(j);
      for (std::int32_t i = 0; i < extent_.nx; ++i) {
        to_u[i] = mu[i] * (phi_x[i] * first(w + i, 1));
        to_v[i] = mu[i] * (phi_y * first(w + i, row_));
        to_w[i] = lambda[i] * (phi_x[i] * first(u + i, 1) + phi_y * first(v + i, row_));
      }
    }
  }

  /// What is differentiated along y: mu v_x, lambda (u_x + w_z), mu v_z.
  void fill_ring_row(std::int32_t j, std::int32_t k) {
    const std::ptrdiff_t at = extent_.at(0, j, k);
    In mu = medium_.mu + at, lambda = medium_.lambda + at;
    In u = field_[0] + at, v = field_[1] + at, w = field_[2] + at;
    In phi_x = medium_.stretch_x + Extent::halo;
    const double phi_z = medium_.stretch_z[k];
    Out to_u = ring_row(0, j), to_v = ring_row(1, j), to_w = ring_row(2, j);
    for (std::int32_t i = 0; i < extent_.nx; ++i) {
      to_u[i] = mu[i] * (phi_x[i] * first(v + i, 1));
      to_v[i] = lambda[i] * (phi_x[i] * first(u + i, 1) + phi_z * slope(w + i, k));
      to_w[i] = mu[i] * (phi_z * slope(v + i, k));
    }
  }

  /// What is differentiated along x: lambda (v_y + w_z), mu u_y, mu u_z; and the row's moduli.
  void fill_row(std::int32_t j, std::int32_t k) {
    const std::ptrdiff_t at = extent_.at(0, j, k);
    In mu = medium_.mu + at, lambda = medium_.lambda + at;
    In u = field_[0] + at, v = field_[1] + at, w = field_[2] + at;
    In phi_x = medium_.stretch_x + Extent::halo;
    const double phi_y = stretch_y(j);
    const double phi_z = medium_.stretch_z[k];
    Out to_u = line(0), to_v = line(1), to_w = line(2), p = line(3), s = line(4);
    for (std::int32_t i = -Extent::halo; i < extent_.nx + Extent::halo; ++i) {
      to_u[i] = lambda[i] * (phi_y * first(v + i, row_) + phi_z * slope(w + i, k));
      to_v[i] = mu[i] * (phi_y * first(u + i, row_));
      to_w[i] = mu[i] * (phi_z * slope(u + i, k));
      p[i] = phi_x[i] * (lambda[i] + 2.0 * mu[i]);
      s[i] = phi_x[i] * mu[i];
    }
  }

  void row(std::int32_t j, std::int32_t k) {
    fill_row(j, k);
    const std::int32_t n = extent_.nx;
    const std::ptrdiff_t at = extent_.at(0, j, k);
    const RowsIn field{field_[0] + at, field_[1] + at, field_[2] + at};
    const RowsOut out{line(5), line(6), line(7)};
    along_x(n, line(3), line(4), medium_.stretch_x + Extent::halo, field,
            {line(0), line(1), line(2)}, out);
    std::array<Five, 3> mixed{};
    Stretches stretch{};
    for (std::int32_t d = 0; d < 5; ++d) {
      const auto place = static_cast<std::size_t>(d);
      for (std::int32_t c = 0; c < 3; ++c)
        mixed[static_cast<std::size_t>(c)][place] = ring_row(c, j + d - 2);
      stretch[place] = stretch_y(j + d - 2);
    }
    across<1>(n, five(medium_.mu + at, row_), five(medium_.lambda + at, row_), stretch, field, row_,
              out);
    mixed_across(n, stretch_y(j), mixed, out);
    down(j, k, field, out);
    sink_.put(at, n, out);
  }

  void down(std::int32_t j, std::int32_t k, const RowsIn& field, const RowsOut& out) {
    const std::int32_t n = extent_.nx;
    const std::ptrdiff_t at = extent_.at(0, j, k);
    if (k <= static_cast<std::int32_t>(Closure<double>::rows)) {
      const std::ptrdiff_t top = at - plane_ * k;
      down_at_surface(n, k, medium_.mu + top, medium_.lambda + top,
                      {field.u - plane_ * k, field.v - plane_ * k, field.w - plane_ * k}, plane_,
                      out);
      std::array<std::array<const double*, 4>, 3> mixed{};
      for (std::int32_t c = 0; c < 3; ++c) {
        for (std::size_t d = 0; d < 4; ++d)
          mixed[static_cast<std::size_t>(c)][d] = ring_plane(c, down_.at[d], j);
      }
      mixed_down(n, medium_.stretch_z[k], down_, mixed, out);
      return;
    }
    std::array<Five, 3> mixed{};
    Stretches stretch{};
    for (std::int32_t d = 0; d < 5; ++d) {
      const auto place = static_cast<std::size_t>(d);
      for (std::int32_t c = 0; c < 3; ++c)
        mixed[static_cast<std::size_t>(c)][place] = ring_plane(c, k + d - 2, j);
      stretch[place] = medium_.stretch_z[k + d - 2];
    }
    across<2>(n, five(medium_.mu + at, plane_), five(medium_.lambda + at, plane_), stretch, field,
              plane_, out);
    mixed_across(n, medium_.stretch_z[k], mixed, out);
  }

  [[nodiscard]] static Five five(const double* at, std::ptrdiff_t step) {
    return {at - 2 * step, at - step, at, at + step, at + 2 * step};
  }

  const Medium& medium_;
  const Extent extent_;
  const std::ptrdiff_t row_;
  const std::ptrdiff_t plane_;
  const Sink& sink_;
  std::array<const double*, 3> field_{};
  double* buffer_ = nullptr;
  std::int32_t begin_ = 0;  // rows of the strip
  std::int32_t end_ = 0;
  FirstDifference down_;  // at the current plane
};

}  // namespace sw4::ROAM_SW4_ISA
