// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <numeric>
#include <stdexcept>

namespace sw4 {

/// An exact fraction. Throws std::overflow_error where 64 bits do not hold a result.
class Fraction {
 public:
  constexpr Fraction() = default;
  constexpr Fraction(std::int64_t over) : over_(over) {}  // NOLINT: numbers are fractions

  friend constexpr Fraction operator+(Fraction a, Fraction b) {
    return reduced(Wide{a.over_} * b.under() + Wide{b.over_} * a.under(), a.under() * b.under());
  }
  friend constexpr Fraction operator-(Fraction a, Fraction b) {
    b.over_ = -b.over_;
    return a + b;
  }
  friend constexpr Fraction operator*(Fraction a, Fraction b) {
    return reduced(Wide{a.over_} * b.over_, a.under() * b.under());
  }
  friend constexpr Fraction operator/(Fraction a, Fraction b) {
    if (b.over_ == 0) throw std::overflow_error("a division by zero");
    const int sign = b.over_ < 0 ? -1 : 1;
    return reduced(Wide{a.over_} * b.under() * sign, a.under() * b.over_ * sign);
  }
  friend constexpr bool operator==(Fraction a, Fraction b) = default;
  [[nodiscard]] constexpr bool is_positive() const { return over_ > 0; }
  [[nodiscard]] constexpr bool is_negative() const { return over_ < 0; }

 private:
  __extension__ using Wide = __int128;

  [[nodiscard]] constexpr Wide under() const { return Wide{more_} + 1; }

  static constexpr Fraction reduced(Wide over, Wide under) {
    Wide a = over < 0 ? -over : over;
    Wide b = under;
    while (b != 0) {
      const Wide rest = a % b;
      a = b;
      b = rest;
    }
    over /= a;
    under /= a;
    Fraction result;
    result.over_ = static_cast<std::int64_t>(over);
    result.more_ = static_cast<std::int64_t>(under - 1);
    if (result.over_ != over || result.more_ != under - 1) {
      throw std::overflow_error("a fraction is too long");
    }
    return result;
  }

  std::int64_t over_ = 0;
  std::int64_t more_ = 0;  // the denominator - 1: GCC 12 zeroes elements of some arrays
};

}  // namespace sw4
