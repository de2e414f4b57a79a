// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The ranks that take up no more work for a while (definition 6), with a weight each: 1 more for
/// each step with an emergency of theirs, 10 % less after each step, gone below 0.5 (section 5).
/// Ranks agree on one list, to which each emergency of a step adds once however many ranks were
/// delayed: a victim that was late once is back within 7 steps, whatever the size of the job.
class Blacklist {
 public:
  void update(std::span<const Emergency> emergencies);
  [[nodiscard]] bool has(std::int32_t rank) const { return weights_.contains(rank); }
  [[nodiscard]] std::vector<std::int32_t> ranks() const;
  [[nodiscard]] std::size_t size() const { return weights_.size(); }

 private:
  std::map<std::int32_t, double> weights_;
};

}  // namespace roam::offload
