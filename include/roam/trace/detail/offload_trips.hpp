// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/types.hpp"

namespace roam::trace {

/// The way of an offloaded task to another rank and back, as its own rank saw it: one for each time
/// that it was sent. Sent between processes as its bytes.
struct OffloadTrip {
  static constexpr Instant never = Instant::min();
  enum class Outcome : std::uint32_t {
    away,       ///< not back yet when the trace was written
    used,       ///< its result came in time
    late,       ///< its result came when the task was computed on its own rank already
    sent_back,  ///< the other rank has not begun it: it had no memory for it, or was asked not to
    not_sent,   ///< it could not be sent
    lost        ///< the other rank, a helper, was lost
  };
  std::uint64_t token = 0;     ///< different for all tasks of the rank that are away at a time
  Instant spawned{0};          ///< by the program
  Instant sent{0};             ///< when the rank began to send it
  Instant back = never;        ///< when its result came, or it came back without one
  Instant recomputed = never;  ///< when its own rank began to compute it as well
  Instant delivered = never;   ///< when the program could have its result, wherever it was computed
  std::int32_t victim = -1;    ///< the other rank
  std::uint32_t label = 0;     ///< index into OffloadTrips::labels
  Outcome outcome = Outcome::away;
  std::uint32_t padding = 0;
};

/// The stay of an offloaded task on the rank that has computed it, on that rank's clock. Sent
/// between processes as its bytes.
struct OffloadVisit {
  std::uint64_t token = 0;  ///< that of the trip on the task's own rank
  Instant arrived{0};
  Instant begun{0};
  Instant ended{0};
  std::int32_t home = -1;  ///< the task's own rank
  std::uint32_t padding = 0;
};

/// The trips of one rank's tasks, and the visits of other ranks' tasks that it has computed.
struct OffloadTrips {
  std::vector<std::string> labels;
  std::vector<OffloadTrip> trips;    ///< in the order in which they were sent
  std::vector<OffloadVisit> visits;  ///< in the order in which they ended
  std::uint64_t left_out = 0;        ///< later ones of both, for which there was no space

  template <class Archive>
  void serialize(Archive& archive) {
    archive(labels, trips, visits, left_out);
  }
};

}  // namespace roam::trace
