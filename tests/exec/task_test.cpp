// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/task.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "exec/exec_helpers.hpp"

namespace roam::exec::task_test {
namespace {

using testing::Pause;
using testing::Root;

/// Runs the task as a root that never waits for anything.
void run_to_end(Task<>& task) {
  Context context;
  const Scope scope(&context);
  task.start(nullptr);
}

Task<int> value(int v) { co_return v; }
Task<int> sum_to(int n) {
  if (n == 0) co_return 0;
  co_return n + co_await sum_to(n - 1);
}
Task<std::unique_ptr<std::string>> move_only() { co_return std::make_unique<std::string>("moved"); }
Task<> fails() {
  throw std::runtime_error("as planned");
  co_return;
}
Task<int> passes_failure_on() {
  co_await fails();
  co_return 1;
}

TEST(Task, gives_its_value_to_who_awaits_it) {
  int got = 0;
  std::string text;
  auto program = [&]() -> Task<> {
    got = co_await value(7);
    text = *co_await move_only();
  };
  Task<> task = program();
  EXPECT_EQ(got, 0) << "lazy";
  run_to_end(task);
  EXPECT_NO_THROW(task.result());
  EXPECT_EQ(got, 7);
  EXPECT_EQ(text, "moved");
}

TEST(Task, nests) {
  int got = 0;
  auto program = [&]() -> Task<> { got = co_await sum_to(100); };
  Task<> task = program();
  run_to_end(task);
  EXPECT_EQ(got, 5050);
}

TEST(Task, exceptions_reach_the_awaiter) {
  std::string caught;
  auto program = [&]() -> Task<> {
    try {
      (void)co_await passes_failure_on();
    } catch (const std::runtime_error& error) {
      caught = error.what();
    }
  };
  Task<> task = program();
  run_to_end(task);
  EXPECT_EQ(caught, "as planned");
}

TEST(Task, a_roots_exception_comes_with_its_result) {
  Task<> task = fails();
  run_to_end(task);
  EXPECT_THROW(task.result(), std::runtime_error);
}

TEST(Task, a_root_tells_its_context_that_it_ended) {
  core::VirtualClock clock;
  Engine engine({}, clock);
  Context context;
  context.engine = &engine;
  auto program = []() -> Task<> { (void)co_await value(1); };
  Root root(program());
  {
    const Scope scope(&context);
    root.task().start(&root);
  }
  EXPECT_EQ(context.finished, &root);
}

TEST(Task, awaited_tasks_do_not_end_the_root) {
  core::VirtualClock clock;
  Engine engine({}, clock);
  int step = 0;
  auto inner = [&]() -> Task<> {
    step = 1;
    co_await Pause(Duration(10));
    step = 2;
  };
  auto program = [&]() -> Task<> {
    co_await inner();
    co_await Pause(Duration(10));
    step = 3;
  };
  Root root(program());
  engine.push(&root);
  (void)engine.step(0);
  EXPECT_EQ(step, 1);
  for (const int expected : {2, 3}) {
    EXPECT_FALSE(root.is_finished);
    clock.set(clock.now() + Duration(10));
    (void)engine.step(0);
    EXPECT_EQ(step, expected);
  }
  (void)engine.step(0);
  EXPECT_TRUE(root.is_finished);
}

TEST(Task, a_suspended_task_is_freed_with_its_locals) {
  core::VirtualClock clock;
  Engine engine({}, clock);
  auto held = std::make_shared<int>(1);
  {
    auto program = [](std::shared_ptr<int> mine) -> Task<> {
      const std::shared_ptr<int> another = mine;
      co_await Pause(Duration(10));
    };
    Root root(program(held));
    engine.push(&root);
    (void)engine.step(0);
    EXPECT_EQ(held.use_count(), 3);
  }
  EXPECT_EQ(held.use_count(), 1);
}

TEST(Task, owns_its_frame_alone) {
  auto held = std::make_shared<int>(1);
  auto program = [](std::shared_ptr<int>) -> Task<> { co_return; };
  Task<> first = program(held);
  Task<> second = std::move(first);
  EXPECT_FALSE(first);
  EXPECT_TRUE(second);
  EXPECT_EQ(held.use_count(), 2);
  second = Task<>();
  EXPECT_EQ(held.use_count(), 1);
  static_assert(!std::is_copy_constructible_v<Task<>>);
}

}  // namespace
}  // namespace roam::exec::task_test
