// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/object_id.hpp"
#include "roam/core/types.hpp"

namespace roam::mobile {

/// The facts about one resident object from which load is judged. Moves with the object.
struct Record {
  std::uint32_t pending_calls = 0;  ///< accepted, not finished
  std::uint32_t moves = 0;          ///< migrations so far
  float cost_factor = 1;            ///< its calls take so many times as long as others' (balancer)
  std::uint32_t unused = 0;
  double pending_seconds = 0;  ///< announced or estimated cost of the pending calls that have one
  double pending_weight = 0;   ///< summed weight of the others
  double phase_seconds = 0;    ///< run time of its calls since end_load_phase()
  std::int64_t last_move_ns = -1;  ///< when it arrived here, on this rank's clock; -1: never moved
  std::uint64_t packed_bytes = 0;  ///< size of its last packed form; 0: never packed
};

/// Told about every change of load on this rank. Called under a directory lock, by any thread: must
/// be quick and must not call back into the ObjectSpace.
class LoadListener {
 public:
  virtual ~LoadListener() = default;
  /// `record` has just changed; `arrived`/`left`: the object has just come to, or is leaving, this
  /// rank.
  enum class Change : std::uint8_t { load, arrived, left };
  virtual void notify(ObjectId id, const Record& record, Change change) = 0;
  /// A call of the object begins to run, with its announced cost (negative: none) and its weight;
  /// `record` follows with the call's end, when pending_calls shrinks.
  virtual void started(ObjectId, double /*cost_seconds*/, double /*weight*/) {}
  /// What a call without announced cost is to count from now on, in seconds; negative: not known,
  /// its weight counts.
  [[nodiscard]] virtual double estimate(std::uint32_t /*handler*/, double /*weight*/,
                                        const Record&) {
    return -1;
  }
  /// A call without announced cost took `run_seconds`. May change Record::cost_factor.
  virtual void measured(std::uint32_t handler, double weight, double run_seconds,
                        Record& record) = 0;
};

}  // namespace roam::mobile
