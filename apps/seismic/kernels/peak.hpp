// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/vector.hpp"

namespace seismic::ROAM_SEISMIC_ISA {

/// `rounds` times 12 independent multiply-adds of four doubles each: 96 operations a round, which
/// keep two units of latency four or five busy. Returns a value that depends on all.
inline double multiply_add(long rounds, double factor, double summand) {
  constexpr int chains = 12;
  Vec at[chains];
  for (int k = 0; k < chains; ++k) at[k] = k - Vec{};
  for (long round = 0; round < rounds; ++round) {
    for (Vec& value : at) value = value * factor + summand;
  }
  Vec sum{};
  for (const Vec& value : at) sum += value;
  return sum[0] + sum[1] + sum[2] + sum[3];
}

}  // namespace seismic::ROAM_SEISMIC_ISA
