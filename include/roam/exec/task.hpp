// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <utility>

#include "roam/exec/context.hpp"

namespace roam {

template <class T>
class Task;

namespace exec {

/// Common part of every task's promise: who continues when it ends.
class TaskPromiseBase {
 public:
  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> self) noexcept {
      TaskPromiseBase& promise = self.promise();
      if (promise.continuation_) return promise.continuation_;
      // A root task: the engine calls finish() on its execution after this run, on this thread.
      if (Context* context = current(); context != nullptr) context->finished = promise.execution_;
      return std::noop_coroutine();
    }
    void await_resume() noexcept {}
  };
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  void continue_with(std::coroutine_handle<> next) { continuation_ = next; }
  void set_execution(Execution* execution) { execution_ = execution; }
  void rethrow_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::coroutine_handle<> continuation_;
  Execution* execution_ = nullptr;
  std::exception_ptr error_;
};

template <class T>
class TaskPromise : public TaskPromiseBase {
 public:
  Task<T> get_return_object();
  template <class U>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T take() {
    rethrow_if_failed();
    return std::move(*value_);
  }

 private:
  std::optional<T> value_;
};

template <>
class TaskPromise<void> : public TaskPromiseBase {
 public:
  Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const { rethrow_if_failed(); }
};

}  // namespace exec

/// A coroutine: a handler, a main program or a part of one. Lazy: runs when awaited (or started by
/// the runtime), on the awaiting worker; may continue on another worker of the same rank after each
/// co_await, never on another rank. Sole owner of its frame. An exception inside is rethrown to the
/// awaiter.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = exec::TaskPromise<T>;
  using value_type = T;

  Task() = default;
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) {}
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) {}
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, {});
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(handle_); }

  auto operator co_await() && {
    struct Awaiter {
      std::coroutine_handle<promise_type> task;
      [[nodiscard]] bool await_ready() const noexcept { return false; }
      std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiting) noexcept {
        task.promise().continue_with(awaiting);
        return task;
      }
      T await_resume() { return task.promise().take(); }
    };
    return Awaiter{handle_};
  }

  /// Runs it as the root of `execution` until its first suspension. When it ends, the running
  /// worker's context.finished becomes `execution`.
  void start(exec::Execution* execution) {
    handle_.promise().set_execution(execution);
    handle_.resume();
  }
  /// After the end of a root task: its value, or its exception.
  T result() { return handle_.promise().take(); }

 private:
  void reset() {
    if (handle_) std::exchange(handle_, {}).destroy();
  }
  std::coroutine_handle<promise_type> handle_;
};

namespace exec {
template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

template <class T>
inline constexpr bool is_task = false;
template <class T>
inline constexpr bool is_task<Task<T>> = true;
}  // namespace exec

}  // namespace roam
