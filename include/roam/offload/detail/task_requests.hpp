// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/recent_values.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/offload/detail/messages.hpp"

namespace roam::offload {

class HomeTasks;
class Guests;

/// Requests for tasks within a step. A rank that is running out of tasks asks others for some, one
/// after the other, beginning with the one that is known to be busy for longest; whoever is asked
/// gives tasks that would be done later if they stayed, or none, and says in each case how long it
/// will be busy itself. Ranks are partners if their numbers differ by a power of two (around the
/// end of all numbers, too): near ranks among them, and no more than twice the logarithm of the
/// number of ranks, so that nobody has to know the state of all. Whether a rank may ask is the
/// strategy's decision. Thread-safe.
class TaskRequests {
 public:
  TaskRequests(am::Messenger& messenger, HomeTasks& tasks, Guests& guests);
  TaskRequests(const TaskRequests&) = delete;
  TaskRequests& operator=(const TaskRequests&) = delete;

  /// Says whether this rank may ask from now on. If so, and if it has had no tasks of its own in
  /// the step before, it does: others only have not spawned theirs yet.
  void allow(bool may_ask);
  /// Begins a step: what partners have answered before, or ask for now, does not count any more.
  void begin_step();
  /// Reports that this rank has computed a task, its own or another rank's.
  void task_ended() {
    if (may_ask_.load(std::memory_order_relaxed)) consider(true);
  }
  /// True if this rank may ask.
  [[nodiscard]] bool are_allowed() const { return may_ask_.load(std::memory_order_relaxed); }
  /// Reports that a task has arrived which another rank has given to this one on request.
  void task_arrived() { coming_.fetch_sub(1, std::memory_order_relaxed); }

 private:
  struct Partner {
    Rank rank;
    bool has_given = false;                  // when it was last asked
    bool is_asked = false;                   // since a task last ended here
    std::optional<Instant> busy_until = {};  // as it has answered in this step
  };
  struct Request {
    Rank from;
    Asked wish;
    Instant arrived{0};
  };
  /// Answers requests on a worker, since sending tasks takes time.
  class Answering final : public exec::ReadyItem {
   public:
    explicit Answering(TaskRequests& requests) : requests_(requests) { priority = Priority::high; }
    void run(exec::Context&) override { requests_.answer_all(); }

   private:
    TaskRequests& requests_;
  };
  [[nodiscard]] static std::vector<Partner> partners_of(std::int32_t own, std::int32_t ranks);
  void on_asked(const Asked& wish, Rank from);
  void on_answered(const Answered& answer, Rank from);
  void answer_all();
  /// Seconds that this rank's workers have been busy with something else than tasks.
  [[nodiscard]] double other_work_so_far() const;
  /// What is still to come of it in this step, if the step is like the last ones.
  [[nodiscard]] double other_work_left() const;
  /// Seconds of a worker until this rank's workers have done all tasks and other work, on average.
  [[nodiscard]] double busy_seconds() const;
  /// Asks a partner if few tasks are left. `all_anew`: partners that have already been asked may
  /// have tasks now.
  void consider(bool all_anew);
  void ask_anew() ROAM_REQUIRES(lock_);
  [[nodiscard]] Partner* best_partner(Instant now, double busy_seconds) ROAM_REQUIRES(lock_);

  am::Messenger& messenger_;
  HomeTasks& tasks_;
  Guests& guests_;
  std::atomic<bool> may_ask_{false};
  // Tasks that have been given to this rank and have not arrived; less than 0 while an answer is
  // slower than its tasks.
  std::atomic<std::int32_t> coming_{0};
  mutable core::SpinLock lock_;
  std::vector<Partner> partners_ ROAM_GUARDED_BY(lock_);            // near ones first
  core::RecentValues<3> other_work_ ROAM_GUARDED_BY(lock_);         // by step
  double other_work_before_ ROAM_GUARDED_BY(lock_) = 0;             // this step
  Instant last_round_ ROAM_GUARDED_BY(lock_) = Instant::min() / 2;  // when all could be asked
  std::uint64_t step_ ROAM_GUARDED_BY(lock_) = 0;
  bool is_waiting_ ROAM_GUARDED_BY(lock_) = false;        // for an answer
  std::vector<Request> requests_ ROAM_GUARDED_BY(lock_);  // of others, not answered yet
  bool is_answering_ ROAM_GUARDED_BY(lock_) = false;      // the item is queued
  Answering answering_{*this};
};

}  // namespace roam::offload
