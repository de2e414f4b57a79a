// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "kernels/basis.hpp"

namespace seismic {

/// A source's moment rate over its moment, 1/s, at a time in s.
using SourceRate = std::function<double(double)>;

/// (t/T^2) exp(-t/T) from t = 0 on (Brune; the rate of LOH.1).
[[nodiscard]] SourceRate brune_rate(double time_constant);
/// exp(-(t - center)^2 / (2 sigma^2)) / (sigma sqrt(2 pi)).
[[nodiscard]] SourceRate gaussian_rate(double sigma, double center);
/// Straight lines through (time, rate), zero outside. Throws std::invalid_argument if there are
/// fewer than two, times do not ascend, or values are not finite.
[[nodiscard]] SourceRate tabulated_rate(std::vector<std::pair<double, double>> table);

/// The rate within a step as the polynomial through its values at the basis's nodes: coefficients
/// of t'^i, t' = 0 to 1 in the step. Shape: basis.nodes().
void rate_coefficients(const SourceRate& rate, const Basis& basis, double time, double step,
                       std::span<double> coefficients);

}  // namespace seismic
