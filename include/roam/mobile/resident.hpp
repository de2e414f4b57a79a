// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "roam/core/object_id.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/call_queue.hpp"
#include "roam/mobile/record.hpp"

namespace roam::mobile {

/// Which call of each origin rank an object expects next (M3). Most objects are called by one rank:
/// the first takes no memory beside.
class ExpectedSequences {
 public:
  struct Expected {
    std::int32_t origin = -1;
    std::uint32_t next = 0;
  };
  [[nodiscard]] std::uint32_t& of(std::int32_t origin) {
    return origin == first_.origin ? first_.next : other(origin);
  }
  /// As if it had never called.
  void forget(std::int32_t origin);
  /// Those that have called, in no order.
  [[nodiscard]] std::vector<Expected> all() const;
  void set(const std::vector<Expected>& all);

 private:
  [[nodiscard]] std::uint32_t& other(std::int32_t origin);
  Expected first_;
  std::unique_ptr<std::vector<Expected>> others_;  // sorted by rank
};

/// A mobile object that lives on this rank, with its inbox and access state. The ready item stands
/// for "this object has a call that may start". Everything but the references is guarded by the
/// lock of its directory shard.
class Resident final : public exec::ReadyItem {
 public:
  enum class State : std::uint8_t {
    settled,
    departing,   ///< to move as soon as no handler runs on it, nor waits without access
    in_transit,  ///< packed and sent; the target has not answered yet
    gone         ///< moved or destroyed; only queued ready items still know it
  };
  Resident(ObjectSpace& owner, ObjectId object_id, const ObjectType& object_type, void* data)
      : space(owner), id(object_id), type(object_type), object(data) {}
  ~Resident();
  void run(exec::Context& context) override;
  /// The same for another ready item that stands for it.
  void run_boosted(exec::Context& context);
  void drop() override { end_use(); }
  // What keeps it: users under the lock, which every call takes anyway, and references, which
  // anybody may have at any time; all the users together have one.
  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  void add_user() { ++users_; }
  /// Under the lock. True: it was the last; the caller releases their reference without the lock.
  [[nodiscard]] bool remove_user() { return --users_ == 0; }
  /// A user ends where no other thread is left.
  void end_use() {
    if (remove_user()) release();
  }
  /// Whether the first call of the inbox may start now (M4).
  [[nodiscard]] bool can_start() const {
    if (inbox.empty() || exclusive_running) return false;
    if (state != State::settled && !can_start_unsettled()) return false;
    return !inbox.first->method().is_exclusive() || shared_running == 0;
  }
  /// Whether a call that has just come, and is next of its origin, may start before it has been in
  /// the inbox: none waits to start before or beside it.
  [[nodiscard]] bool may_start_at_once(const Call& call) const {
    return inbox.empty() && !exclusive_running && !queued && state == State::settled &&
           !has_early() && (shared_running == 0 || !call.method().is_exclusive());
  }
  [[nodiscard]] bool is_running() const { return exclusive_running || shared_running > 0; }
  /// It cannot leave: a handler runs, or a coroutine that has given up its access will go on here.
  [[nodiscard]] bool is_bound() const { return is_running() || suspended > 0; }
  /// Of the most urgent call in the inbox.
  [[nodiscard]] Priority urgency() const {
    if (urgent_calls > 0) return Priority::high;
    return normal_calls > 0 ? Priority::normal : Priority::low;
  }
  /// A call that came with the object.
  void take_arrived(Call* call) {
    inbox.push(call);
    count(*call, 1);
  }
  /// A call has entered (1) or left (-1) the inbox.
  void count(const Call& call, int difference) {
    const auto its = static_cast<Priority>(call.header().priority);
    if (its == Priority::low) return;
    std::uint32_t& calls = its == Priority::high ? urgent_calls : normal_calls;
    calls += static_cast<std::uint32_t>(difference);
  }

  /// Its load has changed; `listener` may be nullptr. Under the shard's lock.
  void tell(LoadListener* listener, LoadListener::Change change) {
    if (listener == nullptr) return;
    if (change == LoadListener::Change::load && activity.is_told) return;
    listener->notify(id, record, activity, change);
  }

  /// What few objects have at a time; kept once there.
  struct Uncommon {
    CallQueue
        leaving;  // in_transit: the calls that were packed, kept until the target has them (M6)
    std::map<std::pair<std::int32_t, std::uint32_t>, Call*> early;  // set aside until their turn
    Rank target;                                                    // departing, in_transit
    Rank next_target;                   // asked to move on while in transit
    Instant departed{0};                // in transit: since when
    std::string refusal;                // of the last move, for good; empty: it was none
    std::uint32_t message_objects = 0;  // in transit: as in MigrationOutcome
    std::uint64_t message_bytes = 0;
    std::vector<std::uint64_t> moved_for;  // epochs whose work has asked it to move (M10)
    bool has_counted_leaving = false;      // their epochs know that the leaving calls were sent
  };
  [[nodiscard]] Uncommon& uncommon() {
    if (!uncommon_) uncommon_ = std::make_unique<Uncommon>();
    return *uncommon_;
  }
  [[nodiscard]] const Uncommon* uncommon_or_none() const { return uncommon_.get(); }
  [[nodiscard]] bool has_early() const { return uncommon_ && !uncommon_->early.empty(); }
  [[nodiscard]] std::size_t early_count() const { return uncommon_ ? uncommon_->early.size() : 0; }

  ObjectSpace& space;
  const ObjectId id;
  const ObjectType& type;
  void* object;
  CallQueue inbox;
  ExpectedSequences expected;
  Record record;
  Activity activity;
  std::uint32_t version = 0;        // of its location: grows by one with every move
  std::uint32_t next_sequence = 0;  // of this rank's next call to it (M3)
  std::uint32_t shared_running = 0;
  std::uint32_t suspended = 0;     // coroutines that have given up their access for a while
  std::uint32_t urgent_calls = 0;  // in the inbox, or leaving with it
  std::uint32_t normal_calls = 0;
  State state = State::settled;
  bool queued = false;   // its ready item is with the scheduler
  bool boosted = false;  // as another, more urgent one is
  bool exclusive_running = false;

 private:
  [[nodiscard]] bool can_start_unsettled() const;
  std::atomic<std::uint32_t> references_{1};
  std::uint32_t users_ = 1;  // its directory entry, its ready items, calls that have started
  std::unique_ptr<Uncommon> uncommon_;
};

}  // namespace roam::mobile
