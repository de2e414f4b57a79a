// SPDX-License-Identifier: Apache-2.0
#include "uq/solver.hpp"

#include <bit>
#include <cmath>
#include <vector>

namespace uq {

namespace {

/// A and B of several samples.
template <std::size_t N>
struct Numbers {
  std::array<double, N> a;
  std::array<double, N> b;
};

/// Solves for N samples. The equation of node i is -k[i-1] u[i-1] + (k[i-1] + k[i]) u[i] - k[i]
/// u[i+1] = h^2, where k[i] is the coefficient of the element after it. Elimination from the left
/// makes u[i] = slope[i] u[i+1] + offset[i] of it.
template <std::size_t N>
std::array<double, N> solve(const Mesh& mesh, const Numbers<N>& numbers) {
  const std::size_t elements = mesh.elements();
  const double h = 1 / static_cast<double>(elements);
  const double load = h * h;
  struct Line {
    std::array<double, N> slope;
    std::array<double, N> offset;
  };
  std::vector<Line> lines(elements);
  std::array<double, N> before;
  const auto coefficients = [&](std::size_t element, std::array<double, N>& of) {
    const double of_a = mesh.of_a(element);
    const double of_b = mesh.of_b(element);
    for (std::size_t s = 0; s < N; ++s) of[s] = of_a * numbers.a[s] + of_b * numbers.b[s];
  };
  coefficients(0, before);
  lines[0].slope.fill(0);  // u[0] is 0
  lines[0].offset.fill(0);
  for (std::size_t i = 1; i < elements; ++i) {
    std::array<double, N> after;
    coefficients(i, after);
    for (std::size_t s = 0; s < N; ++s) {
      const double pivot = 1 / (before[s] * (1 - lines[i - 1].slope[s]) + after[s]);
      lines[i].slope[s] = after[s] * pivot;
      lines[i].offset[s] = (load + before[s] * lines[i - 1].offset[s]) * pivot;
      before[s] = after[s];
    }
  }
  std::array<double, N> u{};  // of node `elements`, then of those before it
  for (std::size_t i = elements; i-- > elements / 2;) {
    for (std::size_t s = 0; s < N; ++s) u[s] = lines[i].slope[s] * u[s] + lines[i].offset[s];
  }
  return u;
}

}  // namespace

Pack solve_pack(const Mesh& mesh, const Field& field, std::int64_t first) {
  Numbers<pack_size> numbers;
  for (std::size_t s = 0; s < pack_size; ++s) {
    const std::array<double, 2> drawn = field.draw(first + static_cast<std::int64_t>(s));
    numbers.a[s] = drawn[0];
    numbers.b[s] = drawn[1];
  }
  return solve(mesh, numbers);
}

double solve_for(const Mesh& mesh, const std::array<double, 2>& numbers) {
  return solve<1>(mesh, {{numbers[0]}, {numbers[1]}})[0];
}

double solve_one(const Mesh& mesh, const Field& field, std::int64_t sample) {
  return solve_for(mesh, field.draw(sample));
}

double Statistics::error() const { return count > 0 ? std::sqrt(variance() / count) : 0; }

Statistics Merge::operator()(const Statistics& a, const Statistics& b) const {
  if (a.count == 0) return b;
  if (b.count == 0) return a;
  const double count = a.count + b.count;
  const double apart = b.mean - a.mean;
  return {count, a.mean + apart * (b.count / count),
          a.deviations + b.deviations + apart * apart * (a.count * b.count / count)};
}

Statistics merged(const Statistics* all, std::size_t count) {
  if (count == 1) return *all;
  const std::size_t first = std::bit_floor(count - 1);
  return Merge()(merged(all, first), merged(all + first, count - first));
}

Statistics statistics_of(const Pack& pack) {
  std::array<Statistics, pack_size> all;
  for (std::size_t s = 0; s < pack_size; ++s) all[s] = {1, pack[s], 0};
  return merged(all.data(), all.size());
}

}  // namespace uq
