// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "handed_object.hpp"
#include "roam/am/detail/epochs.hpp"
#include "roam/core/types.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

/// What the Migrations keep of an object that is asked to move, moves, or has been refused.
struct MoveState {
  MoveState() = default;
  MoveState(const MoveState&) = delete;
  MoveState& operator=(const MoveState&) = delete;
  ~MoveState() {
    while (!leaving.empty()) delete leaving.pop();
    if (handed != nullptr) handed->end();
  }

  CallQueue leaving;  // in transit: the calls that were packed, kept until the target has them (M6)
  std::shared_ptr<HandedObject> handed;  // in transit: the state, if it changes hands by pointer
  Rank target;                           // departing, in transit
  Rank next_target;                      // asked to move on while in transit
  Instant departed{0};                   // in transit: since when
  std::string refusal;                   // of the last move, for good; empty: it was none
  std::uint32_t message_objects = 0;     // in transit: as in MigrationOutcome
  std::uint64_t message_bytes = 0;
  std::vector<std::uint64_t> moved_for;  // epochs whose work has asked it to move (M10)
  bool has_counted_leaving = false;      // their epochs know that the leaving calls were sent

  /// Of this resident; made if it has none.
  [[nodiscard]] static MoveState& of(Resident& resident) ROAM_REQUIRES(inside_shard) {
    core::Owned<MoveState>& move = resident.rare().move;
    if (!move) move = std::make_unique<MoveState>();
    return *move;
  }
  /// The same; nullptr if it has none.
  [[nodiscard]] static MoveState* of_or_none(const Resident& resident) ROAM_REQUIRES(inside_shard) {
    const Resident::RareState* const rare = resident.rare_or_none();
    return rare == nullptr ? nullptr : rare->move.get();
  }
  /// The calls packed with the object have set out (1), or have not, after all (-1). They go on
  /// being work of their epochs here until the target has them (M10).
  static void count_leaving(am::Epochs& epochs, Resident& resident, std::int64_t number)
      ROAM_REQUIRES(inside_shard);
  /// Somebody's work of an epoch (0: none) has asked the object to move.
  static void begin_for(am::Epochs& epochs, Resident& resident, std::uint64_t epoch)
      ROAM_REQUIRES(inside_shard);
  /// The move, or the last of several that were asked for, is over. Returns the epoch of whoever
  /// asked last if that is to be kept for what remains to be done.
  static std::uint64_t end_all(am::Epochs& epochs, Resident& resident, bool keep_last)
      ROAM_REQUIRES(inside_shard);
};

}  // namespace roam::mobile
