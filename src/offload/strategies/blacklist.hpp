// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "roam/offload/step_view.hpp"
#include "roam/offload/strategy.hpp"

namespace roam::offload {

/// The ranks that are given no work for a while (definition 6). Each has a weight: plus 1 for each
/// step in which it caused an emergency, minus 10 % after each step, and removed below 0.5 (section
/// 5). All ranks share one list, to which the emergencies of a step add once however many ranks
/// were delayed: a victim that was late once is used again within 7 steps, whatever the size of the
/// job. Congestion does not count: it is that of a pair of ranks, and the sender sends less.
class Blacklist {
 public:
  void update(std::span<const Emergency> emergencies);
  /// Adds weight for one emergency.
  void add(const Emergency& one, double weight);
  [[nodiscard]] bool has(std::int32_t rank) const { return weights_.contains(rank); }
  [[nodiscard]] std::vector<Blacklisted> ranks() const;
  [[nodiscard]] std::size_t size() const { return weights_.size(); }

 private:
  struct Entry {
    double weight = 0;
    EmergencyReason reason = EmergencyReason::late_results;
  };
  std::map<std::int32_t, Entry> weights_;
};

}  // namespace roam::offload
