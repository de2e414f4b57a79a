// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace mesh_refine {

/// Sum whose rounding error does not grow with the number of terms (Neumaier's variant of Kahan's
/// summation), so that the volumes of millions of elements can be compared to 1e-10.
class CompensatedSum {
 public:
  void add(double term) {
    const double next = sum_ + term;
    correction_ += std::abs(sum_) >= std::abs(term) ? (sum_ - next) + term : (term - next) + sum_;
    sum_ = next;
  }

  [[nodiscard]] double value() const { return sum_ + correction_; }

 private:
  double sum_ = 0.0;
  double correction_ = 0.0;
};

}  // namespace mesh_refine
