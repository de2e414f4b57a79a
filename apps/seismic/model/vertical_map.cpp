// SPDX-License-Identifier: Apache-2.0
#include "model/vertical_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <utility>

namespace seismic {
namespace {

/// Lagrange polynomials through `nodes` at x.
std::vector<double> lagrange(const std::vector<double>& nodes, double x) {
  std::vector<double> values(nodes.size(), 1.0);
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    for (std::size_t j = 0; j < nodes.size(); ++j) {
      if (j != k) values[k] *= (x - nodes[j]) / (nodes[k] - nodes[j]);
    }
  }
  return values;
}

/// The root that x lies in, along an axis, and where in it, 0 to 1.
std::pair<std::size_t, double> root_of(const RootGrid& grid, std::size_t axis, double x) {
  const double at = (x - grid.origin[axis]) / grid.size;
  const double root = std::clamp(std::floor(at), 0.0, grid.count[axis] - 1.0);
  return {static_cast<std::size_t>(root), at - root};
}

}  // namespace

VerticalMap::VerticalMap(const RootGrid& grid, std::vector<Horizon> horizons, int degree)
    : grid_(grid) {
  if (horizons.empty()) return;
  const double top = grid.origin[2];
  const double bottom = top + grid.size * grid.count[2];
  const double tolerance = 1e-9 * grid.size;
  const auto flat = [](double depth) {
    return Horizon{depth, [depth](double, double) { return depth; }};
  };
  if (horizons.front().reference > top + tolerance) horizons.insert(horizons.begin(), flat(top));
  if (horizons.back().reference < bottom - tolerance) horizons.push_back(flat(bottom));
  for (int k = 0; k <= degree; ++k) {
    nodes_.push_back(0.5 - 0.5 * std::cos(std::numbers::pi * k / degree));
  }
  nodes_.front() = 0.0;
  nodes_.back() = 1.0;
  for (const Horizon& horizon : horizons) {
    references_.push_back(horizon.reference);
    std::vector<double> values;
    for (int j = 0; j < grid.count[1]; ++j) {
      for (int i = 0; i < grid.count[0]; ++i) {
        for (const double b : nodes_) {
          for (const double a : nodes_) {
            values.push_back(horizon.depth(grid.origin[0] + grid.size * (i + a),
                                           grid.origin[1] + grid.size * (j + b)));
          }
        }
      }
    }
    if (!depths_.empty()) {
      const std::vector<double>& above = depths_.back();
      for (std::size_t k = 0; k < values.size(); ++k) {
        if (!(values[k] > above[k])) throw std::invalid_argument("two horizons meet or cross");
      }
    }
    depths_.push_back(std::move(values));
  }
  if (references_.front() < top - tolerance || references_.back() > bottom + tolerance ||
      !std::is_sorted(references_.begin(), references_.end(), std::less_equal<>())) {
    throw std::invalid_argument("horizons must lie below each other within the domain");
  }
}

std::vector<double> VerticalMap::horizon_depths(double x, double y) const {
  const auto [i, a] = root_of(grid_, 0, x);
  const auto [j, b] = root_of(grid_, 1, y);
  const std::vector<double> along_x = lagrange(nodes_, a), along_y = lagrange(nodes_, b);
  const std::size_t count = nodes_.size();
  const std::size_t first = (j * static_cast<std::size_t>(grid_.count[0]) + i) * count * count;
  std::vector<double> result;
  for (const std::vector<double>& values : depths_) {
    double depth = 0.0;
    for (std::size_t q = 0; q < count; ++q) {
      for (std::size_t p = 0; p < count; ++p) {
        depth += along_y[q] * along_x[p] * values[first + q * count + p];
      }
    }
    result.push_back(depth);
  }
  return result;
}

double VerticalMap::depth(const Point& reference) const {
  if (is_identity()) return reference[2];
  const std::vector<double> depths = horizon_depths(reference[0], reference[1]);
  std::size_t k = 1;
  while (k + 1 < references_.size() && reference[2] > references_[k]) ++k;
  const double part = (reference[2] - references_[k - 1]) / (references_[k] - references_[k - 1]);
  return depths[k - 1] + part * (depths[k] - depths[k - 1]);
}

Point VerticalMap::reference(const Point& point) const {
  if (is_identity()) return point;
  const std::vector<double> depths = horizon_depths(point[0], point[1]);
  std::size_t k = 1;
  while (k + 1 < references_.size() && point[2] > depths[k]) ++k;
  double part = (point[2] - depths[k - 1]) / (depths[k] - depths[k - 1]);
  // A point on the surface is in the domain, whatever rounding does.
  if (std::abs(part) < 1e-9) part = 0.0;
  if (std::abs(part - 1.0) < 1e-9) part = 1.0;
  return {point[0], point[1], references_[k - 1] + part * (references_[k] - references_[k - 1])};
}

bool VerticalMap::cuts(const Point& lower, double size) const {
  const double tolerance = 1e-9 * size;
  return std::any_of(references_.begin(), references_.end(), [&](double reference) {
    return reference > lower[2] + tolerance && reference < lower[2] + size - tolerance;
  });
}

}  // namespace seismic
