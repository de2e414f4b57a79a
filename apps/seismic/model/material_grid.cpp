// SPDX-License-Identifier: Apache-2.0
#include "model/material_grid.hpp"

#include <algorithm>
#include <string>

#include "model/line_reader.hpp"
#include "model/solid.hpp"

namespace seismic {
namespace {

struct Entry {
  int line;
  Point point;
  Material material;
};

std::vector<Entry> entries_of(std::istream& in) {
  std::vector<Entry> entries;
  LineReader reader(in);
  while (reader.next()) {
    const auto values = reader.numbers(6, "x, y, depth, density, P speed, S speed");
    const Material material{values[3], values[4], values[5]};
    if (!is_solid(material)) reader.fail(std::string("is ") + no_solid);
    entries.push_back({reader.line(), {values[0], values[1], values[2]}, material});
  }
  return entries;
}

Material mean(const Material& a, const Material& b, double part) {
  const auto of = [part](double x, double y) { return (1.0 - part) * x + part * y; };
  return {of(a.density, b.density), of(a.p_speed, b.p_speed), of(a.s_speed, b.s_speed)};
}

}  // namespace

MaterialGrid MaterialGrid::read(std::istream& in) {
  const std::vector<Entry> entries = entries_of(in);
  MaterialGrid grid;
  std::size_t count = 1;
  std::string sizes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<double> values;
    for (const Entry& entry : entries) values.push_back(entry.point[axis]);
    grid.axes_[axis] = GridAxis(std::move(values));
    count *= grid.axes_[axis].size();
    sizes += (axis > 0 ? " x " : "") + std::to_string(grid.axes_[axis].size());
  }
  if (entries.empty() || entries.size() != count) {
    throw LineError(0, std::to_string(entries.size()) + " points are no grid of " + sizes);
  }
  grid.materials_.resize(count);
  std::vector<int> lines(count, 0);
  for (const Entry& entry : entries) {
    const std::size_t at =
        grid.place(grid.axes_[0].place_of(entry.point[0]), grid.axes_[1].place_of(entry.point[1]),
                   grid.axes_[2].place_of(entry.point[2]));
    if (lines[at] != 0) {
      throw LineError(entry.line, "is the point of line " + std::to_string(lines[at]) + " again");
    }
    lines[at] = entry.line;
    grid.materials_[at] = entry.material;
  }
  return grid;
}

bool MaterialGrid::has_inside(const Point& point) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const GridAxis& own = axes_[axis];
    if (own.size() > 1 && !(point[axis] >= own.front() && point[axis] <= own.back())) return false;
  }
  return true;
}

Material MaterialGrid::at(const Point& point) const {
  const auto x = axes_[0].interval(point[0]);
  const auto y = axes_[1].interval(point[1]);
  const auto z = axes_[2].interval(point[2]);
  const auto along_x = [&](std::size_t j, std::size_t k) {
    return mean(materials_[place(x.before, j, k)], materials_[place(x.after, j, k)], x.part);
  };
  const auto along_y = [&](std::size_t k) {
    return mean(along_x(y.before, k), along_x(y.after, k), y.part);
  };
  return mean(along_y(z.before), along_y(z.after), z.part);
}

double MaterialGrid::fastest() const {
  double result = 0.0;
  for (const Material& material : materials_) result = std::max(result, material.p_speed);
  return result;
}

}  // namespace seismic
