// SPDX-License-Identifier: Apache-2.0
#include "am/traffic_by_source.hpp"

#include <algorithm>

namespace roam::am {

void TrafficBySource::add(Rank source, std::uint64_t messages, std::uint64_t bytes) {
  const core::LockGuard guard(lock_);
  SourceTraffic& sum = of_[source.value()];
  sum.messages += messages;
  sum.bytes += bytes;
}

std::vector<SourceTraffic> TrafficBySource::read() const {
  std::vector<SourceTraffic> all;
  {
    const core::LockGuard guard(lock_);
    for (const auto& [source, sum] : of_) all.push_back({source, sum.messages, sum.bytes});
  }
  std::ranges::sort(all, {}, [](const SourceTraffic& one) { return one.source.value(); });
  return all;
}

}  // namespace roam::am
