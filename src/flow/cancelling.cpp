// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <utility>

#include "roam/flow/core.hpp"

namespace roam::flow {

void Core::cancel(const SourceLine& where) {
  FailureRef failure(
      new Failure(engine_, std::string(cancelled_words) + " at " + to_string(where), nullptr));
  {
    const core::LockGuard guard(cancel_lock_);
    std::swap(cancellation_, failure);
  }
  cancellations_.fetch_add(1, std::memory_order_release);
}

FailureRef Core::cancellation() const {
  const core::LockGuard guard(cancel_lock_);
  return cancellation_;
}

}  // namespace roam::flow
