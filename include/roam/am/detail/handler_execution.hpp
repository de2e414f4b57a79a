// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <type_traits>
#include <utility>

#include "roam/am/detail/answering_execution.hpp"
#include "roam/exec/task.hpp"

namespace roam::am {

/// One execution of any handler: runs it, keeps its coroutine, answers its caller, reports its
/// failure.
class HandlerExecution : public AnsweringExecution {
 public:
  using AnsweringExecution::AnsweringExecution;

  /// The job ends while its coroutine is suspended: frees itself.
  virtual void abandon() = 0;

 protected:
  virtual ~HandlerExecution() { end_task(); }
  /// Calls `call()`; answers with its result now, or when its coroutine ends. Marks the context
  /// when it is over.
  template <class Call>
  void execute(exec::Context& context, Call&& call) {
    if constexpr (exec::is_task<std::invoke_result_t<Call>>) {
      try {
        task_ = drive(this, std::forward<Call>(call)());
        messenger().live_handlers().add(this);
        task_.start(this);
        return;
      } catch (...) {
        fail(std::current_exception());
      }
    } else {
      call_and_answer(std::forward<Call>(call));
    }
    context.finished = this;
  }
  /// Frees its coroutine, if it has one: before what the coroutine refers to is freed.
  void end_task() {
    if (task_) messenger().live_handlers().remove(this);
    task_ = {};
  }

 private:
  template <class R>
  static Task<> drive(HandlerExecution* self, Task<R> task) {
    try {
      if constexpr (std::is_void_v<R>) {
        co_await std::move(task);
        self->messenger().answer(self->reply_to());
      } else {
        R value = co_await std::move(task);
        self->answer_value(std::move(value));
      }
    } catch (...) {
      self->fail(std::current_exception());
    }
  }

  friend class LiveHandlers;
  Task<> task_;
  HandlerExecution* previous_live_ = nullptr;  // among the coroutines under way
  HandlerExecution* next_live_ = nullptr;
};

}  // namespace roam::am
