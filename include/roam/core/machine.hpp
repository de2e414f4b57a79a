// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "roam/core/types.hpp"

namespace roam {

/// The most ranks that a simulated machine may have.
inline constexpr std::int32_t max_ranks = 1'000'000;
/// The most workers that each rank of a simulated machine may have.
inline constexpr std::uint32_t max_workers_per_rank = 4096;

/// Costs of a message between two ranks that meet on one level of the network, after LogGP
/// (Alexandrov et al. 1995). A message of n bytes holds the sender's worker for overhead_seconds,
/// travels for (latency_seconds + n / bandwidth_bytes_per_second) x (a seeded factor in [1, 1 +
/// jitter)), holds the receiver's worker for overhead_seconds; a rank starts two messages on this
/// level at least gap_seconds + n / bandwidth apart. Links that ranks share come on top; a level
/// without them has none. The defaults are those of a current cluster
/// interconnect (100 Gbit/s class).
struct NetworkLevel {
  std::string name = "network";  ///< the name in reports: "node", "switch"
  /// Consecutive ranks that meet on this level; 0: all ranks (outermost level only), or unequal
  /// groups.
  std::int32_t group_ranks = 0;
  /// For unequal groups: for each group of the level inside (on the innermost level, for each rank)
  /// the number of its group on this level. The numbers start at 0, do not decrease and leave none
  /// out. The levels outside of this one, except the outermost, then need such a list, too.
  std::vector<std::int32_t> parents = {};
  double latency_seconds = 1.5e-6;   ///< the least time that any message travels
  double overhead_seconds = 0.3e-6;  ///< a worker's time, at each end of a message
  double gap_seconds = 0.1e-6;       ///< between the starts of two messages of a rank, at least
  double bandwidth_bytes_per_second = 12e9;  ///< of each message under way
  /// Fraction of the travel time, 0: none.
  double jitter = 0.0;
  /// For each message, the receiver's network interface is busy for this fraction of (gap_seconds +
  /// n / bandwidth) and takes in no other; 0: never, 1: one message at a time.
  double contention = 0.0;

  /// All messages under way that meet in one group of this level share this, one after the other:
  /// an L3 cache, the memory of a node. 0: each has its bandwidth to itself.
  double shared_bandwidth_bytes_per_second = 0.0;
  /// Of each link by which messages leave a group of this level, and of each by which they come
  /// into it: a node's network interface, the links of a switch to those above it. Not on the
  /// outermost level. 0: not shared.
  double uplink_bandwidth_bytes_per_second = 0.0;
  /// Such links of a group, each way; a message takes the one that the number of its destination's
  /// group on the level inside (or of its rank) gives, as destinations do in fat trees (D-mod-k:
  /// Zahavi et al. 2010).
  std::int32_t uplinks = 1;
  /// Outermost level only: the groups inside (or the ranks) are the nodes of a torus of these
  /// sizes, the first counting fastest, 1 to 6 of them. Messages go dimension by dimension, the
  /// shorter way round, at equal lengths upwards. Empty: no torus.
  std::vector<std::int32_t> torus = {};
  /// Of each link of the torus, each way. Only with a torus, and then not 0.
  double link_bandwidth_bytes_per_second = 0.0;
  /// Each link of the torus but the first adds this to a message's latency.
  double hop_latency_seconds = 0.0;
};

namespace detail {
// {NetworkLevel{}}. Not inline, because every program would pay for compiling it.
[[nodiscard]] std::vector<NetworkLevel> default_network();
}  // namespace detail

/// A machine for simulated runs: what the SimDriver and the simulated network charge, in virtual
/// time. A plain value; everything read from a file or the command line has passed check().
struct Machine {
  std::int32_t ranks = 4;               ///< 1 to max_ranks
  std::uint32_t workers_per_rank = 32;  ///< 1 to max_workers_per_rank
  /// Relative speeds of the workers of rank r: speeds[r % speeds.size()]. Work of s seconds takes s
  /// / speed. One value for all ranks, one for each, or a pattern whose length divides the number
  /// of ranks.
  std::vector<double> speeds = {1.0};
  /// Every handler's cost is multiplied by a seeded factor in [1, 1 + noise): operating-system
  /// noise. 0: none.
  double noise = 0.0;
  /// The runtime's own time on a worker for every handler it starts.
  double handler_overhead_seconds = 0.3e-6;
  /// If not 0, the processor time that each run of a handler takes on the simulating machine, times
  /// this factor, is added to the virtual time at the run's end, as if the handler had computed for
  /// so long; runs of the same seed then differ. 0: handlers take only the time that they state
  /// themselves.
  double measured_time_factor = 0.0;
  /// Innermost first (node, switch, machine). Each group holds whole groups of the level inside it;
  /// the last level spans all ranks. Never empty.
  std::vector<NetworkLevel> network = detail::default_network();

  /// The relative speed of a rank's workers.
  [[nodiscard]] double speed(Rank rank) const { return speeds[rank.index() % speeds.size()]; }

  /// Index into `network` of the innermost level on which a and b meet. Messages of a rank to
  /// itself go by level 0.
  [[nodiscard]] std::size_t level_between(Rank a, Rank b) const {
    std::size_t level = 0;
    std::int32_t group_of_a = a.value();
    std::int32_t group_of_b = b.value();
    for (; level + 1 < network.size(); ++level) {
      const NetworkLevel& groups = network[level];
      if (groups.parents.empty()) {
        group_of_a = a.value() / groups.group_ranks;
        group_of_b = b.value() / groups.group_ranks;
      } else {
        group_of_a = groups.parents[static_cast<std::size_t>(group_of_a)];
        group_of_b = groups.parents[static_cast<std::size_t>(group_of_b)];
      }
      if (group_of_a == group_of_b) break;
    }
    return level;
  }
  /// The costs of a message between two ranks.
  [[nodiscard]] const NetworkLevel& between(Rank a, Rank b) const {
    return network[level_between(a, b)];
  }
};

/// Throws ConfigError if a value is out of range, groups do not nest, or speeds do not fit the
/// number of ranks. The message starts with `origin` (a file, an option, "machine").
void check(const Machine& machine, std::string_view origin);

/// Reads a machine description, a TOML file with the keys `ranks`, `workers`, `speed` (a number or
/// a list), `noise`, `handler_overhead_seconds`,
/// `measured_time_factor` and any number of [[network]] tables, innermost
/// first, with the names of NetworkLevel's members (`parents` and `torus` are lists); see
/// examples/cluster.toml.
/// What is left out keeps its default. Throws ConfigError (file:line:column, what was found, what
/// is allowed) for an unreadable file, a syntax error, an unknown key, a wrong type or value.
[[nodiscard]] Machine read_machine_file(const std::string& path);

/// Reads a machine description, as read_machine_file() does, from text; `origin` stands for the
/// file's name in messages.
[[nodiscard]] Machine parse_machine(std::string_view toml, const std::string& origin);

/// The inline form, "ranks=10,workers=32": keys of the file (numbers only) and those of
/// NetworkLevel for a network of a single level. Throws ConfigError that starts with `origin`.
[[nodiscard]] Machine parse_inline_machine(std::string_view text, const std::string& origin);

/// True if `text` is the inline form rather than a path: a key, then '='.
[[nodiscard]] bool is_inline_machine(std::string_view text);

/// Either form: a file by its path, or a machine inline. Throws ConfigError likewise; `origin` is
/// what asked for it.
[[nodiscard]] Machine read_machine(const std::string& text, const std::string& origin);

}  // namespace roam
