// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::balance {

/// Seconds that a weight of 1 counts as long as no call has been measured anywhere: the same on
/// every rank, so that loads can be compared from the start. Chosen.
inline constexpr double default_seconds_per_weight = 1e-3;

/// The load of one rank at one moment, as ranks send it to each other. Plain bytes.
struct RankLoad {
  /// Announced cost of the unfinished calls, minus what the running ones have done, in seconds of
  /// one worker.
  double seconds = 0;
  /// Weight of the unfinished calls without announced cost, minus the estimated part done.
  double weight = 0;
  /// The part of `seconds` that belongs to objects without a running handler: work that could move
  /// or has yet to start.
  double queued_seconds = 0;
  /// The part of `weight` that belongs to the same objects.
  double queued_weight = 0;
  /// Moving average, measured here; 0: nothing measured yet.
  double seconds_per_weight = 0;
  /// Seconds until the first of the running handlers is expected to end; 0 if a worker runs none.
  double first_free_seconds = 0;
  /// Length of the cycles in which work has come lately (WorkCycles); 0: it has not come in cycles.
  double cycle_seconds = 0;
  /// Part of the last cycles for which the workers were busy; 0: there are no cycles.
  double busy_part = 0;
  /// Length of the cycles that busy_part was observed in since an object last came or left; what
  /// was observed before tells nothing of cycles to come. At most eight cycles.
  double cycles_observed_seconds = 0;
  /// How long a worker is still expected to wait in the present cycle, going by the last ones.
  double idle_left_seconds = 0;
  /// Part of the workers' time that was idle in the last observed_seconds. Observation starts anew
  /// when an object comes or leaves, so that a decision waits until the effect of the one before is
  /// known.
  double idle_part = 0;
  double observed_seconds = 0;  ///< for how long idle_part has been observed, at most 2
  /// Factor by which new objects are expected to bring more than their own work (Growth); the loads
  /// above already include it.
  double growth = 1;
  /// Time over which the objects' run_seconds have been counted.
  double phase_seconds = 0;
  std::uint32_t workers = 1;  ///< of the rank
  std::uint32_t running = 0;  ///< objects with a running handler
  std::uint32_t queued = 0;   ///< objects with work that no handler runs on; these can move
  /// 1: this rank could do nothing for a while, until now or a moment ago (Interruptions), so that
  /// the idleness of other ranks may be temporary.
  std::uint32_t was_interrupted = 0;

  /// Seconds per weight for this rank's weights: as measured here, else as `other` measured them.
  [[nodiscard]] double rate(const RankLoad& other) const {
    if (seconds_per_weight > 0) return seconds_per_weight;
    return other.seconds_per_weight > 0 ? other.seconds_per_weight : default_seconds_per_weight;
  }
  [[nodiscard]] double rate() const { return rate(*this); }
  /// All unfinished work at `rate` seconds per weight, in seconds of one worker.
  [[nodiscard]] double total(double rate) const { return seconds + rate * weight; }
  [[nodiscard]] double total() const { return total(rate()); }
  /// The part of total() that no handler runs on.
  [[nodiscard]] double queued_total(double rate) const {
    return queued_seconds + rate * queued_weight;
  }
  /// Number of workers that have nothing to run.
  [[nodiscard]] std::uint32_t idle_workers() const {
    return workers - std::min(workers, running + queued);
  }
  /// Seconds until a worker has nothing to run if no work arrives: the time that an object would
  /// wait at the end of this rank's queue.
  [[nodiscard]] double seconds_until_idle(double rate) const {
    return running + queued < workers ? 0 : first_free_seconds + queued_total(rate) / workers;
  }
};

/// An object that could move now.
struct ObjectLoad {
  ObjectId object;     ///< its name
  double seconds = 0;  ///< its unfinished work; for a new object also what it will create (Growth)
  std::uint64_t bytes = 0;       ///< when packed; 0: not known
  std::uint32_t moves = 0;       ///< number of moves so far
  std::int64_t arrived_ns = -1;  ///< on this rank's clock; -1: it was created here
  double run_seconds = 0;  ///< time that its calls have run in this phase (RankLoad::phase_seconds)
  bool has_run = false;    ///< in this phase or before: such an object may get work again and again
};

/// One decision to move an object, for the trace. Gain and cost are predictions made at that time.
struct Decision {
  /// The result of the decision.
  enum class Outcome : std::uint8_t {
    under_way,  ///< not known yet
    moved,      ///< the object lives on the other rank now
    refused,    ///< by the target, or because packing failed: `note` says why
    busy        ///< a handler had begun to run on it
  };
  Instant when{0};          ///< on the clock of `from`
  Rank from;                ///< where the decision was taken
  Rank to;                  ///< where the object was to go
  ObjectId object;          ///< the object to be moved
  double load_seconds = 0;  ///< its unfinished work
  std::uint64_t bytes = 0;  ///< when packed; 0: not known
  double gain_seconds = 0;  ///< how much earlier the object's work starts
  double cost_seconds = 0;  ///< predicted duration of the move
  /// Predicted time after which its work would have started here; negative: not predicted.
  double stay_seconds = -1;
  double move_seconds = 0;  ///< measured from hand-over to answer, once the move is over
  Outcome outcome = Outcome::under_way;  ///< how the move ended
  std::string reason;                    ///< reason given by the policy
  std::string note;                      ///< reason of a refusal
};

}  // namespace roam::balance
