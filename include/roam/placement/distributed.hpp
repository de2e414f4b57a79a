// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/detail/call_edge.hpp"
#include "roam/core/random.hpp"
#include "roam/core/serialise.hpp"
#include "roam/core/types.hpp"

namespace roam::placement {

struct RankPlaces;

/// What ranks tell each other about an object. Plain bytes.
struct ObjectNote {
  std::uint64_t object = 0;  ///< its id
  double seconds = 0;        ///< work on a worker of speed 1
  std::uint64_t bytes = 0;   ///< packed
  std::int32_t rank = 0;     ///< where it is
  std::int32_t to = 0;       ///< where it is to go
};

/// Totals of the whole job, which every rank knows. Plain bytes.
struct LoadTotals {
  std::uint64_t objects = 0;  ///< in the job
  double work_seconds = 0;    ///< on a worker of speed 1
  double capacity = 0;        ///< seconds of such work that all ranks do in a second
  double max_seconds = 0;     ///< time of the slowest rank, its work shared evenly by its workers
  /// Time that every rank would take if work were spread perfectly: all work over the capacity of
  /// all ranks.
  [[nodiscard]] double mean_seconds() const { return capacity > 0 ? work_seconds / capacity : 0; }
};

/// What one rank brings to a decision.
struct RankShare {
  Rank rank = 0;                    ///< rank that this is about
  std::int32_t size = 1;            ///< number of ranks
  double capacity = 1;              ///< of this rank
  double fixed_seconds = 0;         ///< work that stays
  std::vector<ObjectNote> objects;  ///< objects that may move; their `rank` and `to` are this rank
  LoadTotals totals;                ///< of all ranks
  std::vector<CallEdge> calls;      ///< counted on this rank, if the strategy uses links
  /// How near ranks are to each other; nullptr: all equally. Outlives the decision.
  const RankPlaces* places = nullptr;
};

/// A message received in a superstep.
struct StepMessage {
  Rank source = 0;               ///< who sent it
  std::vector<std::byte> bytes;  ///< as they were sent
};

/// What a distributed strategy may use on its rank, only while step() runs.
class StepHost {
 public:
  StepHost() = default;
  StepHost(const StepHost&) = delete;
  StepHost& operator=(const StepHost&) = delete;
  virtual ~StepHost() = default;
  /// An empty message to be filled for send().
  [[nodiscard]] virtual core::Packer message() = 0;
  /// Sends a message, which arrives before the receiver's next step; this rank may send to itself.
  virtual void send(Rank to, core::Packer&& message) = 0;
  /// Random numbers of this rank, seeded by the job's seed and the rank.
  [[nodiscard]] virtual core::Random& random() = 0;
  /// Charges the time that this step has computed to virtual time; does nothing in a real run.
  virtual void charge(double seconds) = 0;
};

/// The random number generator of a rank: the same numbers whether the steps run in a job or in a
/// test.
[[nodiscard]] core::Random random_of(std::uint64_t seed, Rank rank);

/// A strategy in which no single rank decides for all. Each decision makes one of these on each
/// rank, and they run in supersteps (bulk-synchronous, Valiant 1990) between which messages travel.
/// Deterministic: messages received are sorted by source, then in the order sent.
class DistributedStrategy {
 public:
  DistributedStrategy() = default;
  DistributedStrategy(const DistributedStrategy&) = delete;
  DistributedStrategy& operator=(const DistributedStrategy&) = delete;
  virtual ~DistributedStrategy() = default;

  /// Runs one superstep. Returns false if this was the last one, in which nothing was sent; this
  /// happens on all ranks after the same number of steps. Checks the bytes from other ranks: throws
  /// MalformedMessage.
  [[nodiscard]] virtual bool step(StepHost& host, std::span<const StepMessage> received) = 0;

  /// The decision for this rank.
  struct Result {
    std::vector<ObjectNote> moves;  ///< moves of objects that are here
    double work_seconds = 0;        ///< work on this rank when all have moved, including what stays
    std::uint64_t arriving_objects = 0;  ///< number of objects that will come
    std::uint64_t arriving_bytes = 0;    ///< packed size of those
    /// Of strategies for which less communication is a gain: the time that the rank is busy with
    /// work and communication, at present and when all have moved, in seconds; or, on each rank of
    /// a group, the longest of the group.
    double busy_seconds_now = 0;
    double busy_seconds_then = 0;  ///< see busy_seconds_now
  };
  /// The decision for this rank; called once, after the last step.
  [[nodiscard]] virtual Result result() = 0;
};

}  // namespace roam::placement
