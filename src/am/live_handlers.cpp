// SPDX-License-Identifier: Apache-2.0
#include "roam/am/detail/live_handlers.hpp"

#include "roam/am/detail/handler_execution.hpp"

namespace roam::am {

void LiveHandlers::add(HandlerExecution* execution) {
  const core::LockGuard guard(lock_);
  execution->next_live_ = first_;
  if (first_ != nullptr) first_->previous_live_ = execution;
  first_ = execution;
}

void LiveHandlers::remove(HandlerExecution* execution) {
  const core::LockGuard guard(lock_);
  HandlerExecution* previous = execution->previous_live_;
  HandlerExecution* next = execution->next_live_;
  (previous == nullptr ? first_ : previous->next_live_) = next;
  if (next != nullptr) next->previous_live_ = previous;
}

void LiveHandlers::abandon_all() {
  for (;;) {
    HandlerExecution* first = nullptr;
    {
      const core::LockGuard guard(lock_);
      first = first_;
    }
    if (first == nullptr) return;
    first->abandon();  // this also removes it from the list
  }
}

}  // namespace roam::am
