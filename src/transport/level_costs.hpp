// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/core/machine.hpp"
#include "roam/transport/detail/simulated.hpp"

namespace roam::transport {

/// A level of a simulated network in the form in which messages are charged.
struct LevelCosts {
  explicit LevelCosts(const NetworkLevel& level)
      : group(level.group_ranks),
        parents(level.parents),
        latency(from_seconds(level.latency_seconds)),
        overhead(from_seconds(level.overhead_seconds)),
        gap(from_seconds(level.gap_seconds)),
        nanoseconds_per_byte(
            level.bandwidth_bytes_per_second > 0 ? 1e9 / level.bandwidth_bytes_per_second : 0.0),
        jitter(level.jitter),
        contention(level.contention) {}

  [[nodiscard]] Duration transfer(std::size_t bytes) const {
    return Duration(std::llround(static_cast<double>(bytes) * nanoseconds_per_byte));
  }
  /// How long the receiver's interface is busy with a message.
  [[nodiscard]] Duration intake(std::size_t bytes) const {
    const auto longest = static_cast<double>((transfer(bytes) + gap).count());
    return Duration(std::llround(contention * longest));
  }

  std::int32_t group;
  std::vector<std::int32_t> parents;
  Duration latency;
  Duration overhead;
  Duration gap;
  double nanoseconds_per_byte;
  double jitter;
  double contention;
};

/// Throws ConfigError for parameters out of range.
void check(const SimulatedNetworkParameters& parameters);

}  // namespace roam::transport
