// SPDX-License-Identifier: Apache-2.0
// Tasks that await tasks need no stack. This file is compiled without optimisation, whatever the
// build's flags are: compilers then implement calls in tail position as ordinary calls.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "exec/exec_helpers.hpp"
#include "roam/exec/task.hpp"

namespace roam::exec::task_stack_test {
namespace {

using testing::Pause;
using testing::Root;

Task<int> value(int v) { co_return v; }

Task<long> depth(long n) {
  if (n == 0) co_return 0;
  co_return 1 + co_await depth(n - 1);
}

Task<long> depth_to_a_pause(long n) {
  if (n == 0) {
    co_await Pause(Duration(10));
    co_return 0;
  }
  co_return 1 + co_await depth_to_a_pause(n - 1);
}

Task<> throws_at(long n) {
  if (n == 0) throw std::string("from the bottom");
  co_await throws_at(n - 1);
}

/// Steps the engine until the root has ended.
void run(Root& root) {
  core::VirtualClock clock;
  Engine engine({}, clock);
  engine.push(&root);
  while (!root.is_finished) {
    (void)engine.step(0);
    clock.set(clock.now() + Duration(10));
  }
}

constexpr long million = 1'000'000;

TEST(TaskStack, many_awaits_in_a_row_need_none) {
  long total = 0;
  Root root([](long& sum) -> Task<> {
    for (long i = 0; i < million; ++i) sum += co_await value(1);
  }(total));
  run(root);
  EXPECT_EQ(total, million);
}

TEST(TaskStack, a_million_tasks_may_await_each_other) {
  long got = 0;
  Root root([](long& result) -> Task<> { result = co_await depth(million); }(got));
  run(root);
  EXPECT_EQ(got, million);
}

TEST(TaskStack, a_million_tasks_may_wait_and_go_on) {
  long got = 0;
  Root root([](long& result) -> Task<> { result = co_await depth_to_a_pause(million); }(got));
  run(root);
  EXPECT_EQ(got, million);
}

TEST(TaskStack, an_exception_comes_up_from_any_depth) {
  std::string caught;
  Root root([](std::string& text) -> Task<> {
    try {
      co_await throws_at(million / 10);
    } catch (const std::string& thrown) {
      text = thrown;
    }
  }(caught));
  run(root);
  EXPECT_EQ(caught, "from the bottom");
}

/// Reports when it is destroyed.
struct Local {
  std::vector<long>* ends;
  long number;
  ~Local() { ends->push_back(number); }
};
Task<> waits_with_locals(long n, std::vector<long>* ends) {
  const Local local{ends, n};
  if (n == 0) {
    co_await Pause(Duration(10));
  } else {
    co_await waits_with_locals(n - 1, ends);
  }
}

TEST(TaskStack, a_million_suspended_tasks_are_freed_the_innermost_first) {
  std::vector<long> ends;
  {
    core::VirtualClock clock;
    Engine engine({}, clock);
    Root root(waits_with_locals(million, &ends));
    engine.push(&root);
    (void)engine.step(0);
    EXPECT_TRUE(ends.empty());
  }
  ASSERT_EQ(ends.size(), static_cast<std::size_t>(million) + 1);
  for (long i = 0; i <= million; ++i) ASSERT_EQ(ends[static_cast<std::size_t>(i)], i);
}

TEST(TaskStack, a_task_that_is_moved_while_it_is_awaited_keeps_its_frame) {
  std::vector<long> ends;
  std::vector<Task<>> tasks;
  tasks.push_back(waits_with_locals(3, &ends));
  {
    core::VirtualClock clock;
    Engine engine({}, clock);
    Root root([](std::vector<Task<>>& list) -> Task<> { co_await std::move(list[0]); }(tasks));
    engine.push(&root);
    (void)engine.step(0);
    tasks.reserve(tasks.capacity() + 10);
  }
  EXPECT_EQ(ends, (std::vector<long>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace roam::exec::task_stack_test
