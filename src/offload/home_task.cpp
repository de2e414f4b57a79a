// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/detail/home_task.hpp"

#include <utility>

#include "roam/exec/context.hpp"
#include "roam/offload/detail/home_tasks.hpp"

namespace roam::offload {

void TaskList::push_back(HomeTask& task) {
  task.previous_ = back_;
  task.next_task_ = nullptr;
  (back_ == nullptr ? front_ : back_->next_task_) = &task;
  back_ = &task;
  ++size_;
}

void TaskList::remove(HomeTask& task) {
  (task.previous_ == nullptr ? front_ : task.previous_->next_task_) = task.next_task_;
  (task.next_task_ == nullptr ? back_ : task.next_task_->previous_) = task.previous_;
  --size_;
}

HomeTask::HomeTask(HomeTasks& tasks, exec::Engine& engine, am::EpochWork&& work,
                   const TaskFunctionRegistrar& function)
    : PendingReply(engine, function.function().name.text.data(), ObjectId()),
      tasks_(tasks),
      function_(function),
      work_(std::move(work)) {
  priority = Priority::low;
}

template <class Action>
void HomeTask::attempt(exec::Context& context, Action&& action) {
  context.execution = this;
  context.label = label();
  context.epoch = work_.epoch();
  try {
    action();
  } catch (const std::exception& error) {
    has_failed_ = true;
    failure_ = describe() + ": " + error.what();
  } catch (...) {
    has_failed_ = true;
    failure_ = describe() + ": an exception of unknown type";
  }
  context.epoch = 0;
  context.execution = nullptr;
  context.finished = this;
}

void HomeTask::run(exec::Context& context) {
  switch (tasks_.begin(*this)) {
    case HomeTasks::Begin::nothing:
      return release();
    case HomeTasks::Begin::compute:
      return attempt(context, [this] { call(); });
    case HomeTasks::Begin::go_on:
      return attempt(context, [this] { continue_with(std::move(returned_)); });
  }
}

void HomeTask::finish(exec::Context& context) {
  if (has_returned_) {
    beside_time_ += context.run_time;
  } else if (is_timed_) {
    beside_time_ += context.run_time - function_time_;
  } else {
    function_time_ = context.run_time;
  }
  tasks_.ended(*this);
  engine().preemption_point();
  const am::EpochWork work = std::move(work_);  // counts until whoever waits has been resumed
  if (has_failed_) on_failure(failure_);
  complete({.status = has_failed_ ? am::ReplyStatus::handler_failed : am::ReplyStatus::value,
            .text = std::move(failure_)});
  release();
}

void HomeTask::fail_unbegun(const std::string& text) {
  const am::EpochWork work = std::move(work_);
  on_failure(text);
  complete({.status = am::ReplyStatus::handler_failed, .text = text});
}

// Called when the rank has ended, so no other thread is active.
void HomeTask::drop() {
  const bool completes = state_ == State::waiting || state_ == State::continuing;
  if (completes) release();  // the reference of whoever would have completed it
  release();
}

void HomeTask::count_as_run_here() const {
  const exec::Context* const context = exec::current();
  if (context != nullptr && context->execution != nullptr)
    context->execution->ran(time_with_parts());
}

am::Messenger& HomeTask::messenger() const { return tasks_.messenger(); }

std::string HomeTask::describe() const { return function_.describe(); }

std::string HomeTask::waits_for() const { return "the result of " + tasks_.place_of(*this); }

}  // namespace roam::offload
