// SPDX-License-Identifier: Apache-2.0
#include "awaited_ranks.hpp"

#include <algorithm>
#include <functional>

namespace roam::offload {

AwaitedRanks::AwaitedRanks(am::Messenger& messenger) : messenger_(messenger) {}

void AwaitedRanks::start() {
  {
    const core::LockGuard guard(lock_);
    charged_until_ = messenger_.engine().idle_time();
  }
  messenger_.requests().measure_waits(this);
}

void AwaitedRanks::awaited(Rank answered_by, Duration idle_before) {
  if (answered_by == messenger_.rank()) return;
  const Duration idle = messenger_.engine().idle_time();
  const core::LockGuard guard(lock_);
  const Duration waited = idle - std::max(idle_before, charged_until_);
  if (waited <= Duration::zero()) return;
  charged_until_ = idle;
  waits_[answered_by.value()] += waited;
}

std::vector<Wait> AwaitedRanks::take() {
  std::map<std::int32_t, Duration> taken;
  {
    const core::LockGuard guard(lock_);
    taken.swap(waits_);
  }
  std::vector<Wait> waits;
  for (const auto& [whom, time] : taken)
    waits.push_back({messenger_.rank().value(), whom, static_cast<float>(seconds(time))});
  if (waits.size() > most_waits) {
    std::ranges::nth_element(waits, waits.begin() + most_waits, std::greater<>(), &Wait::seconds);
    waits.resize(most_waits);
  }
  return waits;
}

}  // namespace roam::offload
