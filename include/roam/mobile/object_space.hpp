// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "roam/am/epoch_work.hpp"
#include "roam/am/messenger.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/call_graph.hpp"
#include "roam/mobile/directory.hpp"
#include "roam/mobile/location_options.hpp"
#include "roam/mobile/method_table.hpp"
#include "roam/mobile/protocol_observer.hpp"
#include "roam/mobile/record.hpp"
#include "roam/mobile/resident_view.hpp"
#include "roam/mobile/stuck_report.hpp"

namespace roam {
template <class T>
class mobile_ptr;
}

namespace roam::mobile {

class HoldCall;
class LentObjects;
class Resident;

/// Counters since start; each exact.
struct ObjectSpaceStats {
  std::uint64_t objects_created = 0;
  std::uint64_t calls_forwarded = 0;
  std::uint64_t calls_set_aside = 0;
  std::uint64_t location_updates = 0;
  std::uint64_t locations_forgotten = 0;
  std::uint64_t migrations_in = 0;
  std::uint64_t migrations_out = 0;
  std::uint64_t migrations_refused = 0;
  std::uint64_t migrated_bytes_out = 0;
};

/// How a migration that started here ended.
struct MigrationOutcome {
  ObjectId object;
  Rank target;
  bool moved = false;
  std::uint64_t bytes = 0;
  Duration duration{0};  ///< from the hand-over to the transport to the target's answer
  /// Of the first object of a message: what that carried in all. No objects: another one tells.
  std::uint32_t message_objects = 0;
  std::uint64_t message_bytes = 0;
  std::string refusal;  ///< why not
  /// Refused by its class itself, whose load or constructor threw, and would again.
  bool is_for_good = false;
  std::string_view class_name;
};

/// The mobile objects of one rank and what it knows of all others (PREMA's MOL): creation, calls in
/// order, access, migration, location. Thread-safe.
class ObjectSpace {
 public:
  ObjectSpace(am::Messenger& messenger, const ObjectSpaceOptions& options);
  ObjectSpace(const ObjectSpace&) = delete;
  ObjectSpace& operator=(const ObjectSpace&) = delete;
  ~ObjectSpace();

  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }
  [[nodiscard]] exec::Engine& engine() const { return messenger_.engine(); }
  [[nodiscard]] Rank rank() const { return messenger_.rank(); }
  [[nodiscard]] CallMemory& call_memory() { return call_memory_; }
  [[nodiscard]] ObjectSpaceStats stats() const;

  // --- for mobile_ptr ---
  /// Makes an object known; takes ownership of `object`.
  [[nodiscard]] ObjectId adopt(const ObjectType& type, void* object);
  /// The same under a name of this rank that no object has or had.
  void adopt_as(ObjectId id, const ObjectType& type, void* object);
  template <auto F, class... A>
  void send(ObjectId id, const CallOptions& options, const am::ReplyTo& reply_to, A&&... arguments);
  template <auto F, class... A>
  [[nodiscard]] auto call(ObjectId id, const CallOptions& options, A&&... arguments);
  /// A call that is a part of an operation on a collection; see CallHeader::is_part.
  template <auto F, class... A>
  void send_part(ObjectId id, std::uint64_t token, A&&... arguments);
  /// Ends the object after the calls issued before by this sender; later calls fail with ObjectGone
  /// (M8).
  void destroy(ObjectId id);
  /// Where the object is, or was last known to be; nothing if it is gone or its place was never
  /// heard of here (then its home knows). Any thread; takes no lock.
  [[nodiscard]] std::optional<Place> place_of(ObjectId id) const { return directory_.place_of(id); }
  /// Asks the object to move to `target`. Returns at once; from any rank. No effect if it lives
  /// there already or is gone; throws roam::Error if the rank does not exist.
  void migrate(ObjectId id, Rank target);
  /// The same, after this sender's earlier calls to it; over once the object has been there. Throws
  /// roam::RemoteError if it cannot be brought there - the rank refuses it, its class does not
  /// unpack - and roam::ObjectGone if there is no such object.
  [[nodiscard]] Task<> migrate_and_wait(ObjectId id, Rank target);

  // --- for multicasts; see multicast.hpp ---
  [[nodiscard]] std::uint64_t new_holder() {
    return ObjectId(rank(), next_holder_.fetch_add(1, std::memory_order_relaxed)).value();
  }
  /// Brings the object to a rank and keeps it there, alone, for a holder; answered once it is.
  [[nodiscard]] am::Reply<void> hold(ObjectId id, Rank where, std::uint64_t holder);
  /// Why the last move of an object was refused for good; empty if it was not.
  [[nodiscard]] std::string refusal_of(Resident& resident) const;
  /// What a holder has on this rank.
  [[nodiscard]] std::vector<Resident*> held_by(std::uint64_t holder) const;
  /// One more user of what a holder has here, as release_held() is one fewer; 0: none. Throws
  /// roam::Error if it has nothing here.
  void begin_nested(std::uint64_t outer);
  /// Lets the objects go that a holder has on this rank, if it was its last user.
  void release_held(std::uint64_t holder);
  /// The same on another rank.
  void post_release(Rank where, std::uint64_t holder);

  // --- for balancing ---
  void set_load_listener(LoadListener* listener) { listener_ = listener; }
  /// Told how each migration that started on this rank ended. Under the progress lock or on a
  /// worker. Listeners are added before the first step.
  void add_migration_listener(std::function<void(const MigrationOutcome&)> listener) {
    migration_listeners_.push_back(std::move(listener));
  }
  /// May refuse an arriving object (memory quota): returns the reason, or an empty string. `bytes`:
  /// packed size.
  void set_admission(std::function<std::string(ObjectId, std::uint64_t bytes)> admission) {
    admission_ = std::move(admission);
  }
  /// Moves the object only if it is here, settled and no handler runs on it; true if the hand-over
  /// began.
  bool migrate_idle(ObjectId id, Rank target);
  /// The same for each of several objects; small ones travel in one message, and the target answers
  /// with one. Each is handed over by itself (M5, M6): what becomes of one says nothing of the
  /// others. Returns those that stay, since they are not here or not idle.
  [[nodiscard]] std::vector<ObjectId> migrate_idle(std::span<const ObjectId> ids, Rank target);
  /// For the listener: the facts of an object, if it is here and not on its way; from now on
  /// changes are told again. Any thread, without a lock of its own that notify() takes.
  [[nodiscard]] std::optional<LoadFacts> take_changed_load(ObjectId id);
  /// What the object takes when packed: as it was when it last moved, else counted now, once, by
  /// its own serialisation under a lock. 0 if it cannot be told: it is not here, a handler runs on
  /// it, or its serialisation throws. Any thread.
  [[nodiscard]] std::uint64_t packed_bytes(ObjectId id);
  /// Visits the settled objects of this rank, shard by shard under its lock. Returns how long calls
  /// have run on this rank in this load phase, those of objects that are here no more among them.
  double for_each_resident(const std::function<void(const ResidentView&)>& visit) const;
  /// The same, and begins a load phase: the run time of calls is counted anew.
  double end_load_phase(const std::function<void(const ResidentView&)>& visit);
  [[nodiscard]] Instant load_phase_began() const {
    return load_phase_began_.load(std::memory_order_relaxed);
  }
  /// From now on it is counted which objects of this rank call which others: a lock that nobody
  /// else wants for each call. Before the first step.
  [[nodiscard]] CallReader record_calls();
  [[nodiscard]] bool records_calls() const { return call_graph_ != nullptr; }
  [[nodiscard]] std::size_t resident_count() const {
    return resident_count_.load(std::memory_order_relaxed);
  }

  // --- for quiescence and reports ---
  /// Accepted calls of this rank's objects that have not ended; a snapshot, shard by shard.
  [[nodiscard]] std::uint64_t pending_calls() const;
  [[nodiscard]] std::size_t calls_waiting_for_their_turn() const {
    return early_count_.load(std::memory_order_acquire);
  }
  /// Adds the objects that run something, are held or have calls that cannot start.
  void add_stuck(StuckFacts& facts) const;
  /// The handler that runs on what a holder has here.
  void set_holder_execution(std::uint64_t holder, const exec::Execution* execution);
  /// Receives calls to objects that do not exist, issued without awaiting (M8). Default: reported
  /// as an error.
  void set_dead_letter_handler(std::function<void(const std::string&)> handler) {
    on_dead_letter_ = std::move(handler);
  }

  // --- for collections ---
  /// Told of parts whose object is gone, by its name and the part's token (0: nobody counts it),
  /// and of elements of this rank that have ended. By any thread, inside progress too; must not
  /// run code of the program.
  class ElementListener {
   public:
    virtual void part_is_dead(ObjectId id, std::uint64_t token) = 0;
    virtual void element_ended(ObjectId id) = 0;
    /// What collections wait for in vain.
    virtual void add_stuck(StuckFacts& facts) = 0;

   protected:
    ~ElementListener() = default;
  };
  /// A call or operation whose target does not exist: tells who awaits it, or the dead-letter
  /// handler.
  void dead_letter(const am::ReplyTo& reply_to, const std::string& text);
  void set_element_listener(ElementListener* listener) { element_listener_ = listener; }

  // --- for tests ---
  /// Before the first step; outlives the space. nullptr: none.
  void set_protocol_observer(ProtocolObserver* observer) { observer_ = observer; }
  [[nodiscard]] ProtocolObserver* protocol_observer() const { return observer_; }

  /// Test fault: a call to the object takes its number and is lost.
  void lose_a_call_for_test(ObjectId id);
  /// What nearly every call uses of it.
  void add_to(exec::WorkingSet& set) const;

 private:
  friend class Resident;
  friend class Call;
  friend class CloseCall;
  friend class HoldCall;
  friend class AccessWait;
  friend class RegainCall;
  using Shard = Directory::Shard;
  using Step = ProtocolEvent::Kind;

  void note_call(ObjectId to, std::size_t bytes);
  void observe(Step kind, const CallHeader& call, Rank other = no_rank, std::uint32_t version = 0,
               const exec::Execution* execution = nullptr) const;
  void observe(Step kind, Resident& resident, Rank other = no_rank) const;
  void observe(Step kind, ObjectId object, Rank other, std::uint32_t version,
               std::uint32_t former_version = 0) const;

  /// Where a call that is being issued has to go.
  struct Way {
    enum class To : std::uint8_t { rank, resident, held, nowhere } to = To::nowhere;
    Resident* resident = nullptr;
    Rank rank;
    std::uint32_t sequence = 0;  // the call's number, which its header does not have yet
  };
  /// Numbers a call and says where it has to go. Under the shard's lock.
  [[nodiscard]] Way begin_call(Shard& shard, const CallHeader& header);
  /// Gives back the number of a call that could not be made, still under the lock under which it
  /// was taken.
  void take_back_number(Shard& shard, const Way& way, CallHeader& header);
  /// Sends an empty call, which does not run, in the place of one that could not be packed: those
  /// with later numbers must not wait for it (M3).
  void post_in_place_of(const CallHeader& unpacked, Rank to);
  /// The rest of it for a call whose way is not to another rank. Under the shard's lock; returns
  /// as accept().
  [[nodiscard]] exec::ReadyItem* keep(Shard& shard, const Way& way, Call* call);
  /// Numbers a call and sends it on its way: make() makes it for an object of this rank, else
  /// post(rank, number) sends it. The number is not in the header: what has just been written there
  /// cannot be copied with what is beside it until it has reached the cache.
  template <class Make, class Post>
  void issue_call(CallHeader& header, Make&& make, Post&& post);
  template <class... P, class... A>
  void post_call(std::type_identity<std::tuple<P...>> parameters, Rank to, CallHeader& header,
                 std::uint32_t sequence, A&&... arguments);
  template <auto F, class... A>
  void issue(ObjectId id, const CallOptions& options, std::uint64_t token, bool is_part,
             A&&... arguments);
  /// This rank's entry for an object it calls; nullptr if the object is known to be gone.
  [[nodiscard]] Directory::Entry* entry_for_sending(Shard& shard, ObjectId id);
  [[nodiscard]] Directory::Entry& new_entry(Shard& shard, ObjectId id);
  void forget(Shard& shard, Directory::Entry& entry);
  /// Puts a call into its object's inbox or sets it aside. Under the shard's lock.
  void take(Resident& resident, Call* call);
  /// The same, and returns what has to be pushed to the scheduler (after unlocking), or nullptr.
  [[nodiscard]] exec::ReadyItem* accept(Resident& resident, Call* call) {
    take(resident, call);
    return startable(resident);
  }
  void take_in(Resident& resident, Call* call);
  /// Counts it among the object's pending calls, with its expected cost.
  void enter(Resident& resident, Call* call);
  void set_aside(Resident& resident, Call* call);
  void take_in_early(Resident& resident, std::int32_t origin, std::uint32_t& expected);
  /// The item that stands for the object, a user of it, if it has to be pushed now.
  [[nodiscard]] exec::ReadyItem* startable(Resident& resident);
  [[nodiscard]] exec::ReadyItem* boost(Resident& resident);
  void push_if(exec::ReadyItem* item) {
    if (item != nullptr) engine().push(item);
  }
  void send_on(Call* call, Rank to);
  void dead(const CallHeader& header);
  void run(Resident& resident, exec::Context& context, bool is_boost);
  /// The first call of the inbox, which may start, is from now on running. Under the shard's lock.
  [[nodiscard]] Call* start_first(Resident& resident);
  void start(Resident& resident, Call* call);
  void run_started(Resident& resident, Call* call, exec::Context& context);
  /// accept(), inside progress; may leave the call to the worker that makes it.
  [[nodiscard]] exec::ReadyItem* accept_arrived(Resident& resident, Call* call);
  /// The method of a call that came from elsewhere. Throws MalformedMessage if the header cannot
  /// be.
  [[nodiscard]] const Method& check(const CallHeader& header) const;
  void cancel(ObjectId id, Rank origin, std::uint64_t token, std::uint16_t hops);
  void completed(Call& call, Duration run_time);
  [[nodiscard]] CallQueue take_out(Shard& shard, Resident& resident);
  void end_object(Resident& resident, CallQueue&& orphans);
  void leave_directory(Resident& resident);
  void forward_call(am::Incoming&& message, CallHeader header, Rank known_location);

  void route_migrate(ObjectId id, Rank target, std::uint16_t hops, const am::EpochWork& work);
  void begin_transit(Resident& resident);
  [[nodiscard]] Resident* begin_idle_transit(ObjectId id, Rank target);
  void transfer(Resident& resident);
  void transfer_together(std::vector<Resident*>&& residents, core::Buffer&& message);
  [[nodiscard]] bool pack_to_leave(core::Packer& packer, core::ArrayOutlet* outlet,
                                   Resident& resident);
  void pack_resident(core::Packer& packer, core::ArrayOutlet* outlet, Resident& resident) const;
  /// Why an object was not taken in; an empty reason: it was.
  struct Refusal {
    std::string reason = {};
    bool is_for_good = false;  // see MigrationOutcome
  };
  /// What has become of an object that has arrived, for its source.
  struct Arrival {
    std::uint64_t id = 0;
    std::uint32_t version = 0;
    Refusal refusal;
    template <class Archive>
    void serialize(Archive& archive) {
      archive(id, version, refusal.reason, refusal.is_for_good);
    }
  };
  [[nodiscard]] Arrival take_in_object(core::Unpacker& bytes, Rank source, std::uint64_t size,
                                       bool& is_malformed);
  void end_hand_over(const Arrival& arrival, Rank target);
  [[nodiscard]] Resident* unpack_resident(core::Unpacker& bytes, ObjectId id);
  void install(Resident* resident, Rank source, std::uint64_t bytes);
  void complete_migration(ObjectId id, Rank from, std::uint32_t version);
  [[nodiscard]] static CallQueue let_leave(Directory::Entry& entry, const Place& place);
  void follow(Resident& former, CallQueue&& followers, Rank place);
  void undo_migration(ObjectId id, std::uint32_t version, const Refusal& refusal);
  void forget_left_calls(Resident& resident);
  void end_passage(Resident& former, Rank place);
  /// What there is to report of a migration; before anybody can begin the object's next one.
  [[nodiscard]] MigrationOutcome outcome_of(Resident& resident, bool moved) const;
  void report_migration(const MigrationOutcome& outcome);
  [[nodiscard]] std::vector<Rank> ranks_to_tell(const Resident& resident, Rank source) const;
  void learn_location(ObjectId id, Rank location, std::uint32_t version);
  [[nodiscard]] bool pick_unused(Shard& shard, CallHeader& close, Rank& location);
  void post_empty_call(const CallHeader& header, Rank location);
  void begin_hold(HoldCall& call);
  void bring_to_holder(HoldCall& call);
  void end_hold(std::uint64_t holder);
  void forget_soon(Duration delay);
  void forget_unused();
  void close_stream(Resident& resident, Rank origin);
  void tell_closed(Rank origin, ObjectId id);
  void closed(ObjectId id);
  void send_location(Rank to, ObjectId id, std::uint32_t version);
  void pack_call(core::Packer& packer, const Call& call) const;
  [[nodiscard]] Call* unpack_call(core::Unpacker& bytes, const Resident& object);

  // Work of epochs (M10); see epoch_work.cpp.
  void keep_for_epoch(Call& call);
  void take_in_for_epoch(Call& call);
  void pass_on_for_epoch(const CallHeader& header, Rank to);
  void count_leaving(Resident& resident, std::int64_t number);
  void take_in_arrived(Resident& resident);
  void begin_move(Resident& resident, std::uint64_t epoch);
  [[nodiscard]] std::uint64_t end_moves(Resident& resident, bool keep_last);

  static void on_call(void* self, am::Incoming&& message);
  static void on_migrate(void* self, am::Incoming&& message);
  static void on_install(void* self, am::Incoming&& message);
  static void on_install_together(void* self, am::Incoming&& message);
  static void on_installed(void* self, am::Incoming&& message);
  static void on_installed_together(void* self, am::Incoming&& message);
  static void on_location(void* self, am::Incoming&& message);
  static void on_gone(void* self, am::Incoming&& message);
  static void on_closed(void* self, am::Incoming&& message);
  static void on_cancel(void* self, am::Incoming&& message);
  static void on_release(void* self, am::Incoming&& message);

  am::Messenger& messenger_;
  const ObjectSpaceOptions options_;
  CallMemory call_memory_;
  Directory directory_;
  /// Of a single worker: has started and is what the worker runs next; never queued.
  class KeptCall final : public exec::ReadyItem {
   public:
    void put(Resident& resident, Call* call) { resident_ = &resident, call_ = call; }
    void run(exec::Context& context) override;

   private:
    Resident* resident_ = nullptr;  // of which it is a user
    Call* call_ = nullptr;
  };
  const std::unique_ptr<KeptCall> kept_call_;
  const std::shared_ptr<LentObjects> lent_;
  const MethodTable methods_;
  std::unique_ptr<CallGraph> call_graph_;
  std::atomic<Instant> load_phase_began_{Instant(0)};
  std::atomic<std::uint64_t> next_serial_{1};
  LoadListener* listener_ = nullptr;
  ElementListener* element_listener_ = nullptr;
  ProtocolObserver* observer_ = nullptr;
  std::vector<std::function<void(const MigrationOutcome&)>> migration_listeners_;
  std::function<std::string(ObjectId, std::uint64_t)> admission_;
  std::function<void(const std::string&)> on_dead_letter_;
  std::atomic<std::size_t> early_count_{0};
  std::atomic<std::size_t> resident_count_{0};
  struct Counters {
    std::atomic<std::uint64_t> created{0}, forwarded{0}, set_aside{0}, updates{0}, forgotten{0},
        in{0}, out{0}, refused{0}, bytes_out{0};
  };
  Counters counters_;
  struct Held {
    std::vector<HoldCall*> calls;
    std::uint32_t users = 1;
    const exec::Execution* execution = nullptr;  // for reports
  };
  mutable core::SpinLock held_lock_;
  std::unordered_map<std::uint64_t, Held> held_;  // under held_lock_: by holder
  std::atomic<std::uint64_t> next_holder_{1};
  std::atomic<bool> is_forgetting_{false};  // a timer is set that will forget what is too much
};

template <auto F, class... A>
void ObjectSpace::send(ObjectId id, const CallOptions& options, const am::ReplyTo& reply_to,
                       A&&... arguments) {
  issue<F>(id, options, reply_to.token, false, std::forward<A>(arguments)...);
}

template <auto F, class... A>
void ObjectSpace::send_part(ObjectId id, std::uint64_t token, A&&... arguments) {
  issue<F>(id, CallOptions{}, token, true, std::forward<A>(arguments)...);
}

template <class... P, class... A>
void ObjectSpace::post_call(std::type_identity<std::tuple<P...>> parameters, Rank to,
                            CallHeader& header, std::uint32_t sequence, A&&... arguments) {
  constexpr std::uint32_t call = am::constant_handler_id("roam.call");
  if constexpr (core::is_plain_tuple<std::tuple<P...>>) {
    if (header.is_usual()) {
      return messenger_.post_plain_behind<call, NumberedAddress, am::detail::PassedPlain<P>...>(
          to, NumberedAddress(header, sequence), arguments...);
    }
  }
  header.sequence = sequence;
  const auto write_head = [&header](core::Packer& packer) { header.write(packer); };
  try {
    messenger_.post_parameters(to, call, parameters, write_head, true,
                               std::forward<A>(arguments)...);
  } catch (...) {  // packing them: what comes after it throws only if nothing can be sent any more
    post_in_place_of(header, to);
    throw;
  }
}

// Inlined, so that the arguments need not be in memory.
template <class Make, class Post>
[[gnu::always_inline]] inline void ObjectSpace::issue_call(CallHeader& header, Make&& make,
                                                           Post&& post) {
  Shard& shard = directory_.shard(ObjectId(header.object));
  exec::ReadyItem* startable = nullptr;
  header.epoch = am::Epochs::current();
  std::unique_lock guard(shard.lock);
  const Way way = begin_call(shard, header);
  if (way.to == Way::To::resident || way.to == Way::To::held) {
    Call* call = nullptr;
    try {
      call = make();
    } catch (...) {  // copying its arguments
      take_back_number(shard, way, header);
      throw;
    }
    call->header().sequence = way.sequence;
    startable = keep(shard, way, call);
  }
  guard.unlock();
  engine().preemption_point();
  push_if(startable);
  if (way.to == Way::To::nowhere) dead(header);
  if (way.to != Way::To::rank) return;
  post(way.rank, way.sequence);
  if (header.epoch != 0) messenger_.epochs().sent(header.epoch, way.rank);
}

template <auto F, class... A>
void ObjectSpace::issue(ObjectId id, const CallOptions& options, std::uint64_t token, bool is_part,
                        A&&... arguments) {
  using Arguments = typename detail::TraitsOf<F>::Arguments;
  if constexpr (!core::are_arguments_for<Arguments, std::decay_t<A>...>) {
    (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(F),
                                                                            std::decay_t<A>...>);
  } else if constexpr (!core::can_parameters_arrive<Arguments>) {
    core::require_parameters<Arguments>();
  } else if constexpr (!core::can_be_kept<Arguments, A...>) {  // what has to be given up
    (void)sizeof(these_arguments_do_not_match_the_parameters_of_the_handler<decltype(F), A...>);
  } else {
    if (call_graph_ != nullptr) [[unlikely]]
      note_call(id, (std::size_t{0} + ... + detail::argument_bytes(arguments)));
    const Method& method = detail::method_instance<F>;
    CallHeader header;
    header.object = id.value();
    header.reply_token = token;
    header.flags = is_part ? CallHeader::is_part : std::uint8_t{0};
    header.cost_seconds = static_cast<float>(options.cost_seconds);
    header.weight = static_cast<float>(options.weight);
    header.origin = rank().value();
    header.method = method.id();
    header.priority = static_cast<std::uint8_t>(options.priority);

    // The one or the other.
    issue_call(
        header,
        [&] {
          return detail::LocalCall<F>::create(call_memory_, *this, messenger_, method, header,
                                              std::forward<A>(arguments)...);
        },
        [&](Rank to, std::uint32_t sequence) {
          post_call(std::type_identity<Arguments>{}, to, header, sequence,
                    std::forward<A>(arguments)...);
        });
  }
}

template <auto F, class... A>
auto ObjectSpace::call(ObjectId id, const CallOptions& options, A&&... arguments) {
  using R = am::ResultOf<typename detail::TraitsOf<F>::Result>;
  auto [pending, reply_to] = messenger_.expect_reply(core::value_name<F>().data(), id);
  am::Reply<R> reply(pending);
  if (options.deadline > Duration::zero())
    messenger_.requests().cancel_after(options.deadline, reply_to.token);
  send<F>(id, options, reply_to, std::forward<A>(arguments)...);
  return reply;
}

namespace detail {
template <auto F>
Call* make_wire_call(ObjectSpace& space, const Method& method, const CallHeader& header,
                     core::Buffer&& message, std::size_t offset, core::Attachment&& attachment) {
  if (attachment.data && !core::has_array_parameter<typename TraitsOf<F>::Arguments>)
    throw MalformedMessage("the method takes no array");
  return WireCall<F>::create(space.call_memory(), space, space.messenger(), method, header,
                             std::move(message), offset, std::move(attachment));
}
}  // namespace detail

}  // namespace roam::mobile
