// SPDX-License-Identifier: Apache-2.0
#include "cells.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <roam/roam.hpp>

namespace amr_steps {

namespace {

double predicted(double here, double next) {
  return here + 0.25 * (next - here) + 1e-3 * here * next;
}

}  // namespace

roam::Array<double> predict(std::span<const double> input, std::uint32_t outputs, double seconds) {
  auto prediction = roam::here().make_array<double>(outputs);
  const std::size_t last = input.size() - 1;
  double* value = prediction.begin();
  // Passes over the input, until there are enough numbers.
  while (value != prediction.end()) {
    const auto left = static_cast<std::size_t>(prediction.end() - value);
    const std::size_t inside = std::min(left, last);
    for (std::size_t i = 0; i < inside; ++i) *value++ = predicted(input[i], input[i + 1]);
    if (inside < left) *value++ = predicted(input[last], input[0]);
  }
  roam::here().compute(roam::from_seconds(seconds));
  return prediction;
}

Cells::Cells(const Settings& settings, std::int32_t rank) : settings_(settings), rank_(rank) {
  refine(0);
}

void Cells::refine(std::uint32_t step) {
  const std::size_t before = inputs_.size();
  inputs_.resize(cells_of(settings_, rank_, step));
  const std::size_t count = std::max<std::size_t>(1, settings_.input_bytes / sizeof(double));
  for (std::size_t cell = before; cell < inputs_.size(); ++cell) {
    inputs_[cell].resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      inputs_[cell][i] =
          std::sin(0.1 * static_cast<double>(i + 1) + rank_) + 1e-2 * static_cast<double>(cell);
    }
  }
}

void Cells::correct(std::size_t cell, std::span<const double> prediction, double from_neighbour) {
  std::vector<double>& values = inputs_[cell];
  const std::size_t count = std::min(values.size(), prediction.size());
  for (std::size_t i = 0; i < count; ++i) values[i] = 0.5 * (values[i] + prediction[i]);
  values[0] += 1e-3 * std::tanh(from_neighbour);
}

double Cells::rim() const { return inputs_.empty() ? 0 : inputs_.front()[0]; }

std::uint64_t Cells::checksum() const {
  std::uint64_t sum = 0xcbf29ce484222325ULL;
  for (const std::vector<double>& values : inputs_) {
    for (const double value : values) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, &value, sizeof bits);
      sum = (sum ^ bits) * 0x100000001b3ULL;
    }
  }
  return sum;
}

}  // namespace amr_steps
