// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "roam/core/machine.hpp"

namespace roam::core {

/// A plain number in a machine description: its key, the member that it sets and what is allowed.
struct MachineField {
  const char* key;
  double Machine::*member;
  double low;
  double high;
  const char* unit;
};
struct LevelField {
  const char* key;
  double NetworkLevel::*member;
  double low;
  double high;
  const char* unit;
  bool may_be_zero = false;  // though low is more
};

inline constexpr std::size_t max_network_levels = 16;
inline constexpr std::int32_t max_uplinks = 4096;
inline constexpr std::size_t max_torus_dimensions = 6;
/// Of all groups of a level, each way.
inline constexpr std::int64_t max_links_of_level = 16'000'000;
inline constexpr MachineField machine_fields[] = {
    {"noise", &Machine::noise, 0.0, 10.0, "fraction"},
    {"handler_overhead_seconds", &Machine::handler_overhead_seconds, 0.0, 1.0, "seconds"},
    {"measured_time_factor", &Machine::measured_time_factor, 0.0, 1e6, "factor"},
};
inline constexpr LevelField level_fields[] = {
    {"latency_seconds", &NetworkLevel::latency_seconds, 0.0, 10.0, "seconds"},
    {"overhead_seconds", &NetworkLevel::overhead_seconds, 0.0, 1.0, "seconds"},
    {"gap_seconds", &NetworkLevel::gap_seconds, 0.0, 1.0, "seconds"},
    {"bandwidth_bytes_per_second", &NetworkLevel::bandwidth_bytes_per_second, 1.0, 1e15,
     "bytes per second"},
    {"jitter", &NetworkLevel::jitter, 0.0, 100.0, "fraction"},
    {"contention", &NetworkLevel::contention, 0.0, 1.0, "fraction"},
    {"shared_bandwidth_bytes_per_second", &NetworkLevel::shared_bandwidth_bytes_per_second, 1.0,
     1e15, "bytes per second", true},
    {"uplink_bandwidth_bytes_per_second", &NetworkLevel::uplink_bandwidth_bytes_per_second, 1.0,
     1e15, "bytes per second", true},
    {"link_bandwidth_bytes_per_second", &NetworkLevel::link_bandwidth_bytes_per_second, 1.0, 1e15,
     "bytes per second", true},
    {"hop_latency_seconds", &NetworkLevel::hop_latency_seconds, 0.0, 10.0, "seconds"},
};

/// What is wrong with a machine: the key at fault, and what was found and is allowed.
struct MachineProblem {
  std::string path;
  std::string text;
};

/// The first violation, if any. The only place that knows the ranges and the structural rules.
[[nodiscard]] std::optional<MachineProblem> find_problem(const Machine& machine);

/// What is wrong with the links of a level that ranks share, whose groups have been checked;
/// `groups` of this level, and `inside` it (or ranks).
[[nodiscard]] std::optional<MachineProblem> find_link_problem(const Machine& machine,
                                                              std::size_t index,
                                                              std::int32_t groups,
                                                              std::int32_t inside);

/// The name of a network level's key in messages; also the key under which a reader remembers its
/// place.
[[nodiscard]] std::string level_path(std::size_t index, std::string_view key);

[[nodiscard]] std::string short_number(double value);

}  // namespace roam::core
