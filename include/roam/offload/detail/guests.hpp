// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/owned.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/offload/detail/guest_task.hpp"
#include "roam/offload/detail/home_tasks.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/trip_log.hpp"

namespace roam::offload {

/// Counts since the rank's start, about tasks of other ranks.
struct GuestCounts {
  std::uint64_t computed = 0;
  double computed_seconds = 0;
  std::uint64_t sent_back = 0;   ///< not begun: recalled, or refused for lack of memory
  std::uint64_t most_bytes = 0;  ///< of tasks that waited here, with their results
};

/// The tasks of other ranks that one rank computes: before its own offloadable tasks, and never
/// passed on (section 5 of the paper). Each worker computes one at a time, and other ready work in
/// between: a rank that has nothing of its own to compute still continues with its program.
/// Thread-safe.
class Guests {
 public:
  /// `records_visits`: for a trace.
  Guests(am::Messenger& messenger, std::uint64_t memory_bytes, bool records_visits);
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;

  [[nodiscard]] GuestCounts counts() const;
  /// The tasks that wait to be begun.
  [[nodiscard]] TaskQueue queue() const;
  /// From now on, `requests` is told of tasks that have ended.
  void report_to(TaskRequests& requests) { requests_ = &requests; }
  /// Adds the visits that have been recorded.
  void add_visits_to(trace::OffloadTrips& trace) const;

 private:
  /// The item by which one worker computes guest tasks; there are as many as workers.
  class Turn final : public exec::ReadyItem, public exec::Execution {
   public:
    explicit Turn(Guests& guests) : guests_(guests) {}
    void run(exec::Context& context) override;
    void finish(exec::Context& context) override;
    [[nodiscard]] std::string describe() const override;

   private:
    Guests& guests_;
    std::unique_ptr<GuestTask> task_;
  };
  struct Key {
    std::int32_t home = -1;
    std::uint64_t token = 0;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    [[nodiscard]] std::size_t operator()(const Key& key) const noexcept;
  };
  void on_shipped(const Shipped& head, am::Incoming&& rest);
  void on_recall(const Recall& message, Rank from);
  void refuse_unknown(const Shipped& head, Rank home);
  /// Removes and returns the next task that has not been recalled; nullptr: there is none, and the
  /// turn becomes idle.
  [[nodiscard]] std::unique_ptr<GuestTask> next(Turn& turn);
  /// Returns false if the task does not wait any more.
  bool end_waiting(const Key& key) ROAM_REQUIRES(lock_);
  [[nodiscard]] Turn* take_resting() ROAM_REQUIRES(lock_);
  [[nodiscard]] Duration starved_for(Rank home) ROAM_REQUIRES(lock_);
  void computed(const GuestTask& task, Duration time);
  void note_computed(const GuestTask& task, Duration time);

  am::Messenger& messenger_;
  const std::uint64_t memory_bytes_;
  const bool records_visits_;
  TaskRequests* requests_ = nullptr;
  mutable core::SpinLock lock_;
  std::vector<core::Owned<Turn>> turns_ ROAM_GUARDED_BY(lock_);
  // Contains recalled tasks, too.
  std::deque<std::unique_ptr<GuestTask>> queue_ ROAM_GUARDED_BY(lock_);
  struct Waiting {
    std::uint64_t bytes = 0;  // of the message and, as far as known, of the result
    double seconds = 0;
  };
  // The tasks not recalled, and their sums.
  std::unordered_map<Key, Waiting, Hash> waiting_ ROAM_GUARDED_BY(lock_);
  std::uint64_t waiting_bytes_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint64_t running_bytes_ ROAM_GUARDED_BY(lock_) = 0;  // of results that are being computed
  struct Results {
    std::uint64_t largest_bytes = 0;  // of those that were measured, packed
    std::uint64_t tasks = 0;          // that have come
  };
  std::unordered_map<std::uint32_t, Results> results_ ROAM_GUARDED_BY(lock_);  // by function
  double waiting_seconds_ ROAM_GUARDED_BY(lock_) = 0;
  std::vector<Turn*> resting_ ROAM_GUARDED_BY(lock_);
  // By home: the idle time of this rank's workers when one of its tasks last came or ended.
  std::unordered_map<std::int32_t, Duration> idle_then_ ROAM_GUARDED_BY(lock_);
  RunningTasks running_ ROAM_GUARDED_BY(lock_);
  GuestCounts counts_ ROAM_GUARDED_BY(lock_);
  double task_seconds_ ROAM_GUARDED_BY(lock_) = 0;  // of one, on average over recent ones
  VisitLog visits_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::offload
