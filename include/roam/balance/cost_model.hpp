// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace roam::balance {

/// What it costs to move an object: latency + bytes / bandwidth, fitted to the migrations that have
/// ended (least squares, older ones counting less and less). Starts from a guess. Not thread-safe.
class CostModel {
 public:
  CostModel();
  /// A migration of so many bytes took so long from hand-over to answer.
  void add(std::uint64_t bytes, double seconds);
  /// 0 bytes: an object of average size.
  [[nodiscard]] double move_seconds(std::uint64_t bytes) const;
  [[nodiscard]] double round_trip_seconds() const { return latency_; }
  [[nodiscard]] double bytes_per_second() const { return 1 / seconds_per_byte_; }

 private:
  void include(double bytes, double seconds);
  void fit();

  // Decayed sums over observations (x bytes, y seconds).
  double n_ = 0;
  double x_ = 0;
  double y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
  double latency_ = 0;
  double seconds_per_byte_ = 0;
  double average_bytes_;
};

}  // namespace roam::balance
