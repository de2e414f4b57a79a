// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "roam/core/spin_lock.hpp"
#include "roam/core/types.hpp"

namespace roam::am {

/// What has arrived from one rank.
struct SourceTraffic {
  Rank source;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// The same for all ranks that have sent something. Any thread.
class TrafficBySource {
 public:
  void add(Rank source, std::uint64_t messages, std::uint64_t bytes) {
    const core::LockGuard guard(lock_);
    SourceTraffic& sum = of_[source.value()];
    sum.messages += messages;
    sum.bytes += bytes;
  }
  /// Sorted by rank.
  [[nodiscard]] std::vector<SourceTraffic> read() const {
    std::vector<SourceTraffic> all;
    {
      const core::LockGuard guard(lock_);
      for (const auto& [source, sum] : of_) all.push_back({source, sum.messages, sum.bytes});
    }
    std::ranges::sort(all, {}, [](const SourceTraffic& one) { return one.source.value(); });
    return all;
  }

 private:
  mutable core::SpinLock lock_;
  std::unordered_map<std::int32_t, SourceTraffic> of_ ROAM_GUARDED_BY(lock_);
};

}  // namespace roam::am
