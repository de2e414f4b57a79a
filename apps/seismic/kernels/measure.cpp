// SPDX-License-Identifier: Apache-2.0
#include "kernels/measure.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>

#include "solve/aligned_array.hpp"

namespace seismic {
namespace {

constexpr std::size_t cells = 64;  // from order 4 on, more than fit into an L2 cache

/// Seconds of a call, the shortest of several tries.
template <class Call>
double shortest(int tries, const Call& call) {
  using Clock = std::chrono::steady_clock;
  double best = std::numeric_limits<double>::max();
  for (int k = 0; k < tries; ++k) {
    const auto begin = Clock::now();
    call();
    best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
  }
  return best;
}

void measure_order(int order, InstructionSet set, double peak) {
  const Kernels kernels = make_kernels(order, set);
  const std::size_t cell = aligned_size(kernels.layout.cell());
  const std::size_t traces = aligned_size(kernels.layout.traces());
  AlignedArray states(cells * cell), faces_of(cells * traces), scratch(kernels.scratch_size());
  const Material rock{2700.0, 6000.0, 3464.0};
  PredictInput in{nullptr, {elasticity(rock)}, 1e-3, 1e-4};
  const double predict = shortest(30, [&] {
    for (std::size_t k = 0; k < cells; ++k) {
      in.state = states.data() + k * cell;
      kernels.predict(kernels.operators, in,
                      {states.data() + k * cell, faces_of.data() + k * traces}, scratch.data());
    }
  });
  const double faces_time = shortest(30, [&] {
    for (std::size_t k = 0; k + 1 < cells; ++k) {
      kernels.riemann(Flux::godunov, 0, {faces_of.data() + k * traces, impedance(rock)},
                      {faces_of.data() + (k + 1) * traces, impedance(rock)});
    }
  });
  const double correct = shortest(30, [&] {
    for (std::size_t k = 0; k < cells; ++k) {
      const CorrectInput input{faces_of.data() + k * traces, in.material, 1e-3, 1e-4};
      kernels.correct(kernels.operators, input, states.data() + k * cell);
    }
  });
  const double whole = (predict + correct + 3 * faces_time) / cells;
  const double operations = kernels.predict_operations() + kernels.correct_operations();
  const int n = kernels.layout.nodes;
  std::printf("%5d %10.2f us %7.2f %5.1f %% %10.2f us %10.2f us %11.1f %% %12.1f\n", order,
              predict / cells * 1e6, kernels.predict_operations() * cells / predict * 1e-9,
              100.0 * kernels.predict_operations() * cells / predict / peak, correct / cells * 1e6,
              faces_time / cells * 1e6, 100.0 * operations / whole / peak,
              quantities * n * n * n / whole * 1e-6);
}

}  // namespace

double measured_peak(InstructionSet set) {
  constexpr long rounds = 300'000;
  const Kernels kernels = make_kernels(lowest_order, set);
  volatile double kept = 0.0;
  const double time = shortest(20, [&] { kept = kernels.multiply_add(rounds, 0.999, 1e-9); });
  static_cast<void>(kept);
  return rounds * 96.0 / time;
}

void measure_kernels(InstructionSet set) {
  const double peak = measured_peak(set);
  std::printf("kernels of %s, peak %.2f GFlop/s\n", name(set).c_str(), peak * 1e-9);
  std::printf(
      "order    predict    GFlop/s  peak       correct          face    step, peak   "
      "million unknowns/s\n");
  for (int order = lowest_order; order <= highest_order; ++order) measure_order(order, set, peak);
  std::printf("peak afterwards %.2f GFlop/s\n", measured_peak(set) * 1e-9);
}

}  // namespace seismic
