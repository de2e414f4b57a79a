// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "roam/am/detail/epoch_work.hpp"
#include "roam/am/reply.hpp"
#include "roam/core/types.hpp"
#include "roam/exec/ready_item.hpp"
#include "roam/offload/cost.hpp"
#include "roam/offload/detail/messages.hpp"
#include "roam/offload/detail/stated_costs.hpp"
#include "roam/offload/detail/task_function.hpp"

namespace roam::trace {
struct OffloadTrip;
}  // namespace roam::trace

namespace roam::offload {

class HomeTasks;
class HomeTask;

/// An ordered list of tasks, each of which is in at most one list. Owns nothing; its owner's lock
/// guards it.
class TaskList {
 public:
  void push_back(HomeTask& task);
  void remove(HomeTask& task);
  [[nodiscard]] HomeTask* front() const { return front_; }
  [[nodiscard]] HomeTask* back() const { return back_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  HomeTask* front_ = nullptr;
  HomeTask* back_ = nullptr;
  std::size_t size_ = 0;
};

/// A task on the rank that has spawned it, from there to its completion. It is queued, computed
/// here, or computed elsewhere; or both, when its result is late: then the first result counts, and
/// the program sees one completion. Kept alive by references: of the Result, of whoever completes
/// it, of the engine's queue, and of the table of tasks that are away.
class HomeTask : public am::PendingReply, public exec::ReadyItem, public exec::Execution {
 public:
  HomeTask(HomeTasks& tasks, exec::Engine& engine, am::EpochWork&& work,
           const TaskFunctionRegistrar& function);

  // --- the engine ---
  void run(exec::Context& context) final;
  void drop() final;
  void finish(exec::Context& context) final;
  [[nodiscard]] std::string describe() const final;
  [[nodiscard]] std::string waits_for() const final;
  /// Once the result is here: adds the time that the function took, wherever that was, and what
  /// belongs to it to the time of the handler which runs now, as if that had computed the task
  /// itself.
  void count_as_run_here() const;
  /// Once the function's result is here: what the function and the tasks that it needed took.
  [[nodiscard]] Duration time_with_parts() const { return function_time_ + beside_time_; }
  /// What tasks took whose results are arguments of this one; before it is submitted.
  void count_parts(Duration time) { beside_time_ = time; }
  /// The function's name, in static storage.
  [[nodiscard]] const char* label() const { return function_.function().name.text.data(); }

  /// States what the task is expected to take, in the unit of its function, or of tasks of another
  /// `kind`; before it is submitted.
  void state_cost(Cost cost, const void* kind = nullptr) {
    stated_cost_ = {.cost = cost.value(), .kind = kind == nullptr ? &function_ : kind};
  }

  /// Completes a task that was never submitted with a failure, because another one that it needs
  /// has failed. Drops the reference of whoever completes it.
  void fail_unbegun(const std::string& text);

  /// Sends the function's arguments to another rank. They also stay here, since the task may still
  /// be computed here; not before this call has returned. `head` lacks the function.
  virtual void ship(Rank victim, Shipped head) = 0;

 protected:
  ~HomeTask() override = default;
  /// Calls the function and stores its result. May throw.
  virtual void call() = 0;
  /// True if continue_with() has to be called on a worker with a result that came from elsewhere,
  /// before the task is complete. May throw.
  [[nodiscard]] virtual bool continues() const { return false; }
  virtual void continue_with(am::Incoming&& /*result*/) {}
  /// Called before the task is complete with a failure, wherever it failed.
  virtual void on_failure(const std::string& /*text*/) {}
  [[nodiscard]] am::Messenger& messenger() const;
  /// Measures the time for which the function is computed here, as long as it exists. A
  /// continuation's time does not count as the task's. Without one, all of the run counts.
  class Timing {
   public:
    explicit Timing(HomeTask& task) : task_(task), begin_(task.engine().now()) {}
    Timing(const Timing&) = delete;
    Timing& operator=(const Timing&) = delete;
    ~Timing() {
      task_.function_time_ = task_.engine().now() - begin_;
      task_.is_timed_ = true;
    }

   private:
    HomeTask& task_;
    const Instant begin_;
  };

 private:
  friend class TaskList;
  friend class HomeTasks;
  /// The state of the task; under the lock of HomeTasks.
  enum class State : std::uint8_t {
    waiting,     ///< to be computed here, or to be sent away
    away,        ///< sent to `victim_`
    recompute,   ///< sent away, and to be computed here unless the result comes first
    running,     ///< being computed here; a result that comes now is late
    continuing,  ///< its result has come from elsewhere, and continue_with() is to be called
    complete
  };

  HomeTasks& tasks_;
  const TaskFunctionRegistrar& function_;
  am::EpochWork work_;
  template <class Action>
  void attempt(exec::Context& context, Action&& action);

  StatedCost stated_cost_;
  Duration function_time_{0};  // wherever it was computed
  Duration beside_time_{0};    // of tasks that it needed and, in the end, of its continuation
  bool is_timed_ = false;      // by itself
  bool has_returned_ = false;  // its result has come from elsewhere
  am::Incoming returned_;      // while it is continuing
  std::string failure_;        // of a run here
  bool has_failed_ = false;
  // Under the lock of HomeTasks:
  State state_ = State::waiting;
  bool is_queued_ = false;   // in the engine's queue
  bool is_given_ = false;    // sent because a rank has asked for it, outside of quotas
  bool is_leaving_ = false;  // a thread is inside ship()
  Rank victim_ = no_rank;
  Instant spawned_at_{0};               // if trips are recorded
  Instant sent_at_{0};                  // the last time
  trace::OffloadTrip* trip_ = nullptr;  // the latest, if it is recorded
  std::uint64_t away_token_ = 0;
  std::uint64_t sending_token_ = 0;  // while a thread packs and sends it to a helper
  float expected_seconds_ = 0;       // when it was sent the last time
  float quota_part_ = 1;             // of a quota, when it was sent the last time
  Instant expected_end_{0};          // while it is computed here; 0: not asked for
  std::uint32_t place_ = 0;          // among the tasks that were spawned in its step
  HomeTask* previous_ = nullptr;
  HomeTask* next_task_ = nullptr;
};

}  // namespace roam::offload
