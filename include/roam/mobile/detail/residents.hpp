// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "roam/am/detail/messenger.hpp"
#include "roam/mobile/detail/directory.hpp"
#include "roam/mobile/detail/effects.hpp"
#include "roam/mobile/detail/method_table.hpp"
#include "roam/mobile/detail/object_space_stats.hpp"
#include "roam/mobile/detail/protocol_watch.hpp"
#include "roam/mobile/detail/resident.hpp"
#include "roam/mobile/location_options.hpp"

namespace roam::mobile {

/// The objects of one rank in its directory: which call an object takes next (M3) and which may
/// start (M4). The steps of the classes above are made of these functions; those that are so marked
/// are called inside a shard.
class Residents {
 public:
  using Shard = Directory::Shard;
  using Entry = Directory::Entry;
  using Step = ProtocolWatch::Step;

  Residents(ObjectSpace& space, am::Messenger& messenger, const ObjectSpaceOptions& options);
  Residents(const Residents&) = delete;
  Residents& operator=(const Residents&) = delete;
  /// Deletes the objects and all that waits for them, when no other thread is left.
  void give_up_all();

  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }
  [[nodiscard]] exec::Engine& engine() const { return engine_; }
  [[nodiscard]] Rank rank() const { return messenger_.rank(); }
  [[nodiscard]] const ObjectSpaceOptions& options() const { return options_; }
  [[nodiscard]] const MethodTable& methods() const { return methods_; }
  [[nodiscard]] const Directory& directory() const { return directory_; }
  [[nodiscard]] Shard& shard(ObjectId id) const { return directory_.shard(id); }
  [[nodiscard]] ProtocolWatch& watch() { return watch_; }
  [[nodiscard]] const ProtocolWatch& watch() const { return watch_; }
  void set_load_listener(LoadListener* listener) { listener_ = listener; }
  /// Does what a step has led to; see EffectsApplier.
  template <class... Parts>
  [[gnu::always_inline]] void apply(Effects<Parts...>&& effects) ROAM_EXCLUDES(inside_shard) {
    applier_.apply(std::move(effects));
  }

  /// An id of this rank that no object has or had.
  [[nodiscard]] ObjectId new_id() {
    return {rank(), next_serial_.fetch_add(1, std::memory_order_relaxed)};
  }
  /// Makes an object known under an id that no object has or had; takes ownership of `object`.
  void adopt(ObjectId id, const ObjectType& type, void* object) ROAM_EXCLUDES(inside_shard);

  // Entries of the directory.
  /// This rank's entry for an object it calls; nullptr if the object is known to be gone.
  [[nodiscard]] Entry* entry_for_calling(Shard& shard, ObjectId id) ROAM_REQUIRES(inside_shard) {
    if (Entry* entry = shard.find(id)) return entry;
    return first_entry(shard, id);
  }
  [[nodiscard]] Entry& new_entry(Shard& shard, ObjectId id) ROAM_REQUIRES(inside_shard);
  void forget(Shard& shard, Entry& entry) ROAM_REQUIRES(inside_shard);
  /// The rank to which a call is sent if only this entry is known.
  [[nodiscard]] Rank way_to(const Entry& entry) const {
    const Rank home = entry.id().home();
    return options_.location_policy == LocationPolicy::home && home != rank() ? home
                                                                              : entry.location();
  }

  // Calls of an object.
  /// Puts a call into its object's inbox or sets it aside.
  void take(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  /// Does the same, and returns what may start.
  [[nodiscard]] exec::ReadyItem* accept(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  /// Does what accept() and start_first() do, for a call that may start without entering the inbox.
  void begin_at_once(Resident& resident, Call* call, std::uint32_t& expected)
      ROAM_REQUIRES(inside_shard);
  /// The item that stands for the object, and counts as one of its users, if it has to be pushed
  /// now; else nullptr.
  [[nodiscard]] exec::ReadyItem* startable(Resident& resident) ROAM_REQUIRES(inside_shard);
  /// Starts the first call of the inbox, which must be allowed to start: it counts as running from
  /// now on.
  [[nodiscard]] Call* start_first(Resident& resident) ROAM_REQUIRES(inside_shard);
  /// Ends a call, which gives its access back after running for `run_time`.
  void end(Shard& shard, Resident& resident, const Call& call, Duration run_time)
      ROAM_REQUIRES(inside_shard);
  void tell(Resident& resident, LoadListener::Change change) ROAM_REQUIRES(inside_shard) {
    resident.tell(listener_, change);
  }

  // Counts; any thread.
  void count_residents(std::ptrdiff_t difference) {
    resident_count_.fetch_add(static_cast<std::size_t>(difference), std::memory_order_relaxed);
  }
  void count_early(std::ptrdiff_t difference) {
    early_count_.fetch_add(static_cast<std::size_t>(difference), std::memory_order_release);
  }
  [[nodiscard]] std::size_t resident_count() const {
    return resident_count_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::size_t early_count() const {
    return early_count_.load(std::memory_order_acquire);
  }
  void add_to(ObjectSpaceStats& stats) const;
  void add_to(exec::WorkingSet& set) const;
  /// Prefetches what a call of the object needs: in steps from 0 to 2, as those of exec::Poller.
  void look_ahead(ObjectId id, int step) const;
  /// Calls visit(resident) for each resident of a shard.
  template <class Visit>
  static void for_each_in(Shard& shard, Visit&& visit) ROAM_REQUIRES(inside_shard) {
    shard.entries.for_each([&](const Entry& entry) {
      if (Resident* const resident = entry.resident()) visit(*resident);
    });
  }

 private:
  [[nodiscard]] Entry* first_entry(Shard& shard, ObjectId id) ROAM_REQUIRES(inside_shard);
  void take_in(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  /// Counts a call among the object's pending ones, with its expected cost.
  void enter(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  void set_aside(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  void take_in_early(Resident& resident, std::int32_t origin, std::uint32_t& expected)
      ROAM_REQUIRES(inside_shard);
  void start(Resident& resident, Call* call) ROAM_REQUIRES(inside_shard);
  [[nodiscard]] exec::ReadyItem* boost(Resident& resident) ROAM_REQUIRES(inside_shard);

  ObjectSpace& space_;
  am::Messenger& messenger_;
  exec::Engine& engine_;
  const ObjectSpaceOptions options_;
  EffectsApplier applier_;
  const MethodTable methods_;
  ProtocolWatch watch_;
  Directory directory_;
  LoadListener* listener_ = nullptr;  // set before the first step
  std::atomic<std::uint64_t> next_serial_{1};
  std::atomic<std::size_t> early_count_{0};
  std::atomic<std::size_t> resident_count_{0};
  std::atomic<std::uint64_t> created_{0};
  std::atomic<std::uint64_t> set_aside_{0};
};

}  // namespace roam::mobile
