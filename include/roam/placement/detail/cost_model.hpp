// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

namespace roam::placement {

/// Predicts what it costs to move objects: latency + bytes / bandwidth, plus a fixed time for each
/// further object in the same message. The model is fitted to the migrations that have ended (least
/// squares; the older a migration, the less it counts). The latency is at most the shortest time in
/// which a question to another rank has been answered lately. Before the first migration the model
/// is a guess. Not thread-safe.
class CostModel {
 public:
  CostModel();
  /// Adds a measurement: a message with `objects` objects and `bytes` bytes in all took `seconds`
  /// from hand-over to answer.
  void add(std::uint32_t objects, std::uint64_t bytes, double seconds);
  /// Adds a measurement for a message with one object.
  void add(std::uint64_t bytes, double seconds) { add(1, bytes, seconds); }
  /// Adds a measurement: a question to another rank was answered after `seconds`.
  void add_round_trip(double seconds);
  /// Adds the size of an object that might move to the average of sizes.
  void add_size(std::uint64_t bytes);

  /// The predicted time to move one object of that size, in seconds; 0 bytes stand for an object of
  /// average size.
  [[nodiscard]] double move_seconds(std::uint64_t bytes) const;
  /// The predicted time that one more object of that size adds to a message, in seconds.
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
