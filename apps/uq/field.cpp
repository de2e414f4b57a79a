// SPDX-License-Identifier: Apache-2.0
#include "uq/field.hpp"

#include <cmath>

namespace uq {

namespace {

/// A number in [0, 1) from a number, by the finaliser of SplitMix64 (Steele et al. 2014).
double unit(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  x ^= x >> 31;
  return static_cast<double>(x >> 11) * 0x1.0p-53;
}

/// u(1/2) of -((1 + x) u')' = 1: u = ln(1 + x) / ln 2 - x.
double graded_middle() { return std::log(1.5) / std::log(2.0) - 0.5; }

/// Moments of a quantity, given the means of its first four powers.
Moments from_powers(const std::array<double, 4>& power) {
  const double mean = power[0];
  return {mean, power[1] - mean * mean,
          power[3] - 4 * mean * power[2] + 6 * mean * mean * power[1] - 3 * std::pow(mean, 4)};
}

/// Moments of factor / A.
Moments moments_of_inverse(double factor, double low, double high) {
  const double width = high - low;
  return from_powers(
      {factor * std::log(high / low) / width, factor * factor / (low * high),
       std::pow(factor, 3) * (std::pow(low, -2) - std::pow(high, -2)) / (2 * width),
       std::pow(factor, 4) * (std::pow(low, -3) - std::pow(high, -3)) / (3 * width)});
}

/// Moments of factor / (A + B). The mean of g(A + B) is the second difference of a second
/// antiderivative of g, divided by the square of high - low.
Moments moments_of_inverse_sum(double factor, double low, double high) {
  const double square = (high - low) * (high - low);
  const auto mean_of = [&](auto&& antiderivative) {
    return (antiderivative(2 * high) - 2 * antiderivative(low + high) + antiderivative(2 * low)) /
           square;
  };
  return from_powers({factor * mean_of([](double s) { return s * std::log(s); }),
                      std::pow(factor, 2) * mean_of([](double s) { return -std::log(s); }),
                      std::pow(factor, 3) * mean_of([](double s) { return 1 / (2 * s); }),
                      std::pow(factor, 4) * mean_of([](double s) { return 1 / (6 * s * s); })});
}

}  // namespace

double Moments::error_of_variance(double samples) const {
  return std::sqrt((fourth - variance * variance) / samples);
}

std::array<double, 2> Field::draw(std::int64_t sample) const {
  const std::uint64_t number =
      seed * 0xd1342543de82ef95ULL + 2 * static_cast<std::uint64_t>(sample);
  return {low + (high - low) * unit(number), low + (high - low) * unit(number + 1)};
}

double Field::exact_middle(const std::array<double, 2>& numbers) const {
  switch (kind) {
    case Kind::constant:
      return 1 / (8 * numbers[0]);
    case Kind::layers:
      return 1 / (4 * (numbers[0] + numbers[1]));
    case Kind::graded:
      break;
  }
  return graded_middle() / numbers[0];
}

Moments Field::exact_moments() const {
  switch (kind) {
    case Kind::constant:
      return moments_of_inverse(1.0 / 8, low, high);
    case Kind::layers:
      return moments_of_inverse_sum(1.0 / 4, low, high);
    case Kind::graded:
      break;
  }
  return moments_of_inverse(graded_middle(), low, high);
}

Mesh::Mesh(const Field& field, std::int64_t elements)
    : of_a_(static_cast<std::size_t>(elements), 1), of_b_(of_a_.size(), 0) {
  for (std::size_t element = 0; element < of_a_.size(); ++element) {
    if (field.kind == Kind::graded) {
      of_a_[element] = 1 + (static_cast<double>(element) + 0.5) / static_cast<double>(elements);
    } else if (field.kind == Kind::layers && 2 * element >= of_a_.size()) {
      of_a_[element] = 0;
      of_b_[element] = 1;
    }
  }
}

}  // namespace uq
