// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "group_objects.hpp"
#include "job_groups.hpp"
#include "quotient_flows.hpp"
#include "roam/placement/distributed.hpp"
#include "step_messages.hpp"

namespace roam::placement {

/// The first leader's part in exchanges between groups: it hears of the work of all groups and of
/// the bytes between them, and says how much work goes where along the quotient graph; then, of the
/// sizes of their objects, and says who exchanges large objects for small ones.
class ExchangePlanner {
 public:
  /// `imbalance`: allowed max / mean - 1 of the ranks' times. `job` must outlive this.
  ExchangePlanner(const JobGroups& job, const LoadTotals& totals, double imbalance)
      : job_(job), imbalance_(imbalance), limit_seconds_(totals.mean_seconds() * (1 + imbalance)) {}

  /// Hears the reports of all leaders, and tells each the flows from its group: each time half of
  /// its work at most, and only from the third time on to groups with which it does not
  /// communicate.
  void plan(StepHost& host, Received received);
  /// Hears the size reports of all leaders, and tells each which sizes go from its group where: the
  /// first time among a few neighbours, the second time among all. After the first plan().
  void plan_sizes(StepHost& host, Received received);

 private:
  void tell(StepHost& host, std::span<const SizedFlow> flows) const;
  /// Nearer groups have less between them.
  [[nodiscard]] QuotientEdge edge(std::int64_t a, std::int64_t b) const;

  const JobGroups& job_;
  const double imbalance_;
  double limit_seconds_;  // of the time that a rank works
  int planned_ = 0;
  int mixed_ = 0;
};

}  // namespace roam::placement
