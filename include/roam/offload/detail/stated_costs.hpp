// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>

namespace roam::offload {

/// What a program has stated of a task's cost: a number that is proportional to the time that the
/// task takes, in a unit of the program's own, which tasks of one kind have in common.
struct StatedCost {
  double cost = 0;             ///< 0: nothing has been stated
  const void* kind = nullptr;  ///< of the task: an address that says which
  [[nodiscard]] bool is_stated() const { return cost > 0; }
};

/// Translates the costs that a program states for its tasks into seconds: how many seconds a unit
/// of cost takes on this rank is measured, for each kind of task, over recent tasks. Its owner's
/// lock guards it.
class StatedCosts {
 public:
  /// Counts a task with a stated cost that has been spawned in this step.
  void note_spawned(const StatedCost& task);
  /// A task with a stated cost has taken so many seconds.
  void note_measured(const StatedCost& task, double seconds);
  /// What the task is expected to take; 0: nothing is stated, or no task of its kind has been
  /// measured yet.
  [[nodiscard]] double seconds_of(const StatedCost& task) const;
  /// Ends a step in which `spawned` tasks were spawned; those without a stated cost are expected to
  /// take `other_seconds`.
  void end_step(std::uint32_t spawned, double other_seconds);
  /// What a task of the last step that has spawned some takes on average, by their stated costs; 0:
  /// none had one.
  [[nodiscard]] double mean_seconds() const { return mean_seconds_; }
  /// True if a task with a stated cost has been spawned.
  [[nodiscard]] bool are_used() const { return !kinds_.empty(); }

 private:
  struct Kind {
    // Averages over recent tasks; their ratio is the time of a unit.
    double seconds = 0;
    double cost = 0;
    // Of the tasks that were spawned in this step.
    double step_cost = 0;
    std::uint32_t step_tasks = 0;
    [[nodiscard]] double seconds_of(double cost_of_task) const {
      return cost > 0 ? cost_of_task * seconds / cost : 0;
    }
  };
  std::unordered_map<const void*, Kind> kinds_;
  double mean_seconds_ = 0;
};

}  // namespace roam::offload
