// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/slot_table.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/offload/detail/home_task.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/recent_average.hpp"
#include "roam/offload/detail/running_tasks.hpp"
#include "roam/offload/detail/stated_costs.hpp"
#include "roam/offload/detail/travels.hpp"
#include "roam/offload/offload_options.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/trace/detail/offload_trips.hpp"

namespace roam::offload {

class TripLog;
class TaskRequests;

/// Counts since the rank's start, about tasks that it has spawned.
struct HomeCounts {
  std::uint64_t spawned = 0;
  std::uint64_t computed = 0;   ///< tasks computed here
  double computed_seconds = 0;  ///< time spent on these
  std::uint64_t shipped = 0;
  std::uint64_t given = 0;             ///< of these, because a rank had asked for them
  std::uint64_t returned = 0;          ///< results of other ranks that came in time and were used
  std::uint64_t returned_stated = 0;   ///< of these, of tasks whose costs were stated
  double returned_stated_seconds = 0;  ///< that those would have taken here
  std::uint64_t sent_back = 0;         ///< not begun there
  std::uint64_t refused = 0;           ///< of these, because the victim lacked memory for them
  std::uint64_t recomputed = 0;        ///< computed here although they were away
  std::uint64_t late = 0;  ///< results of other ranks that came after that and were not used
  std::uint64_t emergencies = 0;
  std::uint64_t lost = 0;   ///< had been sent to helpers that were lost, and are computed elsewhere
  double ship_seconds = 0;  ///< time spent on sending
};

/// Tasks that wait on a rank to be begun.
struct TaskQueue {
  std::uint32_t tasks = 0;
  double seconds = 0;          ///< that they are expected to take together
  double running_seconds = 0;  ///< that tasks which are being computed are still expected to take
  double task_seconds = 0;     ///< of one task, on average over recent ones; 0: not known
};

/// The tasks that one rank has spawned: which are queued, which are away, and which late ones are
/// computed here. Thread-safe.
class HomeTasks {
 public:
  /// `records_trips`: for a trace.
  HomeTasks(am::Messenger& messenger, const OffloadOptions& options, bool is_on,
            bool records_trips);
  HomeTasks(const HomeTasks&) = delete;
  HomeTasks& operator=(const HomeTasks&) = delete;
  ~HomeTasks();

  /// Takes over a task with two references, one of its Result and one of whoever completes it:
  /// queues it, or sends it to a victim that has quota left (algorithm 2). To be called inside
  /// handlers and main programs, where the caller may have to wait as in Messenger::send().
  void submit(HomeTask* task);
  /// Sets the quotas of the step that begins, and of later ones until the next call. Queued tasks
  /// may be sent at once. Inside progress or on a worker. `on_request`: how many tasks may be given
  /// in each step, beside quotas, to each rank that asks for them.
  void set_quotas(std::span<const Quota> quotas, std::uint32_t on_request = 0);
  /// Ends a step and begins the next, with fresh quotas. Returns how many tasks went to whom.
  std::vector<Flow> begin_step();

  /// A rank's wish for tasks.
  struct Wish {
    Rank to;
    std::uint32_t tasks = 0;        ///< at most
    std::uint32_t workers = 1;      ///< of that rank
    double free_in_seconds = 0;     ///< until it can begin one
    double other_work_seconds = 0;  ///< of this rank's workers, before the tasks that wait here
  };
  /// Sends tasks to a rank that has asked for them, as long as all tasks of both will be done
  /// earlier by that. Returns how many. On a worker.
  std::uint32_t give(Wish wish);
  /// True if this rank has spawned tasks in this step or the one before.
  [[nodiscard]] bool has_own() const;
  /// The tasks that wait to be computed here, unless they are sent away.
  [[nodiscard]] TaskQueue queue() const;
  /// Called when a helper is lost: its tasks wait here again, each unless it has been computed here
  /// meanwhile. Nothing is sent there any more, and no answer from there is used. Inside progress.
  void on_lost(Rank helper);
  /// Sets a function that is told how many tasks have been put back because a helper was lost: once
  /// for on_lost(), and again for each task that was just being sent. Before the first task.
  void set_loss_listener(std::function<void(Rank helper, std::uint32_t tasks)> listener) {
    on_tasks_lost_ = std::move(listener);
  }
  /// From now on, `requests` is told of tasks that have ended.
  void report_to(TaskRequests& requests) { requests_ = &requests; }

  [[nodiscard]] HomeCounts counts() const;
  /// Seconds that one task takes, on average over recent ones, or over those of the last step if
  /// costs of some were stated; 0: not known yet.
  [[nodiscard]] double task_seconds() const;
  /// Number of tasks that stay here whatever the quotas are.
  [[nodiscard]] std::uint32_t keeps() const { return keeps_; }
  /// Number of emergencies by victim and reason since the last call.
  [[nodiscard]] std::vector<Emergency> take_emergencies();
  /// Adds the trips that have been recorded.
  void add_trips_to(trace::OffloadTrips& trace) const;
  /// Describes for reports how many tasks' results are missing, and from how many ranks.
  [[nodiscard]] std::string describe_away() const;
  /// Describes where the task is: "&predict of 3 tasks that are at rank 2"
  [[nodiscard]] std::string place_of(const HomeTask& task) const;
  [[nodiscard]] am::Messenger& messenger() const { return messenger_; }

  // --- tasks ---
  /// What the engine has to do with a task that it has taken from its queue.
  enum class Begin : std::uint8_t { nothing, compute, go_on };
  [[nodiscard]] Begin begin(HomeTask& task);
  /// Reports that the engine has done so.
  void ended(HomeTask& task);

 private:
  /// Of how many tasks of a step the times are stored: 256 KiB.
  static constexpr std::uint32_t most_places = 65'536;
  static constexpr std::uint32_t no_window = ~std::uint32_t{0};
  /// What is known about a rank that computes, or may compute, tasks of this one.
  struct Victim {
    Rank rank;
    std::uint32_t quota = 0;
    std::uint32_t allowed = 0;      // the largest quota of this step
    double used = 0;                // part of the quota used in this step
    std::uint32_t given = 0;        // tasks sent in this step because it has asked for them
    std::uint32_t sent = 0;         // tasks sent in this step, all together
    std::uint32_t outstanding = 0;  // tasks that are there
    // Limit of tasks there, once memory there ran out or the way was congested.
    std::uint32_t window = no_window;
    std::array<std::uint32_t, emergency_reasons> emergencies{};  // not reported yet
    bool is_late = false;              // an emergency lasts: until it returns something
    bool is_full = false;              // it had no memory for a single task in this step
    Instant last_sign{0};              // when it last returned something, or was given the first
    double interval_seconds = 0;       // between its results, on average; 0: not known
    double excess_seconds = 0;         // of tasks sent in this step, over as many average ones
    double stated_excess_seconds = 0;  // the same of those whose costs were stated
    Travels travels = {};
  };
  class Shipping final : public exec::ReadyItem {
   public:
    explicit Shipping(HomeTasks& tasks) : tasks_(tasks) { priority = Priority::high; }
    void run(exec::Context&) override { tasks_.ship_waiting(); }

   private:
    HomeTasks& tasks_;
  };

  void on_returned(const Returned& head, am::Incoming&& rest);
  void on_sent_back(const SentBack& message, Rank from);
  void enqueue(HomeTask& task);
  /// Returns whether the task has been sent; if not, it has been taken back.
  bool ship(HomeTask& task, Rank victim);
  void ship_waiting();
  bool ship_to_helper(HomeTask& task, Rank helper);
  [[nodiscard]] bool is_helper(Rank rank) const { return rank.value() >= messenger_.size(); }
  [[nodiscard]] bool is_lost(Rank rank) const ROAM_REQUIRES(lock_);
  /// Returns whether the task waits to be computed now, for which it has then to be queued.
  [[nodiscard]] bool put_back_lost(HomeTask& task) ROAM_REQUIRES(lock_);
  void settle_lost(HomeTask& task, bool is_wanted);
  void take_back(HomeTask& task);
  static void complete_with(HomeTask& task, const Returned& head, am::Incoming&& result);
  [[nodiscard]] Victim* next_victim(const HomeTask& task) ROAM_REQUIRES(lock_);
  /// What a task of this rank takes on average.
  [[nodiscard]] double average_seconds() const ROAM_REQUIRES(lock_);
  /// By how much longer than an average one a task is expected to take: by its stated cost, or else
  /// by its place.
  [[nodiscard]] double excess_seconds_of(const HomeTask& task) const ROAM_REQUIRES(lock_);
  [[nodiscard]] double excess_by_place(const HomeTask& task) const ROAM_REQUIRES(lock_);
  /// For how many average tasks a task counts where quotas are used.
  [[nodiscard]] double quota_part_of(const HomeTask& task) const ROAM_REQUIRES(lock_);
  /// The next task to go from the end of the queue, and where to; nullptr: none.
  [[nodiscard]] HomeTask* next_to_ship(Victim*& to) ROAM_REQUIRES(lock_);
  [[nodiscard]] Victim& victim(Rank rank) ROAM_REQUIRES(lock_);
  void count_quota_left() ROAM_REQUIRES(lock_);
  void note_full(Victim& full, const HomeTask& task) ROAM_REQUIRES(lock_);
  [[nodiscard]] double expected_seconds(const HomeTask& task) const ROAM_REQUIRES(lock_);
  [[nodiscard]] double waiting_seconds() const ROAM_REQUIRES(lock_);
  [[nodiscard]] double travel_seconds(Rank to) const ROAM_REQUIRES(lock_);
  [[nodiscard]] HomeTask* task_to_give(const Wish& wish) const ROAM_REQUIRES(lock_);
  void note_emergency(Victim& victim, EmergencyReason reason) ROAM_REQUIRES(lock_);
  void end_step_of(Victim& victim) ROAM_REQUIRES(lock_);
  void note_away(HomeTask& task, Victim& victim, Instant now) ROAM_REQUIRES(lock_);
  void note_back(HomeTask& task, trace::OffloadTrip::Outcome outcome) ROAM_REQUIRES(lock_);
  void note_task_seconds(const HomeTask& task, double seconds) ROAM_REQUIRES(lock_);
  void look_for_late_results_at(Instant when) ROAM_REQUIRES(lock_);
  void look_for_late_results();
  [[nodiscard]] bool is_late(const Victim& victim, Instant now) const ROAM_REQUIRES(lock_);
  [[nodiscard]] double longest_stated_at(const Victim& victim) const ROAM_REQUIRES(lock_);
  void recompute_tasks_at(Victim& victim, std::vector<HomeTask*>& to_queue) ROAM_REQUIRES(lock_);
  [[nodiscard]] Duration patience() const ROAM_REQUIRES(lock_);

  am::Messenger& messenger_;
  exec::Engine& engine_;
  const bool is_on_;
  const bool recomputes_;
  const std::uint32_t keeps_;
  TaskRequests* requests_ = nullptr;
  std::function<void(Rank, std::uint32_t)> on_tasks_lost_;
  mutable core::SpinLock lock_;
  TaskList waiting_ ROAM_GUARDED_BY(lock_);
  TaskList away_ ROAM_GUARDED_BY(lock_);  // tasks in state away, the oldest first
  // Holds a reference to each task until it is answered.
  core::SlotTable<HomeTask> table_ ROAM_GUARDED_BY(lock_);
  std::vector<Victim> victims_ ROAM_GUARDED_BY(lock_);
  std::vector<Rank> lost_ ROAM_GUARDED_BY(lock_);  // helpers
  std::size_t next_victim_ ROAM_GUARDED_BY(lock_) = 0;
  double quota_left_ ROAM_GUARDED_BY(lock_) = 0;  // sum over all victims
  // Of ranks that have asked for tasks and got some: the shortest time that one has travelled.
  std::unordered_map<std::int32_t, double> travel_seconds_ ROAM_GUARDED_BY(lock_);
  std::uint32_t on_request_ ROAM_GUARDED_BY(lock_) = 0;  // tasks for each rank that asks
  double task_seconds_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t spawned_in_step_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t spawned_before_ ROAM_GUARDED_BY(lock_) = 0;  // in the step before
  // By how much tasks differ from the one at the same place of the step before, and from the
  // average: by which of them to expect what a task takes.
  double place_error_ ROAM_GUARDED_BY(lock_) = 0;
  double average_error_ ROAM_GUARDED_BY(lock_) = 0;
  std::vector<float> seconds_by_place_
      ROAM_GUARDED_BY(lock_);  // of the last step; below 0: unknown
  StatedCosts stated_costs_ ROAM_GUARDED_BY(lock_);
  RunningTasks running_ ROAM_GUARDED_BY(lock_);
  HomeCounts counts_ ROAM_GUARDED_BY(lock_);
  const std::unique_ptr<TripLog> trips_ ROAM_PT_GUARDED_BY(lock_);  // nullptr: not recorded
  std::atomic<std::uint64_t> spawned_off_{0};                       // while offloading is off
  Shipping shipping_{*this};
  bool is_shipping_ ROAM_GUARDED_BY(lock_) = false;  // an item for shipping is queued
  bool is_looking_ ROAM_GUARDED_BY(lock_) = false;   // the timer for late results is set
};

}  // namespace roam::offload
