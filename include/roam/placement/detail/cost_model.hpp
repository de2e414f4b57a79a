// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace roam::placement {

/// What it costs to move objects: latency + bytes / bandwidth, and some time for each further
/// object in the same message, fitted to the migrations that have ended (least squares, older ones
/// counting less and less). The latency is no more than the shortest time in which a question has
/// been answered lately. Starts from a guess. Not thread-safe.
class CostModel {
 public:
  CostModel();
  /// A message with so many objects, and so many bytes in all, took so long from hand-over to
  /// answer.
  void add(std::uint32_t objects, std::uint64_t bytes, double seconds);
  /// The same of one object.
  void add(std::uint64_t bytes, double seconds) { add(1, bytes, seconds); }
  /// A question to another rank was answered after so long.
  void add_round_trip(double seconds);
  /// An object that might move has so many bytes.
  void add_size(std::uint64_t bytes);

  /// 0 bytes: an object of average size.
  [[nodiscard]] double move_seconds(std::uint64_t bytes) const;
  /// Of one more object in the message of another.
  [[nodiscard]] double extra_seconds(std::uint64_t bytes) const;
  [[nodiscard]] double round_trip_seconds() const;
  [[nodiscard]] double bytes_per_second() const { return 1 / seconds_per_byte_; }

 private:
  void begin(double latency, double seconds_per_byte);
  void include(double bytes, double seconds);
  void fit();
  [[nodiscard]] double transfer_seconds(std::uint64_t bytes) const;

  // Decayed sums over observations (x bytes, y seconds).
  double n_ = 0;
  double x_ = 0;
  double y_ = 0;
  double xx_ = 0;
  double xy_ = 0;
  double latency_ = 0;
  double seconds_per_byte_ = 0;
  double seconds_per_object_;
  static constexpr double never_answered = std::numeric_limits<double>::infinity();
  double round_trip_ = never_answered;
  double average_bytes_;
  bool is_size_guessed_ = true;
};

}  // namespace roam::placement
