// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// The facts about one resident object from which load is judged. Moves with the object.
struct Record {
  std::uint32_t pending_calls = 0;  ///< accepted and not finished
  std::uint32_t moves = 0;          ///< the number of migrations so far
  /// How long its calls take, relative to those of other objects; used by the balancer.
  float cost_factor = 1;
  std::uint32_t has_run = 0;   ///< 1: one of its calls has, before end_load_phase()
  double pending_seconds = 0;  ///< announced or estimated cost of the pending calls that have one
  double pending_weight = 0;   ///< summed weight of the others
  double phase_seconds = 0;    ///< run time of its calls since end_load_phase()
  std::int64_t last_move_ns = -1;  ///< when it arrived here, on this rank's clock; -1: never moved
  std::uint64_t packed_bytes = 0;  ///< size of its last packed form; 0: never packed nor counted
};

/// What runs on a resident object. Counted only if there is a listener; not sent with the object
/// when it moves.
struct Activity {
  std::uint32_t running = 0;  ///< calls that have begun and not ended
  bool is_told = false;  ///< the listener has been told of a change that it has not looked at yet
  float seconds = 0;     ///< sum of the stated or estimated costs of those that have one
  float weight = 0;      ///< sum of the weights of the others
  Instant since{0};      ///< when the last of them began

  void begin(float cost_seconds, float its_weight, Instant now) {
    ++running;
    (cost_seconds >= 0 ? seconds : weight) += cost_seconds >= 0 ? cost_seconds : its_weight;
    since = now;
  }
  void end(float cost_seconds, float its_weight) {
    if (running <= 1) return end_all();  // no rounding errors remain
    --running;
    (cost_seconds >= 0 ? seconds : weight) -= cost_seconds >= 0 ? cost_seconds : its_weight;
  }

 private:
  void end_all() {
    running = 0;
    seconds = weight = 0;
  }
};

/// Record and activity, as they were at one moment.
struct LoadFacts {
  Record record;
  Activity activity;
};

/// A listener that is told of every change of load on this rank. Called under a directory lock, by
/// any thread: must be quick and must not call back into the ObjectSpace.
class LoadListener {
 public:
  virtual ~LoadListener() = default;
  /// Called when `record` or what runs has changed (`load`), when the object has come to this rank
  /// (`arrived`), or is leaving it (`left`). Changes of kind `load` are not told while
  /// Activity::is_told is true, which the listener sets.
  enum class Change : std::uint8_t { load, arrived, left };
  virtual void notify(ObjectId id, const Record& record, Activity& activity, Change change) = 0;
  /// The cost in seconds of a call whose cost the program has not stated, from now on; negative:
  /// not known, its weight counts.
  [[nodiscard]] virtual double estimate(std::uint32_t /*handler*/, double /*weight*/,
                                        const Record&) {
    return -1;
  }
  /// Called when a call whose cost the program has not stated took `run_seconds`. May change
  /// Record::cost_factor.
  virtual void measured(std::uint32_t handler, double weight, double run_seconds,
                        Record& record) = 0;
};

}  // namespace roam::mobile
