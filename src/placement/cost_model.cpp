// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/cost_model.hpp"

#include <algorithm>

namespace roam::placement {

namespace {
constexpr double memory = 1.0 - 1.0 / 32;
// A message to another rank and its answer on a current machine, and a cautious bandwidth: packed,
// sent to a worker that is busy, unpacked into memory that nobody has touched before. Who is too
// hopeful moves several objects before the first one tells.
constexpr double guessed_latency = 20e-6;
constexpr double guessed_seconds_per_byte = 2e-9;
// Messages of fewer bytes say nothing of the bandwidth.
constexpr double least_bytes = 1024;
constexpr double guessed_bytes = 4096;
// Of each further object in a message: to pack it, install it and put it into the queue.
constexpr double guessed_seconds_per_object = 1e-6;
constexpr double least_seconds_per_object = 1e-7;
constexpr double most_seconds_per_object = 2e-5;
// Messages of fewer say little of that.
constexpr std::uint32_t least_objects = 4;
constexpr double many_objects = 1024;
// Of question and answer the shortest time counts: others were waiting for somebody busy. It may
// grow by so much from one to the next.
constexpr double growth_of_round_trip = 1.0625;
constexpr double least_latency = 1e-7;
constexpr double least_seconds_per_byte = 1e-12;
constexpr double most_seconds_per_byte = 1e-5;
}  // namespace

CostModel::CostModel()
    : seconds_per_object_(guessed_seconds_per_object), average_bytes_(guessed_bytes) {
  begin(guessed_latency, guessed_seconds_per_byte);
}

void CostModel::begin(double latency, double seconds_per_byte) {
  n_ = x_ = y_ = xx_ = xy_ = 0;
  include(0, latency);
  include(1 << 20, latency + seconds_per_byte * (1 << 20));
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

void CostModel::add(std::uint32_t objects, std::uint64_t bytes, double seconds) {
  const auto size = static_cast<double>(bytes);
  const double others = objects - 1.0;
  if (objects >= least_objects) {
    const double each = (seconds - latency_ - seconds_per_byte_ * size) / others;
    // The more objects, the less it matters what is wrong about the latency.
    seconds_per_object_ += (each - seconds_per_object_) * std::min(0.25, objects / many_objects);
    seconds_per_object_ =
        std::clamp(seconds_per_object_, least_seconds_per_object, most_seconds_per_object);
  }
  // All of its bytes have been moved in that time: what is taken for the bandwidth cannot be.
  if (size >= least_bytes && seconds < seconds_per_byte_ * size) begin(latency_, seconds / size);
  for (double* sum : {&n_, &x_, &y_, &xx_, &xy_}) *sum *= memory;
  include(size, std::max(least_latency, seconds - others * seconds_per_object_));
  fit();
  add_size(bytes / objects);
}

void CostModel::add_round_trip(double seconds) {
  const double longer = growth_of_round_trip * round_trip_;
  round_trip_ = std::max(least_latency, std::min(seconds, longer));
}

void CostModel::add_size(std::uint64_t bytes) {
  const auto size = static_cast<double>(bytes);
  average_bytes_ += is_size_guessed_ ? size - average_bytes_ : (size - average_bytes_) / 16;
  is_size_guessed_ = false;
}

double CostModel::round_trip_seconds() const { return std::min(latency_, round_trip_); }

double CostModel::transfer_seconds(std::uint64_t bytes) const {
  return seconds_per_byte_ * (bytes == 0 ? average_bytes_ : static_cast<double>(bytes));
}

double CostModel::move_seconds(std::uint64_t bytes) const {
  return round_trip_seconds() + transfer_seconds(bytes);
}

double CostModel::extra_seconds(std::uint64_t bytes) const {
  return std::min(seconds_per_object_, round_trip_seconds()) + transfer_seconds(bytes);
}

}  // namespace roam::placement
