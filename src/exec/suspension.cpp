// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/suspension.hpp"

#include "roam/exec/engine.hpp"

namespace roam::exec {

void Suspension::capture(std::coroutine_handle<> handle) {
  handle_ = handle;
  Context* context = current();
  engine_ = context->engine;
  execution_ = context->execution;
  label_ = context->label;
  subject_ = context->subject;
  epoch_ = context->epoch;
  const Instant now = engine_->now();
  if (execution_ != nullptr) {
    execution_->ran(now - context->run_begin);
    priority = execution_->urgency();
  }
  context->run_begin = now;
}

void Suspension::resume() { engine_->push(this); }

void Suspension::run(Context& context) {
  context.execution = execution_;
  context.label = label_;
  context.subject = subject_;
  context.epoch = epoch_;
  resume_in_turn(context, handle_);  // *this may have been destroyed when it returns
  context.epoch = 0;
}

void WaitList::add_source(const Source* source) { sources_.push_back(source); }

void WaitList::remove_source(const Source* source) { std::erase(sources_, source); }

void WaitList::for_each(const std::function<void(const Entry&)>& visit) const {
  const core::LockGuard guard(lock_);
  for (const Place* place = ends_.next; place != &ends_; place = place->next)
    visit(static_cast<const Entry&>(*place));
  for (const Source* source : sources_) source->for_each_wait(visit);
}

}  // namespace roam::exec
