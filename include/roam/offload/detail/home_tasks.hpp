// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "roam/am/detail/messenger.hpp"
#include "roam/core/detail/slot_table.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/offload/detail/home_task.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/travels.hpp"
#include "roam/offload/offload_options.hpp"
#include "roam/offload/step_view.hpp"
#include "roam/trace/detail/offload_trips.hpp"

namespace roam::offload {

class TripLog;

/// Counts since the rank's start, about tasks that it has spawned.
struct HomeCounts {
  std::uint64_t spawned = 0;
  std::uint64_t computed = 0;   ///< tasks computed here
  double computed_seconds = 0;  ///< time spent on these
  std::uint64_t shipped = 0;
  std::uint64_t returned = 0;    ///< results of other ranks that came in time and were used
  std::uint64_t sent_back = 0;   ///< not begun there
  std::uint64_t refused = 0;     ///< of these, because the victim lacked memory for them
  std::uint64_t recomputed = 0;  ///< computed here although they were away
  std::uint64_t late = 0;        ///< results of other ranks that came after that and were not used
  std::uint64_t emergencies = 0;
  double ship_seconds = 0;  ///< time spent on sending
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
  /// may be sent at once. Inside progress or on a worker.
  void set_quotas(std::span<const Quota> quotas);
  /// Ends a step and begins the next, with fresh quotas. Returns how many tasks went to whom.
  std::vector<Flow> begin_step();

  [[nodiscard]] HomeCounts counts() const;
  /// Seconds that one task takes, on average over recent ones; 0: not known yet.
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
    std::uint32_t used = 0;         // part of the quota used in this step
    std::uint32_t sent = 0;         // tasks sent in this step
    std::uint32_t outstanding = 0;  // tasks that are there
    // Limit of tasks there, once memory there ran out or the way was congested.
    std::uint32_t window = no_window;
    std::array<std::uint32_t, emergency_reasons> emergencies{};  // not reported yet
    bool is_late = false;         // an emergency lasts: until it returns something
    Instant last_sign{0};         // when it last returned something, or was given the first
    double interval_seconds = 0;  // between its results, on average; 0: not known
    double excess_seconds = 0;    // of tasks sent in this step, over as many average ones
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
  void ship(HomeTask& task, Rank victim);
  void ship_waiting();
  void take_back(HomeTask& task);
  static void complete_with(HomeTask& task, const Returned& head, am::Incoming&& result);
  /// For a task that takes so much longer than an average one.
  [[nodiscard]] Victim* next_victim(double excess_seconds) ROAM_REQUIRES(lock_);
  [[nodiscard]] double excess_seconds_of(const HomeTask& task) const ROAM_REQUIRES(lock_);
  [[nodiscard]] Victim& victim(Rank rank) ROAM_REQUIRES(lock_);
  void count_quota_left() ROAM_REQUIRES(lock_);
  void note_full(Victim& full) ROAM_REQUIRES(lock_);
  void note_emergency(Victim& victim, EmergencyReason reason) ROAM_REQUIRES(lock_);
  void end_step_of(Victim& victim) ROAM_REQUIRES(lock_);
  void note_away(HomeTask& task, Victim& victim, Instant now) ROAM_REQUIRES(lock_);
  void note_back(HomeTask& task, trace::OffloadTrip::Outcome outcome) ROAM_REQUIRES(lock_);
  void note_task_seconds(const HomeTask& task, double seconds) ROAM_REQUIRES(lock_);
  void look_for_late_results_at(Instant when) ROAM_REQUIRES(lock_);
  void look_for_late_results();
  [[nodiscard]] bool is_late(const Victim& victim, Instant now) const ROAM_REQUIRES(lock_);
  void recompute_tasks_at(Victim& victim, std::vector<HomeTask*>& to_queue) ROAM_REQUIRES(lock_);
  [[nodiscard]] Duration patience() const ROAM_REQUIRES(lock_);

  am::Messenger& messenger_;
  exec::Engine& engine_;
  const bool is_on_;
  const bool recomputes_;
  const std::uint32_t keeps_;
  mutable core::SpinLock lock_;
  TaskList waiting_ ROAM_GUARDED_BY(lock_);
  TaskList away_ ROAM_GUARDED_BY(lock_);  // tasks in state away, the oldest first
  // Holds a reference to each task until it is answered.
  core::SlotTable<HomeTask> table_ ROAM_GUARDED_BY(lock_);
  std::vector<Victim> victims_ ROAM_GUARDED_BY(lock_);
  std::size_t next_victim_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t quota_left_ ROAM_GUARDED_BY(lock_) = 0;  // sum over all victims
  double task_seconds_ ROAM_GUARDED_BY(lock_) = 0;
  std::uint32_t spawned_in_step_ ROAM_GUARDED_BY(lock_) = 0;
  std::vector<float> seconds_by_place_
      ROAM_GUARDED_BY(lock_);  // of the last step; below 0: unknown
  HomeCounts counts_ ROAM_GUARDED_BY(lock_);
  const std::unique_ptr<TripLog> trips_ ROAM_PT_GUARDED_BY(lock_);  // nullptr: not recorded
  std::atomic<std::uint64_t> spawned_off_{0};                       // while offloading is off
  Shipping shipping_{*this};
  bool is_shipping_ ROAM_GUARDED_BY(lock_) = false;  // an item for shipping is queued
  bool is_looking_ ROAM_GUARDED_BY(lock_) = false;   // the timer for late results is set
};

}  // namespace roam::offload
