// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/prefetch.hpp"
#include "roam/core/object_id.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/mobile/call.hpp"
#include "roam/mobile/detail/call_queue.hpp"
#include "roam/mobile/detail/directory.hpp"
#include "roam/mobile/detail/record.hpp"

namespace roam::mobile {

/// The number of the call that an object expects next from each origin rank (M3). Most objects are
/// called by one rank only: for the first rank no further memory is needed.
class ExpectedSequences {
 public:
  struct Expected {
    std::int32_t origin = -1;
    std::uint32_t next = 0;
  };
  [[nodiscard]] std::uint32_t& of(std::int32_t origin) {
    return origin == first_.origin ? first_.next : other(origin);
  }
  /// Forgets an origin, as if it had never called.
  void forget(std::int32_t origin);
  /// The origins that have called, in no particular order.
  [[nodiscard]] std::vector<Expected> all() const;
  void set(const std::vector<Expected>& all);
  /// Prefetches what lies elsewhere.
  void look_ahead() const {
    constexpr std::size_t usual_bytes = 64;
    if (others_) core::prefetch_to_write(others_.get(), usual_bytes);
  }

 private:
  class Others;
  struct ReleaseOthers {
    void operator()(Others* others) const { ::operator delete(static_cast<void*>(others)); }
  };
  [[nodiscard]] std::uint32_t& other(std::int32_t origin);
  void grow();
  Expected first_;
  core::Owned<Others, ReleaseOthers> others_;
};

/// A mobile object that is on this rank, with its inbox and access state. The ready item stands for
/// "this object has a call that may start". All members except the references are guarded by the
/// lock of its directory shard.
class Resident final : public exec::ReadyItem {
 public:
  enum class State : std::uint8_t {
    settled,
    departing,   ///< it moves as soon as no handler runs on it or waits without access
    in_transit,  ///< packed and sent; the target has not answered yet
    gone         ///< moved or destroyed; only queued ready items still know it
  };
  Resident(ObjectSpace& owner, ObjectId object_id, const ObjectType& object_type, void* data);
  ~Resident();
  void run(exec::Context& context) override;
  /// Does the same for another ready item that stands for the object.
  void run_boosted(exec::Context& context);
  void drop() override {
    inside_shard.assert_held();  // the rank ends: no other thread is left
    end_use();
  }
  // The resident exists as long as it has users, counted under the lock, which every call takes
  // anyway, or references, which any thread may have at any time. All users together have one
  // reference.
  void add_reference() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }
  void add_user() ROAM_REQUIRES(inside_shard) { ++users_; }
  /// Returns true if it was the last user; the caller then releases the users' reference without
  /// the lock.
  [[nodiscard]] bool remove_user() ROAM_REQUIRES(inside_shard) { return --users_ == 0; }
  /// Ends the use by a user if no other thread is left.
  void end_use() ROAM_REQUIRES(inside_shard) {
    if (remove_user()) release();
  }
  /// True if the first call of the inbox may start now (M4).
  [[nodiscard]] bool can_start() const ROAM_REQUIRES(inside_shard) {
    if (inbox.empty() || exclusive_running) return false;
    if (state != State::settled && !can_start_unsettled()) return false;
    return !inbox.first->method().is_exclusive() || shared_running == 0;
  }
  /// True if a call that has just come, and is the next of its origin, may start without entering
  /// the inbox: no other call waits that would have to start before it or with it.
  [[nodiscard]] bool may_start_at_once(const Call& call) const ROAM_REQUIRES(inside_shard) {
    return inbox.empty() && !exclusive_running && !queued && state == State::settled &&
           !has_early() && (shared_running == 0 || !call.method().is_exclusive());
  }
  [[nodiscard]] bool is_running() const ROAM_REQUIRES(inside_shard) {
    return exclusive_running || shared_running > 0;
  }
  /// True if it cannot leave: a handler runs, or a coroutine that has given up its access will go
  /// on here.
  [[nodiscard]] bool is_bound() const ROAM_REQUIRES(inside_shard) {
    return is_running() || suspended > 0;
  }
  /// The priority of the most urgent call in the inbox.
  [[nodiscard]] Priority urgency() const ROAM_REQUIRES(inside_shard) {
    if (urgent_calls > 0) return Priority::high;
    return normal_calls > 0 ? Priority::normal : Priority::low;
  }
  /// Puts a call into the inbox that came with the object.
  void take_arrived(Call* call) ROAM_REQUIRES(inside_shard) {
    inbox.push(call);
    count(*call, 1);
  }
  /// Counts a call that has entered (1) or left (-1) the inbox.
  void count(const Call& call, int difference) ROAM_REQUIRES(inside_shard) {
    const auto its = static_cast<Priority>(call.header().priority);
    if (its == Priority::low) return;
    std::uint32_t& calls = its == Priority::high ? urgent_calls : normal_calls;
    calls += static_cast<std::uint32_t>(difference);
  }

  /// Tells the listener, which may be nullptr, that the load of the object has changed.
  void tell(LoadListener* listener, LoadListener::Change change) ROAM_REQUIRES(inside_shard) {
    if (listener == nullptr) return;
    if (change == LoadListener::Change::load && activity.is_told) return;
    listener->notify(id, record, activity, change);
  }

  /// State that few objects need at a time; not deleted once it has been made.
  struct RareState;
  [[nodiscard]] RareState& rare() ROAM_REQUIRES(inside_shard);
  [[nodiscard]] const RareState* rare_or_none() const ROAM_REQUIRES(inside_shard) {
    return rare_.get();
  }
  [[nodiscard]] bool has_early() const ROAM_REQUIRES(inside_shard) {
    return rare_ && early_count() > 0;
  }
  [[nodiscard]] std::size_t early_count() const ROAM_REQUIRES(inside_shard);

  ObjectSpace& space;
  const ObjectId id;
  const ObjectType& type;
  void* object;
  CallQueue inbox ROAM_GUARDED_BY(inside_shard);
  ExpectedSequences expected ROAM_GUARDED_BY(inside_shard);
  Record record ROAM_GUARDED_BY(inside_shard);
  Activity activity ROAM_GUARDED_BY(inside_shard);
  // The version of its place: the number of its moves.
  std::uint32_t version ROAM_GUARDED_BY(inside_shard) = 0;
  // The number of this rank's next call to it (M3).
  std::uint32_t next_sequence ROAM_GUARDED_BY(inside_shard) = 0;
  std::uint32_t shared_running ROAM_GUARDED_BY(inside_shard) = 0;
  // The number of coroutines that have given up their access for a while.
  std::uint32_t suspended ROAM_GUARDED_BY(inside_shard) = 0;
  // Calls in the inbox, or leaving with it, by priority.
  std::uint32_t urgent_calls ROAM_GUARDED_BY(inside_shard) = 0;
  std::uint32_t normal_calls ROAM_GUARDED_BY(inside_shard) = 0;
  State state ROAM_GUARDED_BY(inside_shard) = State::settled;
  bool queued ROAM_GUARDED_BY(inside_shard) = false;  // a scheduler has its ready item
  // A scheduler also has a more urgent item that stands for it.
  bool boosted ROAM_GUARDED_BY(inside_shard) = false;
  bool exclusive_running ROAM_GUARDED_BY(inside_shard) = false;

 private:
  [[nodiscard]] bool can_start_unsettled() const ROAM_REQUIRES(inside_shard);
  std::atomic<std::uint32_t> references_{1};
  // The number of users: the directory entry of the object, its ready items, calls that have
  // started.
  std::uint32_t users_ ROAM_GUARDED_BY(inside_shard) = 1;
  core::Owned<RareState> rare_ ROAM_GUARDED_BY(inside_shard);
};

}  // namespace roam::mobile
