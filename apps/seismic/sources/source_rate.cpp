// SPDX-License-Identifier: Apache-2.0
#include "sources/source_rate.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace seismic {

SourceRate brune_rate(double time_constant) {
  return [=](double t) {
    if (t <= 0.0) return 0.0;
    return t / (time_constant * time_constant) * std::exp(-t / time_constant);
  };
}

SourceRate gaussian_rate(double sigma, double center) {
  const double scale = 1.0 / (sigma * std::sqrt(2.0 * std::numbers::pi));
  return [=](double t) {
    const double away = (t - center) / sigma;
    return scale * std::exp(-0.5 * away * away);
  };
}

SourceRate tabulated_rate(std::vector<std::pair<double, double>> table) {
  if (table.size() < 2) throw std::invalid_argument("a table of rates needs two lines or more");
  for (std::size_t k = 0; k < table.size(); ++k) {
    if (!std::isfinite(table[k].first) || !std::isfinite(table[k].second)) {
      throw std::invalid_argument("line " + std::to_string(k + 1) +
                                  " of a table of rates is not finite");
    }
    if (k > 0 && !(table[k].first > table[k - 1].first)) {
      throw std::invalid_argument("the times of a table of rates do not ascend at line " +
                                  std::to_string(k + 1));
    }
  }
  return [table = std::move(table)](double t) {
    const auto after = std::upper_bound(table.begin(), table.end(), t,
                                        [](double x, const auto& line) { return x < line.first; });
    if (after == table.begin() || after == table.end()) return 0.0;
    const auto before = after - 1;
    const double part = (t - before->first) / (after->first - before->first);
    return (1.0 - part) * before->second + part * after->second;
  };
}

void rate_coefficients(const SourceRate& rate, const Basis& basis, double time, double step,
                       std::span<double> coefficients) {
  std::vector<double> values(static_cast<std::size_t>(basis.nodes()));
  for (int k = 0; k < basis.nodes(); ++k) {
    values[static_cast<std::size_t>(k)] = rate(time + step * basis.node(k));
  }
  const std::vector<double> result = monomial_coefficients(basis, values);
  std::copy(result.begin(), result.end(), coefficients.begin());
}

}  // namespace seismic
