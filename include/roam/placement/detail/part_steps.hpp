// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/distributed.hpp"
#include "roam/placement/parted.hpp"

namespace roam::placement {

/// Decides in parts on the ranks of a job, in three supersteps: rank 0, which knows all loads,
/// divides the decision and sends each part to the first rank of its group; that rank places the
/// part's objects and answers; rank 0 joins the answers. Nothing is moved: what is decided is for
/// rank 0 to compare and to carry out.
class PartSteps final : public DistributedStrategy {
 public:
  /// `seconds_per_object`: what placing an object takes in virtual time; the first step, which
  /// places ranks as wholes, is charged as that many objects. `loads`: on rank 0 those of all
  /// ranks, nullptr elsewhere. Keeps references to strategy and loads.
  PartSteps(const PartedStrategy& strategy, double seconds_per_object, const GatheredLoads* loads)
      : strategy_(strategy), seconds_per_object_(seconds_per_object), loads_(loads) {}

  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override;
  /// No moves.
  [[nodiscard]] Result result() override { return {}; }
  /// On rank 0 after the last step: where all objects should be.
  [[nodiscard]] const Placement& placement() const { return divided_.placement; }

 private:
  void divide(StepHost& host);
  void decide(StepHost& host, std::span<const StepMessage> received);
  void hear(std::span<const StepMessage> received);

  const PartedStrategy& strategy_;
  const double seconds_per_object_;
  const GatheredLoads* const loads_;
  int next_ = 0;
  DividedDecision divided_;  // on rank 0
};

}  // namespace roam::placement
