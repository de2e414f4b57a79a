// SPDX-License-Identifier: Apache-2.0
#include "numerics/patch.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "numerics/supergrid.hpp"
#include "numerics/surface.hpp"

namespace sw4 {
namespace {

/// The points of an edge or of a halo: `begin` to `end` along x and y.
struct Box {
  std::array<std::int32_t, 2> begin;
  std::array<std::int32_t, 2> end;
};

/// `is_halo`: beyond the side, else the own points at it.
Box box_at(const Extent& extent, int axis, Side side, bool is_halo) {
  constexpr std::int32_t halo = Extent::halo;
  // Along y, the halo of x is part of the edge: corners come from it.
  Box box{{0, 0}, {extent.nx, extent.ny}};
  if (axis == 1) {
    box.begin[0] = -halo;
    box.end[0] = extent.nx + halo;
  }
  const auto d = static_cast<std::size_t>(axis);
  const std::int32_t size = axis == 0 ? extent.nx : extent.ny;
  if (side == Side::lower) {
    box.begin[d] = is_halo ? -halo : 0;
  } else {
    box.begin[d] = is_halo ? size : size - halo;
  }
  box.end[d] = box.begin[d] + halo;
  return box;
}

/// Calls visit(place, count) for each run of consecutive points, component by component.
template <class Visit>
void for_each_run(const Extent& extent, const Box& box, Visit&& visit) {
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::int32_t k = 1; k <= extent.nz; ++k) {
      for (std::int32_t j = box.begin[1]; j < box.end[1]; ++j) {
        visit(static_cast<std::ptrdiff_t>(c * extent.volume()) + extent.at(box.begin[0], j, k),
              box.end[0] - box.begin[0]);
      }
    }
  }
}

}  // namespace

Patch::Patch(const Grid& grid, const Region& region, const ElasticModel& model)
    : region_(region),
      extent_{region.end[0] - region.begin[0], region.end[1] - region.begin[1], grid.points[2]},
      spacing_(grid.spacing),
      strength_(grid.layer > 0 ? grid.damping : 0.0) {
  constexpr std::int32_t halo = Extent::halo;
  for (std::vector<double>* field : {&now_, &before_, &acceleration_, &next_})
    field->assign(3 * extent_.volume(), 0.0);
  for (std::vector<double>* field : {&mu_, &lambda_, &density_}) field->resize(extent_.volume());
  for (std::int32_t k = 0; k <= extent_.nz + halo; ++k) {
    for (std::int32_t j = -halo; j < extent_.ny + halo; ++j) {
      for (std::int32_t i = -halo; i < extent_.nx + halo; ++i) {
        const Elastic elastic =
            model(grid.position(region.begin[0] + i, region.begin[1] + j, std::max(k, 1)));
        const auto at = static_cast<std::size_t>(extent_.at(i, j, k));
        mu_[at] = elastic.mu;
        lambda_[at] = elastic.lambda;
        density_[at] = elastic.density;
      }
    }
  }
  const auto side = [&](std::size_t d) {
    return make_supergrid(grid.points[d], grid.layer, true, region.begin[d] - halo,
                          region.end[d] + halo - 1);
  };
  Supergrid x = side(0);
  Supergrid y = side(1);
  Supergrid z = make_supergrid(grid.points[2], grid.layer, false, -1, grid.points[2] + 1);
  stretch_x_ = std::move(x.stretch);
  stretch_y_ = std::move(y.stretch);
  stretch_z_ = std::move(z.stretch);
  damping_x_ = std::move(x.damping);
  damping_y_ = std::move(y.damping);
  damping_z_ = std::move(z.damping);
}

Medium Patch::medium() const {
  return {extent_,           spacing_,          mu_.data(),        lambda_.data(),
          density_.data(),   stretch_x_.data(), stretch_y_.data(), stretch_z_.data(),
          damping_x_.data(), damping_y_.data(), damping_z_.data()};
}

void Patch::set_state(std::vector<double> now, std::vector<double> before) {
  now_ = std::move(now);
  before_ = std::move(before);
}

double* Patch::scratch() {
  scratch_.resize(scratch_size(extent_));
  return scratch_.data();
}

void Patch::add_forces(std::vector<double>& field, double factor,
                       std::span<const double> rates) const {
  for (const PointForce& force : forces_) {
    const auto at = static_cast<std::size_t>(force.at);
    const double scale = factor * rates[static_cast<std::size_t>(force.source)] / density_[at];
    for (std::size_t c = 0; c < 3; ++c) field[c * extent_.volume() + at] += scale * force.force[c];
  }
}

void Patch::predict(std::span<const double> rates) {
  is_correcting_ = false;
  kernels().accelerate(medium(), now_.data(), acceleration_.data(), scratch());
  add_forces(acceleration_, 1.0, rates);
}

void Patch::correct(double step, std::span<const double> bends) {
  is_correcting_ = true;
  kernels().advance(medium(), acceleration_.data(), now_.data(), before_.data(), step, next_.data(),
                    scratch());
  add_forces(next_, step * step * step * step / 12.0, bends);
  if (strength_ > 0.0) {
    kernels().damp(medium(), now_.data(), before_.data(), strength_, next_.data());
  }
  std::swap(before_, now_);
  std::swap(now_, next_);
}

void Patch::finish_predictor() { free_surface(medium(), acceleration_.data()); }
void Patch::finish_corrector() { free_surface(medium(), now_.data()); }

std::size_t Patch::edge_size(int axis) const {
  const std::int32_t across = axis == 0 ? extent_.ny : extent_.nx + 2 * Extent::halo;
  return 3 * static_cast<std::size_t>(Extent::halo) * static_cast<std::size_t>(across) *
         static_cast<std::size_t>(extent_.nz);
}

void Patch::copy_edge(int axis, Side side, std::span<double> values) const {
  const double* from = exchanged().data();
  double* to = values.data();
  for_each_run(
      extent_, box_at(extent_, axis, side, false),
      [&](std::ptrdiff_t at, std::int32_t count) { to = std::copy_n(from + at, count, to); });
}

void Patch::set_halo(int axis, Side side, std::span<const double> values) {
  double* to = exchanged().data();
  const double* from = values.data();
  for_each_run(extent_, box_at(extent_, axis, side, true),
               [&](std::ptrdiff_t at, std::int32_t count) {
                 std::copy_n(from, count, to + at);
                 from += count;
               });
}

std::array<double, 3> Patch::read(const PatchReceiver& receiver) const {
  return receiver.read(extent_, now_.data());
}

double step_of(double spacing, const Elastic& elastic, double factor) {
  return factor * spacing / std::sqrt((elastic.lambda + 4.0 * elastic.mu) / elastic.density);
}

}  // namespace sw4
