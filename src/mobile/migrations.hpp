// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "messages.hpp"
#include "object_packing.hpp"
#include "roam/mobile/detail/residents.hpp"

namespace roam::mobile {

class LentObjects;

/// Objects that leave this rank (M5, M6): the source freezes and packs an object and stores
/// everything until the target has answered; calls that arrive meanwhile wait here and follow it.
/// This class alone uses what is stored of an object that moves (MoveState).
class Migrations {
 public:
  using Ask = Effects<effect::Ready, effect::Departure>;
  using Left = Effects<effect::Followers, effect::EndedPassage>;

  Migrations(Residents& residents, ObjectPacking& packing);
  Migrations(const Migrations&) = delete;
  Migrations& operator=(const Migrations&) = delete;
  ~Migrations();
  /// Adds a listener that is told how each migration that started on this rank has ended. Before
  /// the first step.
  void add_listener(std::function<void(const MigrationOutcome&)> listener) {
    listeners_.push_back(std::move(listener));
  }
  /// Called when the ObjectSpace ends: memory of its objects that the network still reads is freed
  /// by the last reader.
  void close_lent();
  void add_to(ObjectSpaceStats& stats) const;

  // Steps.
  /// Asks an object of this rank to move, as work of an epoch (0: none).
  [[nodiscard]] Ask ask(Resident& resident, Rank target, std::uint64_t epoch)
      ROAM_REQUIRES(inside_shard);
  /// Sends an object, before anything else, to where a holder wants it; other requests to move it
  /// have to wait.
  [[nodiscard]] effect::Departure bring(Resident& resident, Rank target)
      ROAM_REQUIRES(inside_shard);
  /// Puts an object into transit: from here on, arriving calls wait and their sequence is not
  /// checked; those already in the inbox were checked and go with the object. hand_over() follows.
  [[nodiscard]] Resident& begin_transit(Resident& resident) ROAM_REQUIRES(inside_shard);
  /// Does the same with an object that is here, settled and not bound; else returns nullptr.
  [[nodiscard]] Resident* begin_idle_transit(ObjectId id, Rank target) ROAM_EXCLUDES(inside_shard);
  /// Called when an object in transit is known to be at a place: it is gone from here, and calls
  /// that came since it was packed follow it.
  [[nodiscard]] static Left let_leave(Directory::Entry& entry, const Place& place)
      ROAM_REQUIRES(inside_shard);
  /// Called when an object in transit has ended elsewhere: returns the calls that have lost their
  /// object.
  [[nodiscard]] static CallQueue let_end(Resident& resident) ROAM_REQUIRES(inside_shard);
  /// The rank to which an object in transit is sent.
  [[nodiscard]] static Rank target_of(Resident& resident) ROAM_REQUIRES(inside_shard);
  /// Why its last move was refused for good; empty if it was not.
  [[nodiscard]] std::string refusal_of(Resident& resident) const ROAM_EXCLUDES(inside_shard);
  /// Ends the work of epochs that had asked it to move.
  void end_moves(Resident& resident) ROAM_REQUIRES(inside_shard);

  // Effects of the steps.
  /// Packs an object in transit and sends it.
  void hand_over(Resident& resident) ROAM_EXCLUDES(inside_shard);
  /// True if the state of an object in transit is handed over by pointer.
  [[nodiscard]] bool changes_hands(const Resident& resident) const;
  /// Does the first half of hand_over(), for objects that share a message. False: the object cannot
  /// be packed, and stays.
  [[nodiscard]] bool pack_to_leave(core::Packer& packer, core::ArrayOutlet* outlet,
                                   Resident& resident) ROAM_EXCLUDES(inside_shard);
  /// What its message, or its part of one, begins with.
  [[nodiscard]] static Install head_of(const Resident& resident);
  /// Notes that it was packed: into a message of its own (message_objects is 1), or into a shared
  /// one (0, or for the first object the number of all).
  void note_packed(Resident& resident, std::uint64_t bytes, std::uint32_t message_objects);
  void note_message(Resident& first, std::uint32_t objects, std::uint64_t bytes);
  /// The rank to which a packed object is to be sent.
  [[nodiscard]] Rank destination_of(Resident& packed) const;
  /// Called when the target has answered.
  void end_hand_over(const Arrival& arrival, Rank target) ROAM_EXCLUDES(inside_shard);
  /// Deletes what was stored of an object that is now elsewhere (no_rank: nowhere). Returns where
  /// it was asked to move on to, and for which epoch.
  struct Onward {
    Rank target;
    std::uint64_t epoch = 0;
  };
  [[nodiscard]] std::optional<Onward> end_passage(Resident& former, Rank place)
      ROAM_EXCLUDES(inside_shard);
  /// Called when the directory forgets a resident that is gone.
  void leave_directory(Resident& gone) ROAM_EXCLUDES(inside_shard);
  void report(const MigrationOutcome& outcome);

 private:
  void complete(ObjectId id, Rank from, std::uint32_t version) ROAM_EXCLUDES(inside_shard);
  void undo(ObjectId id, std::uint32_t version, const Refusal& refusal) ROAM_EXCLUDES(inside_shard);
  /// What is reported of a migration. To be called before the object's next one can begin.
  [[nodiscard]] MigrationOutcome outcome_of(Resident& resident, bool moved) const
      ROAM_REQUIRES(inside_shard);
  [[nodiscard]] MigrationOutcome outcome_of_left(Resident& former) const;
  [[nodiscard]] std::optional<Onward> give_up(Resident& former, Rank place);
  /// False if the object has to be packed after all.
  [[nodiscard]] bool hand_over_state(Resident& resident);
  void note_departure(Resident& resident);
  [[nodiscard]] static std::uint32_t version_of(const Resident& resident);
  void on_installed(const Installed& message, Rank source) ROAM_EXCLUDES(inside_shard) {
    end_hand_over(message.arrival, source);
  }

  Residents& residents_;
  ObjectPacking& packing_;
  const std::shared_ptr<LentObjects> lent_;
  std::vector<std::function<void(const MigrationOutcome&)>> listeners_;
  std::atomic<std::uint64_t> moved_{0};
  std::atomic<std::uint64_t> refused_{0};
  std::atomic<std::uint64_t> moved_bytes_{0};
};

}  // namespace roam::mobile
