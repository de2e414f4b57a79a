// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "job_groups.hpp"
#include "led_group.hpp"
#include "roam/placement/distributed.hpp"
#include "step_messages.hpp"

namespace roam::placement {

/// A leader's part in exchanges of objects between groups: it reports to the first leader, and
/// gives and takes objects as that one has planned. An exchange is report() or report_sizes(),
/// give(), take(), and settle() in the step after it, while the first leader plans between the
/// first two.
class GroupExchange {
 public:
  /// Both must outlive this.
  GroupExchange(const JobGroups& job, LedGroup& group) : job_(job), group_(group) {}

  /// The work of the group, and the bytes between it and others.
  void report(StepHost& host) const;
  /// The sizes of the group's objects (SizeReport); after the first exchange.
  void report_sizes(StepHost& host) const;
  void give(StepHost& host, Received received);
  /// `ranks`: of the job.
  void take(StepHost& host, Received received, std::int32_t ranks);
  /// Hears where objects went that had left for another group when others told of them.
  void settle(Received received);

  /// Whether objects have come or gone in any exchange.
  [[nodiscard]] bool has_exchanged() const { return has_exchanged_; }
  /// Of the time that a rank works, as last heard from the first leader.
  [[nodiscard]] double limit_seconds() const { return limit_seconds_; }

 private:
  const JobGroups& job_;
  LedGroup& group_;
  bool has_exchanged_ = false;
  double limit_seconds_ = 0;
};

}  // namespace roam::placement
