// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/task.hpp"

namespace roam::exec {

void TaskPromiseBase::run_for(std::coroutine_handle<> awaiting, TaskPromiseBase* parent) {
  continuation_ = awaiting;
  parent_ = parent;
  if (parent != nullptr) parent->awaited_ = this;
  detail::current_context->next_coroutine = *owner_;
}

void TaskPromiseBase::ended() noexcept {
  Context& context = *detail::current_context;
  if (parent_ != nullptr) std::exchange(parent_, nullptr)->awaited_ = nullptr;
  if (continuation_) {
    context.next_coroutine = continuation_;
  } else {
    // This is a root task: the engine calls finish() on its execution after this run, on this
    // thread.
    context.finished = execution_;
  }
}

void TaskPromiseBase::destroy_awaited() {
  TaskPromiseBase* innermost = this;
  while (innermost->awaited_ != nullptr) innermost = innermost->awaited_;
  while (innermost != this) {
    TaskPromiseBase* const parent = innermost->parent_;
    parent->awaited_ = nullptr;
    std::exchange(*innermost->owner_, {}).destroy();
    innermost = parent;
  }
  if (parent_ != nullptr) parent_->awaited_ = nullptr;
}

void start_task(std::coroutine_handle<> task) {
  if (Context* const context = detail::current_context) return resume_in_turn(*context, task);
  Context own;  // for tasks outside of a job
  const Scope scope(&own);
  resume_in_turn(own, task);
}

}  // namespace roam::exec
