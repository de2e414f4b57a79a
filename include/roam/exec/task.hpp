// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <cstddef>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "roam/exec/context.hpp"
#include "roam/exec/detail/spare_blocks.hpp"

namespace roam {

template <class T>
class Task;

namespace exec {

/// @cond
/// The common part of every task's promise: which coroutine continues when the task ends. Tasks do
/// not resume each other: they name the next one to the loop that has resumed them
/// (resume_in_turn()).
class TaskPromiseBase {
 public:
  struct FinalAwaiter {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> self) noexcept {
      self.promise().ended();
    }
    void await_resume() noexcept {}
  };
  TaskPromiseBase() = default;
  TaskPromiseBase(const TaskPromiseBase&) = delete;
  TaskPromiseBase& operator=(const TaskPromiseBase&) = delete;
  /// Where frames come from and go to.
  static void* operator new(std::size_t bytes) { return SpareBlocks::take(bytes); }
  static void operator delete(void* frame, std::size_t bytes) noexcept {
    SpareBlocks::give_back(frame, bytes);
  }
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] FinalAwaiter final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { error_ = std::current_exception(); }

  /// Makes the frame run as soon as `awaiting` has returned, and `awaiting` continue when the frame
  /// is over. `parent` is the promise of `awaiting` if that is a task.
  void run_for(std::coroutine_handle<> awaiting, TaskPromiseBase* parent);
  /// Sets where the Task that owns the frame stores its handle.
  void set_owner(std::coroutine_handle<>& owner) { owner_ = &owner; }
  /// Called when the frame is about to be destroyed before its end: destroys the tasks that it
  /// awaits, the innermost first, as nested destructors would. It is a loop, because there may be a
  /// million of them.
  void destroy_awaited();
  void set_execution(Execution* execution) { execution_ = execution; }
  void rethrow_if_failed() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void ended() noexcept;

  std::coroutine_handle<> continuation_;
  Execution* execution_ = nullptr;
  std::exception_ptr error_;
  TaskPromiseBase* parent_ = nullptr;   // the task that awaits this one
  TaskPromiseBase* awaited_ = nullptr;  // the task that this one awaits
  // The frame's handle, a member of the Task that owns the frame.
  std::coroutine_handle<>* owner_ = nullptr;
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

/// What `co_await task` turns a task into.
template <class T>
struct TaskAwaiter {
  std::coroutine_handle<TaskPromise<T>> task;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> awaiting) noexcept {
    TaskPromiseBase* parent = nullptr;
    if constexpr (std::is_base_of_v<TaskPromiseBase, Promise>) parent = &awaiting.promise();
    task.promise().run_for(awaiting, parent);
  }
  T await_resume() { return task.promise().take(); }
};

/// Starts a task that nobody awaits, on this thread.
void start_task(std::coroutine_handle<> task);
/// @endcond

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
  /// @cond
  explicit Task(std::coroutine_handle<promise_type> handle) : handle_(handle) { own(); }
  /// @endcond
  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, {})) { own(); }
  Task& operator=(Task&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, {});
      own();
    }
    return *this;
  }
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;
  ~Task() { reset(); }

  [[nodiscard]] explicit operator bool() const { return static_cast<bool>(handle_); }

  auto operator co_await() && { return exec::TaskAwaiter<T>{typed()}; }

  /// @cond
  /// Runs the task as the root of `execution` until its first suspension. When the task ends, the
  /// running worker's context.finished becomes `execution`.
  void start(exec::Execution* execution) {
    typed().promise().set_execution(execution);
    exec::start_task(handle_);
  }
  /// The value of a root task that has ended, or its exception.
  T result() { return typed().promise().take(); }
  /// @endcond

 private:
  [[nodiscard]] std::coroutine_handle<promise_type> typed() const {
    return std::coroutine_handle<promise_type>::from_address(handle_.address());
  }
  void own() {
    if (handle_) typed().promise().set_owner(handle_);
  }
  void reset() {
    if (!handle_) return;
    if (!handle_.done()) typed().promise().destroy_awaited();
    std::exchange(handle_, {}).destroy();
  }
  std::coroutine_handle<> handle_;  // the handle of a promise_type
};

/// @cond
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
/// @endcond

}  // namespace roam
