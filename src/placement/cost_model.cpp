// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/cost_model.hpp"

#include <algorithm>

namespace roam::placement {

namespace {

// The constants below: "Chosen" marks values that no measurement supports, and the sentence before
// it gives the reason. The others name the command that shows their effect.

// Weight of earlier observations when a message is added, so that about 32 messages count. Chosen.
constexpr double kept_part = 1.0 - 1.0 / 32;
// Seconds: a message to another rank and its answer, on a current machine whose ranks are busy.
// Chosen; bench_migration_mpi measures it on the machine at hand.
constexpr double guessed_latency = 20e-6;
// Seconds per byte to pack an object, send it to a busy worker and unpack it into memory that
// nobody has touched before. Chosen to be cautious: a guess that is too low moves several objects
// before the first one's measured time corrects it. bench_migration_mpi measures it.
constexpr double guessed_seconds_per_byte = 2e-9;
// Bytes. Smaller messages are not used for the bandwidth: their latency varies by more than their
// bytes take. Chosen.
constexpr double least_bytes = 1024;
// Bytes of an object, until one has been looked at. Chosen: a page.
constexpr double guessed_bytes = 4096;
// Bytes of the second of the two made-up messages that the fit begins with. Chosen.
constexpr double bytes_of_first_fit = 1 << 20;
// Weight of a new size in the average of sizes. Chosen.
constexpr double weight_of_size = 1.0 / 16;
// Spread of sizes (their variance as a fraction of the mean square) below which the bandwidth is
// not fitted. Chosen.
constexpr double least_spread = 1e-3;
// Seconds for each further object in a message: to pack it, install it and put it into the queue.
// Chosen; apps/uts (--tree T1 --roam-ranks 2) depends on it most. The bounds are a factor of 10 to
// 20 away on both sides.
constexpr double guessed_seconds_per_object = 1e-6;
constexpr double least_seconds_per_object = 1e-7;
constexpr double most_seconds_per_object = 2e-5;
// Number of objects from which on a message counts for the time per object. Chosen.
constexpr std::uint32_t least_objects = 4;
// Number of objects from which on a message has the weight 1/4; the weight of smaller ones is in
// proportion, down to a quarter of that number. Chosen.
constexpr double many_objects = 1024;
constexpr double most_weight_of_message = 0.25;
// Factor by which the shortest round trip may grow from one answer to the next. The shortest
// counts, because longer ones have waited for a busy rank; after 11 answers the bound has doubled.
// Chosen.
constexpr double growth_of_round_trip = 1.0625;
// Seconds, and seconds per byte, that no machine goes below (100 ns, 1 TB/s) or above (100 KB/s).
// Chosen, so that one wrong measurement spoils nothing.
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
  include(bytes_of_first_fit, latency + seconds_per_byte * bytes_of_first_fit);
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
  // Objects of one size say nothing about the bandwidth: the old value stays.
  if (variance > least_spread * xx_) seconds_per_byte_ = (xy_ - x_ * y_ / n_) / variance;
  // The bandwidth cannot be so low that the messages would have taken longer than they did.
  if (x_ > 0) seconds_per_byte_ = std::min(seconds_per_byte_, y_ / x_);
  seconds_per_byte_ = std::clamp(seconds_per_byte_, least_seconds_per_byte, most_seconds_per_byte);
  latency_ = std::max(least_latency, (y_ - seconds_per_byte_ * x_) / n_);
}

void CostModel::add(std::uint32_t objects, std::uint64_t bytes, double seconds) {
  const auto size = static_cast<double>(bytes);
  const double others = objects - 1.0;
  if (objects >= least_objects) {
    const double each = (seconds - latency_ - seconds_per_byte_ * size) / others;
    // The more objects a message has, the less an error of the latency matters.
    seconds_per_object_ +=
        (each - seconds_per_object_) * std::min(most_weight_of_message, objects / many_objects);
    seconds_per_object_ =
        std::clamp(seconds_per_object_, least_seconds_per_object, most_seconds_per_object);
  }
  // All bytes were moved in that time, so the assumed bandwidth is too low.
  if (size >= least_bytes && seconds < seconds_per_byte_ * size) begin(latency_, seconds / size);
  for (double* sum : {&n_, &x_, &y_, &xx_, &xy_}) *sum *= kept_part;
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
  average_bytes_ +=
      is_size_guessed_ ? size - average_bytes_ : weight_of_size * (size - average_bytes_);
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
