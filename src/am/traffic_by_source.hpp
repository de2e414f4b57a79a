// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "roam/am/detail/source_traffic.hpp"
#include "roam/core/detail/spin_lock.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// What has arrived from each rank that has sent something. Any thread.
class TrafficBySource {
 public:
  void add(Rank source, std::uint64_t messages, std::uint64_t bytes);
  /// Sorted by rank.
  [[nodiscard]] std::vector<SourceTraffic> read() const;

 private:
  mutable core::SpinLock lock_;
  std::unordered_map<std::int32_t, SourceTraffic> of_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::am
