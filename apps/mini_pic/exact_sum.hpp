// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>

namespace mini_pic {

/// A sum of numbers that does not depend on their order, nor on how they are grouped: each is cut
/// into whole numbers of units of 2^-20, 2^-56 and 2^-92, and these are added up. What is less than
/// 2^-92 is left out. There may be 2^26 numbers. Plain bytes.
struct ExactSum {
  std::array<std::int64_t, 3> units{};

  /// Throws std::overflow_error if the number's magnitude is 2^16 or more, or if it is none.
  void add(double x) {
    if (!(std::abs(x) < 0x1p16)) throw std::overflow_error("the solution grows without limit");
    double scaled = x * 0x1p20;
    for (std::int64_t& unit : units) {
      const double whole = std::floor(scaled);
      unit += static_cast<std::int64_t>(whole);
      scaled = (scaled - whole) * 0x1p36;
    }
  }
  [[nodiscard]] double value() const {
    return static_cast<double>(units[0]) * 0x1p-20 + static_cast<double>(units[1]) * 0x1p-56 +
           static_cast<double>(units[2]) * 0x1p-92;
  }
  friend ExactSum operator+(const ExactSum& a, const ExactSum& b) {
    return {{a.units[0] + b.units[0], a.units[1] + b.units[1], a.units[2] + b.units[2]}};
  }
};

}  // namespace mini_pic
