// SPDX-License-Identifier: Apache-2.0
#include "model/surface_grid.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "model/esri_head.hpp"
#include "model/line_reader.hpp"

namespace seismic {
namespace {

/// What GMT's own grids begin with: netCDF 3 or 4.
bool is_binary(const std::string& text) {
  return text.rfind("CDF", 0) == 0 || text.find("HDF") == 1;
}

}  // namespace

SurfaceGrid SurfaceGrid::read(std::istream& in) {
  LineReader first(in);
  if (!first.next()) throw LineError(0, "has no elevations");
  if (is_binary(first.text())) {
    throw LineError(0, "is a netCDF grid: apps/seismic/tools/grid_to_xyz.py converts it");
  }
  const bool is_esri = EsriHead::begins_with(first.text());
  in.clear();
  in.seekg(0);
  return is_esri ? read_esri(in) : read_xyz(in);
}

SurfaceGrid SurfaceGrid::read_xyz(std::istream& in) {
  std::vector<std::array<double, 3>> points;
  std::vector<int> lines;
  std::vector<double> xs, ys;
  LineReader reader(in);
  while (reader.next()) {
    const std::vector<double> values = reader.numbers(3, "x, y, elevation");
    points.push_back({values[0], values[1], values[2]});
    lines.push_back(reader.line());
    xs.push_back(values[0]);
    ys.push_back(values[1]);
  }
  SurfaceGrid grid;
  grid.x_ = GridAxis(std::move(xs));
  grid.y_ = GridAxis(std::move(ys));
  if (grid.x_.size() < 2 || grid.y_.size() < 2 ||
      points.size() != grid.x_.size() * grid.y_.size()) {
    throw LineError(0, std::to_string(points.size()) + " points are no grid of " +
                           std::to_string(grid.x_.size()) + " x " + std::to_string(grid.y_.size()));
  }
  grid.values_.resize(points.size());
  std::vector<int> line_of(points.size(), 0);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto& [x, y, elevation] = points[k];
    const std::size_t at = grid.y_.place_of(y) * grid.x_.size() + grid.x_.place_of(x);
    if (line_of[at] != 0) {
      throw LineError(lines[k], "is the point of line " + std::to_string(line_of[at]) + " again");
    }
    line_of[at] = lines[k];
    grid.values_[at] = elevation;
  }
  return grid;
}

SurfaceGrid SurfaceGrid::read_esri(std::istream& in) {
  LineReader reader(in);
  const EsriHead head = EsriHead::read(reader);
  SurfaceGrid grid;
  grid.x_ = head.axis(0);
  grid.y_ = head.axis(1);
  grid.margin_ = head.margin();
  const std::size_t columns = head.count[0], rows = head.count[1];
  grid.values_.resize(columns * rows);
  std::size_t found = 0;
  // read() has gone to the first line of elevations.
  for (bool has_line = true; has_line; has_line = reader.next()) {
    for (const double value : reader.numbers()) {
      if (head.has_no_data && value == head.no_data) reader.fail("a point has no elevation");
      if (found == columns * rows) reader.fail("the grid has more elevations than points");
      grid.values_[(rows - 1 - found / columns) * columns + found % columns] = value;
      ++found;
    }
  }
  if (found != columns * rows) {
    reader.fail("the grid has " + std::to_string(found) + " elevations, not " +
                std::to_string(columns) + " x " + std::to_string(rows));
  }
  return grid;
}

double SurfaceGrid::elevation(double x, double y) const {
  const auto along_x = x_.interval(x);
  const auto along_y = y_.interval(y);
  const auto in_row = [&](std::size_t row) {
    const double* values = values_.data() + row * x_.size();
    return (1.0 - along_x.part) * values[along_x.before] + along_x.part * values[along_x.after];
  };
  return (1.0 - along_y.part) * in_row(along_y.before) + along_y.part * in_row(along_y.after);
}

bool SurfaceGrid::covers(double x_low, double x_high, double y_low, double y_high) const {
  return x_.front() - margin_[0] <= x_low && x_.back() + margin_[0] >= x_high &&
         y_.front() - margin_[1] <= y_low && y_.back() + margin_[1] >= y_high;
}

}  // namespace seismic
