// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "numerics/extent.hpp"
#include "numerics/grid.hpp"
#include "numerics/kernels.hpp"
#include "numerics/points.hpp"

namespace sw4 {

/// Elastic constants at a point: density (kg/m^3), Lame's parameters (Pa).
struct Elastic {
  double density = 1.0;
  double mu = 1.0;
  double lambda = 1.0;
};
using ElasticModel = std::function<Elastic(const Point&)>;

/// The edge of a patch on one side along x (axis 0) or y (axis 1).
enum class Side { lower, upper };

/// A region of the grid with the motion of its points. A time step, of order 4 (Sjoegreen and
/// Petersson 2012, section 5), is a predictor and a corrector, after each of which neighbours
/// exchange edges, first along x, then along y, where the edges have the halo of x:
///   predict:  a = (L u + f) / density                           exchange of a
///   correct:  u(next) = 2 u - u(before) + dt^2 (a + dt^2 / 12 (L a + f'') / density),
///             less the dissipation in the layers                exchange of u(next)
/// Neither bits nor order of operations at a point depend on how the grid is cut.
/// The equation is linear and does not change with time: with the rates of moments as forces, u is
/// the velocity. Not thread-safe.
class Patch {
 public:
  Patch() = default;
  Patch(const Grid& grid, const Region& region, const ElasticModel& model);

  /// Forces of sources in this patch, in the order of sources.
  void set_forces(std::vector<PointForce> forces) { forces_ = std::move(forces); }
  void set_receivers(std::vector<PatchReceiver> receivers) { receivers_ = std::move(receivers); }
  /// u now and a step before, in SI units; for tests.
  void set_state(std::vector<double> now, std::vector<double> before);

  /// `rates`: of all sources now, 1/s.
  void predict(std::span<const double> rates);
  /// `bends`: the second derivatives of the rates now.
  void correct(double step, std::span<const double> bends);
  /// Ends a phase when its edges have been exchanged: sets ghost points.
  void finish_predictor();
  void finish_corrector();

  /// Values in an edge, which is two points deep.
  [[nodiscard]] std::size_t edge_size(int axis) const;
  /// The patch's own points at a side, of what the running phase exchanges. Shape: edge_size(axis).
  void copy_edge(int axis, Side side, std::span<double> values) const;
  /// The neighbour's points beyond a side.
  void set_halo(int axis, Side side, std::span<const double> values);

  /// The receivers' numbers and motion now, m/s.
  [[nodiscard]] const std::vector<PatchReceiver>& receivers() const { return receivers_; }
  [[nodiscard]] std::array<double, 3> read(const PatchReceiver& receiver) const;

  [[nodiscard]] const Extent& extent() const { return extent_; }
  [[nodiscard]] const Region& region() const { return region_; }
  [[nodiscard]] Medium medium() const;
  [[nodiscard]] const std::vector<double>& now() const { return now_; }
  [[nodiscard]] const std::vector<double>& before() const { return before_; }
  [[nodiscard]] const std::vector<double>& acceleration() const { return acceleration_; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(region_, extent_, spacing_, strength_, is_correcting_, mu_, lambda_, density_,
            stretch_x_, stretch_y_, stretch_z_, damping_x_, damping_y_, damping_z_, now_, before_,
            acceleration_, next_, forces_, receivers_);
  }

 private:
  [[nodiscard]] std::vector<double>& exchanged() { return is_correcting_ ? now_ : acceleration_; }
  [[nodiscard]] const std::vector<double>& exchanged() const {
    return is_correcting_ ? now_ : acceleration_;
  }
  [[nodiscard]] double* scratch();
  void add_forces(std::vector<double>& field, double factor, std::span<const double> rates) const;

  Region region_;
  Extent extent_;
  double spacing_ = 1.0;
  double strength_ = 0.0;  // of the dissipation
  bool is_correcting_ = true;
  std::vector<double> mu_, lambda_, density_;
  std::vector<double> stretch_x_, stretch_y_, stretch_z_;
  std::vector<double> damping_x_, damping_y_, damping_z_;
  std::vector<double> now_, before_, acceleration_, next_;
  std::vector<PointForce> forces_;
  std::vector<PatchReceiver> receivers_;
  std::vector<double> scratch_;  // made where it is needed; does not travel
};

/// `factor` h / sqrt(cp^2 + 2 cs^2), s: stable inside up to a factor of 1.5, at the surface up to
/// 1.3 at least.
[[nodiscard]] double step_of(double spacing, const Elastic& elastic, double factor);

}  // namespace sw4
