// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::balance {

/// What a weight of 1 counts before any call was measured anywhere, in seconds: the same on every
/// rank, so that loads can be compared from the start. Chosen.
inline constexpr double default_seconds_per_weight = 1e-3;

/// The load of one rank at one moment, as ranks tell it to each other. Plain bytes.
struct RankLoad {
  /// Announced cost of the unfinished calls, less what the running ones have done, seconds of one
  /// worker.
  double seconds = 0;
  /// Weight of the other unfinished calls, less the estimated part done.
  double weight = 0;
  /// `seconds` of those objects that no handler runs on: what could move or has yet to start.
  double queued_seconds = 0;
  /// `weight` of the same objects.
  double queued_weight = 0;
  /// Measured here as a moving average; 0: nothing measured yet.
  double seconds_per_weight = 0;
  /// Seconds until the first of the running handlers is expected to end; 0 if a worker has none.
  double first_free_seconds = 0;
  /// Length of the cycles in which work has come lately (WorkCycles); 0: it has not come in cycles.
  double cycle_seconds = 0;
  /// Part of the last cycles for which the workers were busy; 0: there were no cycles.
  double busy_part = 0;
  /// How long a worker will still wait in the present cycle, going by the last ones.
  double idle_left_seconds = 0;
  /// Part of its workers' time that was idle in the last observed_seconds (up to 2): since an
  /// object has last come or left, so that one decision waits for what the one before it brought.
  double idle_part = 0;
  double observed_seconds = 0;  ///< for how long idle_part has been observed, at most 2
  /// What new objects are expected to bring, over their own work (Growth); the work of those that
  /// wait is counted so many times above.
  double growth = 1;
  /// How long the objects' run_seconds have been counted.
  double phase_seconds = 0;
  std::uint32_t workers = 1;  ///< of the rank
  std::uint32_t running = 0;  ///< objects with a running handler
  std::uint32_t queued = 0;   ///< objects with work that no handler runs on; these can move
  /// 1: nothing could be done here for a while, or until just now (Interruptions). Others that have
  /// been idle meanwhile are not so for good.
  std::uint32_t was_interrupted = 0;

  /// Seconds per weight for this rank's weights: measured here, else as `other` measured them.
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
  /// Workers that have nothing to run.
  [[nodiscard]] std::uint32_t idle_workers() const {
    return workers - std::min(workers, running + queued);
  }
  /// Seconds until a worker has nothing to run if no work arrives: what an object would wait for
  /// here at the end of the queue.
  [[nodiscard]] double seconds_until_idle(double rate) const {
    return running + queued < workers ? 0 : first_free_seconds + queued_total(rate) / workers;
  }
};

/// An object that could move now.
struct ObjectLoad {
  ObjectId object;     ///< its name
  double seconds = 0;  ///< its unfinished work; of a new object also what it will bring (Growth)
  std::uint64_t bytes = 0;       ///< when packed; 0: not known
  std::uint32_t moves = 0;       ///< so far
  std::int64_t arrived_ns = -1;  ///< on this rank's clock; -1: it was created here
  double run_seconds = 0;  ///< that its calls have run in this phase (RankLoad::phase_seconds)
  bool has_run = false;    ///< in this phase or before: it may come with work again and again
};

/// One decision to move an object, for the trace. Gain and cost as predicted when it was taken.
struct Decision {
  /// What became of it.
  enum class Outcome : std::uint8_t {
    under_way,  ///< not known yet
    moved,      ///< it lives there now
    refused,    ///< by the target, or its packing failed: `note` says why
    busy        ///< a handler had begun to run on it
  };
  Instant when{0};          ///< on the clock of `from`
  Rank from;                ///< where the decision was taken
  Rank to;                  ///< where the object was to go
  ObjectId object;          ///< which was to move
  double load_seconds = 0;  ///< its unfinished work
  std::uint64_t bytes = 0;  ///< when packed; 0: not known
  double gain_seconds = 0;  ///< the object's work starts so much earlier
  double cost_seconds = 0;  ///< predicted time under way
  /// Predicted: had it stayed, its work would have started after so long; below 0: nobody said.
  double stay_seconds = -1;
  double move_seconds = 0;               ///< measured from hand-over to answer, once it is over
  Outcome outcome = Outcome::under_way;  ///< how it ended
  std::string reason;                    ///< the policy's
  std::string note;                      ///< of a refusal
};

}  // namespace roam::balance
