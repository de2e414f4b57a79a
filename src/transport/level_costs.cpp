// SPDX-License-Identifier: Apache-2.0
#include "transport/level_costs.hpp"

#include <algorithm>
#include <string>

#include "roam/core/error.hpp"

namespace roam::transport {

namespace {

void require(bool valid, const char* what) {
  if (!valid) throw ConfigError(std::string("simulated network: ") + what);
}

void check_levels(const std::vector<NetworkLevel>& levels) {
  require(!levels.empty(), "needs at least one level");
  for (const NetworkLevel& level : levels) {
    const bool is_last = &level == &levels.back();
    require(is_last || level.group_ranks > 0 || !level.parents.empty(),
            "group_ranks must be positive, or parents given, on all levels but the last");
    require(std::isfinite(level.latency_seconds) && level.latency_seconds >= 0,
            "latency_seconds must be a number, not negative");
    require(std::isfinite(level.overhead_seconds) && level.overhead_seconds >= 0,
            "overhead_seconds must be a number, not negative");
    require(std::isfinite(level.gap_seconds) && level.gap_seconds >= 0,
            "gap_seconds must be a number, not negative");
    require(std::isfinite(level.jitter) && level.jitter >= 0,
            "jitter must be a number, not negative");
    require(std::isfinite(level.contention) && level.contention >= 0 && level.contention <= 1,
            "contention must be a number from 0 to 1");
    require(
        std::isfinite(level.bandwidth_bytes_per_second) && level.bandwidth_bytes_per_second >= 0,
        "bandwidth_bytes_per_second must be a number, not negative (0: unlimited)");
  }
}

void check_shared_links(const std::vector<NetworkLevel>& levels) {
  const auto is_bandwidth = [](double value) {
    return value == 0 || (value >= 1 && value <= 1e15);
  };
  for (const NetworkLevel& level : levels) {
    const bool is_last = &level == &levels.back();
    require(is_bandwidth(level.shared_bandwidth_bytes_per_second) &&
                is_bandwidth(level.uplink_bandwidth_bytes_per_second) &&
                is_bandwidth(level.link_bandwidth_bytes_per_second),
            "bandwidths of shared links must be 0 or from 1 to 1e15");
    require(!is_last || level.uplink_bandwidth_bytes_per_second == 0,
            "nothing leaves the last level: it has no uplinks");
    require(level.uplinks >= 1, "uplinks must be positive");
    require(std::isfinite(level.hop_latency_seconds) && level.hop_latency_seconds >= 0,
            "hop_latency_seconds must be a number, not negative");
    require(level.torus.empty() || (is_last && level.link_bandwidth_bytes_per_second > 0),
            "a torus stands on the last level and has a link_bandwidth_bytes_per_second");
    require(std::ranges::all_of(level.torus, [](std::int32_t size) { return size >= 1; }),
            "the sizes of a torus must be positive");
  }
}

}  // namespace

void check(const SimulatedNetworkParameters& parameters) {
  require(parameters.jitter_delay >= Duration::zero(), "jitter_delay must not be negative");
  require(parameters.max_message_bytes > 0, "max_message_bytes must be positive");
  check_levels(parameters.levels);
  check_shared_links(parameters.levels);
}

}  // namespace roam::transport
