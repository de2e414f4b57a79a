// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace roam::offload {

/// What a task is expected to take, stated by the program where it spawns the task: a number that
/// is proportional to the task's time, in any unit (cells, floating-point operations, seconds) that
/// the tasks of one function have in common. How long a unit takes is measured, on each rank and
/// for each function. Quotas then count a task for as many average ones as it takes, tasks are
/// dealt out to victims and given to those that ask by what they take, and a victim that computes a
/// long one is not late. Of a task without a stated cost it is expected that it takes as long as
/// the one at the same place of the last step.
class Cost {
 public:
  /// Throws Error unless `value` is finite and above 0.
  explicit Cost(double value);
  /// The number.
  [[nodiscard]] double value() const { return value_; }

 private:
  double value_;
};

}  // namespace roam::offload
