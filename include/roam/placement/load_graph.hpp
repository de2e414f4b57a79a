// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "roam/core/machine.hpp"

namespace roam::placement {

/// The communication between two objects during a phase, both directions together.
struct Link {
  std::uint32_t a = 0;  ///< one object's number
  std::uint32_t b = 0;  ///< the other object's number
  double bytes = 0;     ///< of their messages
  double messages = 0;  ///< number of their messages
};

/// The memory that objects and ranks need, in bytes, and the limit they have to stay within. The
/// need of a rank is the sum of its own bytes, the bytes of its objects, the working bytes of that
/// object whose need while running is largest, and the bytes of each shared block that an object of
/// the rank works on, counted once.
struct MemoryNeeds {
  static constexpr std::uint32_t no_block = UINT32_MAX;  ///< in `block`: the object works on none
  std::vector<double> object_bytes;   ///< of each object; the list is empty if nothing is known
  std::vector<double> working_bytes;  ///< of each object: further bytes while it runs
  std::vector<std::uint32_t> block;   ///< of each object: the block that it works on, or no_block
  std::vector<double> block_bytes;    ///< of each block
  std::vector<double> rank_bytes;     ///< of each rank, whichever objects are on it
  /// The most that any rank may need; strategies stay within it.
  double limit_bytes = std::numeric_limits<double>::infinity();

  /// True if anything is known of memory.
  [[nodiscard]] bool is_known() const { return !object_bytes.empty(); }
  /// True if there is a limit to stay within.
  [[nodiscard]] bool is_limited() const {
    return is_known() && limit_bytes < std::numeric_limits<double>::infinity();
  }
};

/// The objects of a job and their loads in one phase, as a strategy sees them: objects are numbered
/// 0 to size() - 1, and each list marked optional is either empty or has one entry for each of
/// them.
struct LoadGraph {
  std::vector<double> seconds;                     ///< work on a worker of speed 1
  std::vector<std::int32_t> rank;                  ///< where the object is
  std::vector<std::uint64_t> bytes;                ///< optional: its packed size
  std::vector<std::uint8_t> pinned;                ///< optional: 1 if it must stay where it is
  std::vector<std::array<double, 3>> coordinates;  ///< optional: its place in the problem
  std::vector<Link> links;  ///< pairs of objects that communicate; may be empty
  /// One entry per rank, or empty: work of the rank that no object stands for (B6), seconds.
  std::vector<double> background_seconds;
  MemoryNeeds memory;  ///< of objects and ranks, where known

  /// How many objects there are.
  [[nodiscard]] std::size_t size() const { return seconds.size(); }
  /// True if the object must stay where it is.
  [[nodiscard]] bool is_pinned(std::size_t object) const {
    return !pinned.empty() && pinned[object] != 0;
  }
  /// Work of a rank that no object stands for, seconds.
  [[nodiscard]] double background(std::size_t rank_index) const {
    return background_seconds.empty() ? 0 : background_seconds[rank_index];
  }
};

/// Throws roam::Error if the lists do not fit each other or the machine, if a number is negative or
/// not finite, or if the loads add up to so much (1e302 s) that sums of them would not be finite.
void check(const LoadGraph& graph, const Machine& machine);

/// The rank of each object.
using Placement = std::vector<std::int32_t>;

/// What the workers of a rank get done per second, in seconds of a worker of speed 1.
[[nodiscard]] inline double capacity(const Machine& machine, std::size_t rank_index) {
  return machine.speeds[rank_index % machine.speeds.size()] *
         static_cast<double>(machine.workers_per_rank);
}
/// What the workers of each rank get done per second, see capacity().
[[nodiscard]] std::vector<double> capacities(const Machine& machine);

/// What a placement is worth. Times are those of a rank whose workers share its work evenly.
struct Quality {
  double max_seconds = 0;   ///< of the slowest rank
  double mean_seconds = 0;  ///< all work over the capacity of all ranks
  double imbalance = 0;     ///< max / mean - 1
  /// A lower bound for the time of any placement: the mean, and what no placement can change (each
  /// object on one worker of the fastest rank; the pinned objects and the background where they
  /// are).
  double bound_seconds = 0;
  std::uint64_t moved_objects = 0;  ///< objects whose rank differs from that in the graph
  std::uint64_t moved_bytes = 0;    ///< packed size of those
  double remote_bytes = 0;          ///< bytes of links between objects of different ranks
  double max_memory_bytes = 0;      ///< need of the rank that needs most; 0: not known
};

/// Computes the quality of a placement. The placement must fit the graph (see check(placement)).
/// O(objects + links + ranks).
[[nodiscard]] Quality assess(const LoadGraph& graph, const Machine& machine,
                             const Placement& placement);

/// Throws roam::Error unless every object is placed on a rank of the machine and the pinned ones
/// stay.
void check(const Placement& placement, const LoadGraph& graph, const Machine& machine);

/// The memory that each rank needs, in bytes; empty: not known.
[[nodiscard]] std::vector<double> memory_bytes(const LoadGraph& graph, const Machine& machine,
                                               const Placement& placement);

/// The least time that any placement needs (Quality::bound_seconds).
[[nodiscard]] double lower_bound_seconds(const LoadGraph& graph, const Machine& machine);

}  // namespace roam::placement
