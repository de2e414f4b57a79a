// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "handed_object.hpp"
#include "rare_state.hpp"
#include "roam/am/detail/epochs.hpp"
#include "roam/core/types.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/detail/resident.hpp"

namespace roam::mobile {

/// What the Migrations store of an object that has been asked to move, moves, or has been refused.
struct MoveState {
  MoveState() = default;
  MoveState(const MoveState&) = delete;
  MoveState& operator=(const MoveState&) = delete;
  ~MoveState() {
    while (!leaving.empty()) delete leaving.pop();
    if (handed != nullptr) handed->end();
  }

  // In transit: the calls that were packed, stored until the target has them (M6).
  CallQueue leaving;
  std::shared_ptr<HandedObject> handed;  // in transit: the state, if it is handed over by pointer
  Rank target;                           // departing or in transit: where to
  Rank next_target;                      // in transit: where it was asked to move on to
  Instant departed{0};                   // in transit: the time of its departure
  std::string refusal;                // why the last move was refused for good; empty: it was not
  std::uint32_t message_objects = 0;  // in transit: as in MigrationOutcome
  std::uint64_t message_bytes = 0;
  std::vector<std::uint64_t> moved_for;  // epochs whose work has asked it to move (M10)
  bool has_counted_leaving = false;  // true: these epochs have counted the leaving calls as sent

  /// The state of this resident; made if it has none.
  [[nodiscard]] static MoveState& of(Resident& resident) ROAM_REQUIRES(inside_shard) {
    core::Owned<MoveState>& move = resident.rare().move;
    if (!move) move = std::make_unique<MoveState>();
    return *move;
  }
  /// The state of this resident; nullptr if it has none.
  [[nodiscard]] static MoveState* of_or_none(const Resident& resident) ROAM_REQUIRES(inside_shard) {
    const Resident::RareState* const rare = resident.rare_or_none();
    return rare == nullptr ? nullptr : rare->move.get();
  }
  /// Counts the calls packed with the object as sent (1), or as not sent after all (-1). They
  /// remain work of their epochs on this rank until the target has them (M10).
  static void count_leaving(am::Epochs& epochs, Resident& resident, std::int64_t number)
      ROAM_REQUIRES(inside_shard);
  /// Notes that work of an epoch (0: none) has asked the object to move.
  static void begin_for(am::Epochs& epochs, Resident& resident, std::uint64_t epoch)
      ROAM_REQUIRES(inside_shard);
  /// Notes that the move, or the last of several that were asked for, is over. Returns the epoch of
  /// the last request if that is still needed for what remains to be done.
  static std::uint64_t end_all(am::Epochs& epochs, Resident& resident, bool keep_last)
      ROAM_REQUIRES(inside_shard);
};

}  // namespace roam::mobile
