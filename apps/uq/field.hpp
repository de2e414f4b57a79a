// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace uq {

/// How the random coefficient a of -(a u')' = 1 depends on x. A and B are independent and uniform
/// in [low, high]. For each of them the mean and the variance of u(1/2) have a closed form.
enum class Kind {
  constant,  ///< a = A
  layers,    ///< a = A for x < 1/2, else B
  graded     ///< a = A (1 + x)
};

/// Moments of a quantity.
struct Moments {
  double mean = 0;
  double variance = 0;
  double fourth = 0;  ///< the mean of the fourth power of the deviation from the mean

  /// The standard error of the variance of that many samples, if they are many.
  [[nodiscard]] double error_of_variance(double samples) const;
};

/// The distribution of the coefficient.
struct Field {
  Kind kind = Kind::layers;
  double low = 1;
  double high = 3;
  std::uint64_t seed = 1;

  /// The random numbers A and B of a sample. They depend on seed and sample alone: samples may be
  /// drawn anywhere, in any order.
  [[nodiscard]] std::array<double, 2> draw(std::int64_t sample) const;
  /// u(1/2) of the exact solution for given A and B.
  [[nodiscard]] double exact_middle(const std::array<double, 2>& numbers) const;
  /// The moments of u(1/2) over all A and B, by their closed forms. `high` must be at least 1.01
  /// times `low`: otherwise most digits are lost.
  [[nodiscard]] Moments exact_moments() const;
};

/// The elements of (0, 1), all of the same length, and for each element the factors by which A and
/// B are multiplied to get the coefficient in its middle. Common to all samples.
class Mesh {
 public:
  Mesh() = default;
  /// `elements` must be even, so that 1/2 is a node.
  Mesh(const Field& field, std::int64_t elements);
  [[nodiscard]] std::size_t elements() const { return of_a_.size(); }
  [[nodiscard]] double of_a(std::size_t element) const { return of_a_[element]; }
  [[nodiscard]] double of_b(std::size_t element) const { return of_b_[element]; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(of_a_, of_b_);
  }

 private:
  std::vector<double> of_a_;
  std::vector<double> of_b_;
};

}  // namespace uq
