// SPDX-License-Identifier: Apache-2.0
#include "roam/balance/cost_model.hpp"

#include <algorithm>

namespace roam::balance {

namespace {
constexpr double memory = 1.0 - 1.0 / 32;
// A message to another rank and its answer on a current machine, and a cautious bandwidth: packed,
// sent to a worker that is busy, unpacked into memory that nobody has touched before. Who is too
// hopeful moves several objects before the first one tells.
constexpr double guessed_latency = 20e-6;
constexpr double guessed_seconds_per_byte = 1e-8;
constexpr double guessed_bytes = 4096;
constexpr double least_latency = 1e-7;
constexpr double least_seconds_per_byte = 1e-12;
constexpr double most_seconds_per_byte = 1e-5;
}  // namespace

CostModel::CostModel() : average_bytes_(guessed_bytes) {
  include(0, guessed_latency);
  include(1 << 20, guessed_latency + guessed_seconds_per_byte * (1 << 20));
  fit();
}

void CostModel::include(double bytes, double seconds) {
  n_ += 1;
  x_ += bytes;
  y_ += seconds;
  xx_ += bytes * bytes;
  xy_ += bytes * seconds;
}

void CostModel::fit() {
  const double variance = xx_ - x_ * x_ / n_;
  // Objects of one size say nothing about the bandwidth: keep what is known.
  if (variance > 1e-3 * xx_) seconds_per_byte_ = (xy_ - x_ * y_ / n_) / variance;
  // Nor can it be so low that they would have taken longer than they did.
  if (x_ > 0) seconds_per_byte_ = std::min(seconds_per_byte_, y_ / x_);
  seconds_per_byte_ = std::clamp(seconds_per_byte_, least_seconds_per_byte, most_seconds_per_byte);
  latency_ = std::max(least_latency, (y_ - seconds_per_byte_ * x_) / n_);
}

void CostModel::add(std::uint64_t bytes, double seconds) {
  for (double* sum : {&n_, &x_, &y_, &xx_, &xy_}) *sum *= memory;
  include(static_cast<double>(bytes), seconds);
  fit();
  average_bytes_ += (static_cast<double>(bytes) - average_bytes_) / 16;
}

double CostModel::move_seconds(std::uint64_t bytes) const {
  return latency_ + seconds_per_byte_ * (bytes == 0 ? average_bytes_ : static_cast<double>(bytes));
}

}  // namespace roam::balance
