// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/timers.hpp"

#include <algorithm>
#include <mutex>

namespace roam::exec {

void Timers::add(Instant when, std::function<void()> action) {
  const std::lock_guard guard(lock_);
  heap_.push_back({when, added_++, std::move(action)});
  std::push_heap(heap_.begin(), heap_.end(), later);
  next_due_.store(heap_.front().when.count(), std::memory_order_release);
}

std::size_t Timers::run(Instant now) {
  std::size_t ran = 0;
  while (next_due() <= now) {
    std::function<void()> action;
    {
      const std::lock_guard guard(lock_);
      if (heap_.empty() || heap_.front().when > now) break;
      std::pop_heap(heap_.begin(), heap_.end(), later);
      action = std::move(heap_.back().action);
      heap_.pop_back();
      next_due_.store(heap_.empty() ? never.count() : heap_.front().when.count(),
                      std::memory_order_release);
    }
    action();
    ++ran;
  }
  return ran;
}

}  // namespace roam::exec
