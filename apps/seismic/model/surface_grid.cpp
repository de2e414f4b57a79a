// SPDX-License-Identifier: Apache-2.0
#include "model/surface_grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>
#include <string>

namespace seismic {
namespace {

std::vector<double> distinct(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t place_of(const std::vector<double>& values, double value) {
  return static_cast<std::size_t>(std::lower_bound(values.begin(), values.end(), value) -
                                  values.begin());
}

/// The interval that x lies in, and where in it, 0 to 1.
std::pair<std::size_t, double> interval(const std::vector<double>& ends, double x) {
  const double inside = std::clamp(x, ends.front(), ends.back());
  const std::size_t after = std::max<std::size_t>(1, place_of(ends, inside));
  return {after - 1, (inside - ends[after - 1]) / (ends[after] - ends[after - 1])};
}

}  // namespace

SurfaceGrid SurfaceGrid::read_xyz(std::istream& in) {
  std::vector<std::array<double, 3>> points;
  std::vector<double> xs, ys;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos || line[0] == '#') continue;
    std::istringstream words(line);
    std::array<double, 3> point{};
    std::string rest;
    if (!(words >> point[0] >> point[1] >> point[2]) || words >> rest ||
        !std::isfinite(point[0] + point[1] + point[2])) {
      throw std::invalid_argument("line " + std::to_string(number) +
                                  " must be three finite numbers");
    }
    points.push_back(point);
    xs.push_back(point[0]);
    ys.push_back(point[1]);
  }
  SurfaceGrid grid;
  grid.x_ = distinct(std::move(xs));
  grid.y_ = distinct(std::move(ys));
  if (grid.x_.size() < 2 || grid.y_.size() < 2 ||
      points.size() != grid.x_.size() * grid.y_.size()) {
    throw std::invalid_argument(std::to_string(points.size()) + " points are no grid of " +
                                std::to_string(grid.x_.size()) + " x " +
                                std::to_string(grid.y_.size()));
  }
  grid.values_.assign(points.size(), std::numeric_limits<double>::quiet_NaN());
  for (const auto& [x, y, elevation] : points) {
    double& value = grid.values_[place_of(grid.y_, y) * grid.x_.size() + place_of(grid.x_, x)];
    if (!std::isnan(value)) throw std::invalid_argument("a point of the grid is there twice");
    value = elevation;
  }
  return grid;
}

double SurfaceGrid::elevation(double x, double y) const {
  const auto [i, a] = interval(x_, x);
  const auto [j, b] = interval(y_, y);
  const double* row = values_.data() + j * x_.size() + i;
  return (1.0 - b) * ((1.0 - a) * row[0] + a * row[1]) +
         b * ((1.0 - a) * row[x_.size()] + a * row[x_.size() + 1]);
}

bool SurfaceGrid::covers(double x_low, double x_high, double y_low, double y_high) const {
  return x_.front() <= x_low && x_.back() >= x_high && y_.front() <= y_low && y_.back() >= y_high;
}

}  // namespace seismic
