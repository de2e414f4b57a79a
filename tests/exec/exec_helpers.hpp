// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "roam/core/detail/clock.hpp"
#include "roam/exec/detail/suspension.hpp"
#include "roam/exec/engine.hpp"
#include "roam/exec/task.hpp"

// Small pieces from which the tests of exec and of the rooms above build programs.
namespace roam::exec::testing {

/// A clock that the engine takes for real time, but that the test sets.
class ManualClock final : public core::Clock {
 public:
  [[nodiscard]] Instant now() const override { return now_; }
  void advance(Duration d) { now_ += d; }

 private:
  Instant now_{0};
};

/// A function as a ready item; frees itself.
class Job final : public ReadyItem {
 public:
  using Action = std::function<void(Context&)>;
  [[nodiscard]] static Job* make(Action action, Priority priority = Priority::normal) {
    return new Job(std::move(action), priority);
  }
  void run(Context& context) override {
    const std::unique_ptr<Job> self(this);
    action_(context);
  }
  void drop() override { delete this; }

 private:
  Job(Action action, Priority urgency) : action_(std::move(action)) { priority = urgency; }
  Action action_;
};

/// A coroutine as the root of an execution, started by being pushed.
class Root final : public ReadyItem, public Execution {
 public:
  explicit Root(Task<> task, std::function<void()> on_end = nullptr)
      : task_(std::move(task)), on_end_(std::move(on_end)) {}
  void run(Context& context) override {
    context.execution = this;
    context.label = "root";
    task_.start(this);
  }
  void finish(Context& context) override {
    finished_at = context.engine->now();
    is_finished = true;
    if (on_end_) on_end_();
  }
  void ran(Duration part) override { parts += part; }
  [[nodiscard]] std::string describe() const override { return "a test's root task"; }
  [[nodiscard]] Task<>& task() { return task_; }

  bool is_finished = false;
  Instant finished_at{0};
  Duration parts{0};

 private:
  Task<> task_;
  std::function<void()> on_end_;
};

/// co_await Pause(duration): resumes the coroutine that much later, by a timer.
class Pause {
 public:
  explicit Pause(Duration duration) : duration_(duration) {}
  [[nodiscard]] bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> handle) {
    Engine& engine = *current()->engine;
    waiter_.capture(handle);
    engine.call_at(engine.now() + duration_, [this] { waiter_.resume(); });
  }
  void await_resume() const {}

 private:
  struct Waiter final : Suspension {};
  Duration duration_;
  Waiter waiter_;
};

}  // namespace roam::exec::testing
