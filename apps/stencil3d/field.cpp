// SPDX-License-Identifier: Apache-2.0
#include "field.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace stencil3d {

namespace {

double angle(const Mode& mode, std::size_t direction) {
  return 2 * std::numbers::pi * static_cast<double>(mode.waves[direction]) /
         static_cast<double>(mode.grid[direction]);
}

/// Calls visit(x, y, z) for the cells inside.
template <class Visit>
void for_each(const Triple& size, Visit&& visit) {
  for (std::int64_t x = 0; x < size[0]; ++x) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t z = 0; z < size[2]; ++z) visit(x, y, z);
    }
  }
}

/// One row of cells, along z.
void sweep_row(const double* left, const double* right, const double* front, const double* back,
               const double* here, double* result, std::int64_t length) {
  for (std::int64_t z = 0; z < length; ++z) {
    const double sum =
        here[z] + left[z] + right[z] + front[z] + back[z] + here[z - 1] + here[z + 1];
    result[z] = sum / 7;
  }
}

}  // namespace

double Mode::value(std::int64_t x, std::int64_t y, std::int64_t z) const {
  return std::cos(angle(*this, 0) * static_cast<double>(x)) *
         std::cos(angle(*this, 1) * static_cast<double>(y)) *
         std::cos(angle(*this, 2) * static_cast<double>(z));
}

double Mode::decay() const {
  return (1 +
          2 * (std::cos(angle(*this, 0)) + std::cos(angle(*this, 1)) + std::cos(angle(*this, 2)))) /
         7;
}

void fill(Box& box, const Triple& origin, const Mode& mode) {
  for_each(box.size, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    box.at(x, y, z) = mode.value(origin[0] + x, origin[1] + y, origin[2] + z);
  });
}

void sweep(const Box& before, Box& after) {
  const auto row = [&before](std::int64_t x, std::int64_t y) {
    return before.cells.data() +
           (((x + 1) * (before.size[1] + 2) + y + 1) * (before.size[2] + 2) + 1);
  };
  for (std::int64_t x = 0; x < before.size[0]; ++x) {
    for (std::int64_t y = 0; y < before.size[1]; ++y) {
      sweep_row(row(x - 1, y), row(x + 1, y), row(x, y - 1), row(x, y + 1), row(x, y),
                &after.at(x, y, 0), before.size[2]);
    }
  }
}

Outcome outcome_of(const Box& box, const Triple& origin, const Mode& mode, std::int64_t steps) {
  Outcome outcome;
  const double amplitude = std::pow(mode.decay(), static_cast<double>(steps));
  for_each(box.size, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const std::int64_t at_x = origin[0] + x;
    const std::int64_t at_y = origin[1] + y;
    const std::int64_t at_z = origin[2] + z;
    const double cell = box.at(x, y, z);
    const auto place =
        static_cast<std::uint64_t>((at_x * mode.grid[1] + at_y) * mode.grid[2] + at_z);
    outcome.fingerprint += std::bit_cast<std::uint64_t>(cell) * (2 * place + 1);
    const double error = std::abs(cell - amplitude * mode.value(at_x, at_y, at_z));
    outcome.largest_error = std::max(outcome.largest_error, error);
  });
  return outcome;
}

}  // namespace stencil3d
