// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/detail/owned.hpp"
#include "roam/mobile/detail/call_runs.hpp"
#include "roam/mobile/detail/element_listener.hpp"
#include "roam/mobile/detail/issued_calls.hpp"
#include "roam/mobile/detail/residents.hpp"
#include "roam/mobile/resident_view.hpp"

namespace roam::mobile {

struct Owners;
struct StuckFacts;

/// The mobile objects of one rank and what it knows of all others (PREMA's MOL): creation, calls in
/// order, access, migration, location. A facade over the classes that do this. Thread-safe;
/// listeners and the like have to be set before the first step.
class ObjectSpace {
 public:
  using ElementListener = mobile::ElementListener;
  using Outcomes = std::function<void(const MigrationOutcome&)>;
  using Admission = std::function<std::string(ObjectId, std::uint64_t bytes)>;
  using Visit = std::function<void(const ResidentView&)>;

  ObjectSpace(am::Messenger& messenger, const ObjectSpaceOptions& options);
  ~ObjectSpace();
  [[nodiscard]] am::Messenger& messenger() const { return residents_.messenger(); }
  [[nodiscard]] exec::Engine& engine() const { return residents_.engine(); }
  [[nodiscard]] Rank rank() const { return residents_.rank(); }
  [[nodiscard]] ObjectSpaceStats stats() const;
  // Its parts, for use in this room.
  [[nodiscard]] Residents& residents() { return residents_; }
  [[nodiscard]] IssuedCalls& issued() { return issued_; }
  [[nodiscard]] CallRuns& runs() { return runs_; }
  [[nodiscard]] Owners& owners() { return *owners_; }

  // For mobile_ptr and collections.
  /// Makes an object known under a new id, or under one of this rank that no object has or had;
  /// takes ownership of `object`.
  [[nodiscard]] ObjectId adopt(const ObjectType& type, void* object);
  void adopt_as(ObjectId id, const ObjectType& type, void* object);
  /// Issues a call. For parts of operations on collections see CallHeader::is_part.
  template <auto F, class... A>
  void send(ObjectId id, const CallOptions& options, const am::ReplyTo& to, A&&... arguments) {
    issued_.issue<F>(id, options, to.token, false, std::forward<A>(arguments)...);
  }
  template <auto F, class... A>
  void send_part(ObjectId id, std::uint64_t token, A&&... arguments) {
    issued_.issue<F>(id, CallOptions{}, token, true, std::forward<A>(arguments)...);
  }
  template <auto F, class... A>
  [[nodiscard]] auto call(ObjectId id, const CallOptions& options, A&&... arguments);
  /// Ends the object after this sender's earlier calls; later calls fail with ObjectGone (M8).
  void destroy(ObjectId id);
  /// Where the object is or was last known to be; nullopt if it is gone or its place was never
  /// heard of here (then its home knows it). Takes no lock.
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const {
    return residents_.directory().place_of(id);
  }
  /// Asks the object to move. Returns at once; callable on any rank. No effect if it is there
  /// already or is gone; throws roam::Error if the rank does not exist.
  void migrate(ObjectId id, Rank target);
  /// Moves the object after this sender's earlier calls to it; the task ends once the object has
  /// been there. Throws roam::RemoteError if the rank refuses it, and roam::ObjectGone if there is
  /// no such object.
  [[nodiscard]] Task<> migrate_and_wait(ObjectId id, Rank target);
  /// Reports an operation on an object that does not exist: to the coroutine that awaits it, or, if
  /// there is none, to the handler of dead letters (M8; without one, it is an error of the job).
  void dead_letter(const am::ReplyTo& reply_to, const std::string& text);
  void set_dead_letter_handler(std::function<void(const std::string&)> handler);
  void set_element_listener(ElementListener* listener);

  // For multicasts; see multicast.hpp.
  /// Adds a user of what a holder holds on this rank; release_held() removes one. A holder of 0
  /// stands for none. Throws roam::Error if the holder holds nothing here.
  void begin_nested(std::uint64_t outer);
  /// Releases what a holder holds on this rank, if this was its last user.
  void release_held(std::uint64_t holder);

  // For balancing.
  void set_load_listener(LoadListener* listener) { residents_.set_load_listener(listener); }
  /// The listener is told how each migration that started here has ended, under the progress lock
  /// or on a worker.
  void add_migration_listener(Outcomes listener);
  /// Sets a function that may refuse an arriving object of a given size: it returns the reason, or
  /// an empty string.
  void set_admission(Admission admission);
  /// Moves the object only if it is here, settled and no handler runs on it; true if the hand-over
  /// began. If several are given, small ones share a message (M5, M6), and those that do not move
  /// are returned.
  bool migrate_idle(ObjectId id, Rank target);
  [[nodiscard]] std::vector<ObjectId> migrate_idle(std::span<const ObjectId> ids, Rank target);
  /// For the listener: the facts of an object that is here and not leaving; the listener is told of
  /// changes again from now on. The caller must not hold a lock that notify() takes.
  [[nodiscard]] std::optional<LoadFacts> take_changed_load(ObjectId id);
  /// The size of the object in bytes when it last moved; if it has not, it is counted now, once, by
  /// its own serialisation under a lock. 0: it is not here, a handler runs on it, or its
  /// serialisation throws.
  [[nodiscard]] std::uint64_t packed_bytes(ObjectId id);
  /// Visits the settled objects, shard by shard under its lock. Returns for how many seconds calls
  /// have run on this rank in this load phase, including those of objects that have left.
  double for_each_resident(const Visit& visit) const;
  /// Does the same and begins a new load phase: the run time of calls is counted from 0.
  double end_load_phase(const Visit& visit);
  /// Adds `run_time` in this load phase as if a call of the object had run for so long: for work
  /// that is done for the object by other means. No effect if it is not here.
  void add_run_time(ObjectId id, Duration run_time);
  [[nodiscard]] Instant load_phase_began() const;
  /// Starts to count which objects of this rank call which others, under a lock.
  [[nodiscard]] CallReader record_calls() { return issued_.record_calls(); }
  [[nodiscard]] bool records_calls() const { return issued_.records_calls(); }
  [[nodiscard]] std::size_t resident_count() const { return residents_.resident_count(); }

  // For quiescence, reports and tests.
  /// The number of accepted calls of this rank's objects that have not ended; a snapshot, shard by
  /// shard.
  [[nodiscard]] std::uint64_t pending_calls() const;
  [[nodiscard]] std::size_t calls_waiting_for_their_turn() const {
    return residents_.early_count();
  }
  /// Adds the objects that run something, are held or have calls that cannot start.
  void add_stuck(StuckFacts& facts) const;
  /// Sets the observer, which must outlive the space; nullptr: none.
  void set_protocol_observer(ProtocolObserver* watcher) {
    residents_.watch().set_observer(watcher);
  }
  [[nodiscard]] ProtocolObserver* protocol_observer() const {
    return residents_.watch().observer();
  }
  /// For tests, a fault: a call to the object takes its number and is lost.
  void lose_a_call_for_test(ObjectId id) { issued_.lose_a_call_for_test(id); }
  /// Adds the memory that nearly every call uses.
  void add_to(exec::WorkingSet& set) const;
  /// See exec::Poller.
  void look_ahead(int step) const;

 private:
  Residents residents_;
  IssuedCalls issued_;
  CallRuns runs_;
  const core::Owned<Owners> owners_;
};

}  // namespace roam::mobile

#include "roam/mobile/detail/object_space_calls.hpp"
