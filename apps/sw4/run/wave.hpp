// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "input/settings.hpp"
#include "numerics/patch.hpp"
#include "solve/receivers.hpp"

namespace sw4 {

/// What a receiver has seen: velocity (m/s) at the beginning and after each step.
using Trace = std::vector<std::array<double, 3>>;

/// A run as both programs see it: the steps, what sources do in them, patches, and seismograms.
class Wave {
 public:
  explicit Wave(Settings settings);

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  [[nodiscard]] double step() const { return step_; }

  /// Of all sources at the beginning of a step, 1/s; and their second derivatives, by a difference
  /// over two steps, which the scheme's order allows. Shape: sources.
  [[nodiscard]] std::vector<double> rates(std::int64_t step) const;
  [[nodiscard]] std::vector<double> bends(std::int64_t step) const;

  /// A region at rest with its sources and receivers.
  [[nodiscard]] Patch patch(const Region& region) const;

  /// Traces of steps() + 1 entries at multiples of the sampling: the polynomial through the six
  /// steps around.
  [[nodiscard]] seismic::Samples sampled(const std::vector<Trace>& traces) const;
  /// Samples the traces and writes the seismograms. Throws std::runtime_error if it cannot. Blocks.
  void write(const std::vector<Trace>& traces) const;

 private:
  [[nodiscard]] std::array<double, 3> at(const Trace& trace, double time) const;

  Settings settings_;
  std::int64_t steps_ = 0;
  double step_ = 0.0;
};

/// The whole grid as one patch, in this thread: the traces of all receivers.
[[nodiscard]] std::vector<Trace> run_alone(const Wave& wave);

}  // namespace sw4
