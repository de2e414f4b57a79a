// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/engine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "exec/exec_helpers.hpp"
#include "roam/exec/detail/single_scheduler.hpp"

namespace roam::exec::engine_test {
namespace {

using std::chrono::milliseconds;
using ::testing::ElementsAre;
using testing::Job;
using testing::ManualClock;
using testing::Pause;
using testing::Root;
using ::testing::UnorderedElementsAre;
using Kind = StepResult::Kind;

TEST(EngineRealTime, accounts_busy_idle_and_overhead) {
  ManualClock clock;
  Engine engine({}, clock);
  const WorkerStats& stats = engine.stats(0);

  engine.push(Job::make([&](Context&) { clock.advance(milliseconds(5)); }));
  clock.advance(milliseconds(1));
  EXPECT_EQ(engine.step(0).kind, Kind::ran);
  EXPECT_EQ(stats.busy(), milliseconds(5));
  EXPECT_EQ(stats.overhead(), milliseconds(1));

  clock.advance(milliseconds(2));
  EXPECT_EQ(engine.step(0).kind, Kind::idle);
  EXPECT_EQ(stats.idle(), milliseconds(2));
  EXPECT_EQ(stats.handlers_run(), 1U);
}

TEST(EngineRealTime, time_asleep_is_idle_also_when_work_ends_it) {
  ManualClock clock;
  Engine engine({}, clock);
  EXPECT_EQ(engine.step(0).kind, Kind::idle);
  clock.advance(milliseconds(10));  // asleep
  engine.push(Job::make([&](Context&) { clock.advance(milliseconds(3)); }));
  EXPECT_EQ(engine.step(0).kind, Kind::ran);
  EXPECT_EQ(engine.stats(0).idle(), milliseconds(10));
  EXPECT_EQ(engine.stats(0).busy(), milliseconds(3));
  EXPECT_EQ(engine.stats(0).overhead(), Duration(0));
  // The three add up to the time that has passed.
  clock.advance(milliseconds(4));
  EXPECT_EQ(engine.step(0).kind, Kind::idle);
  const WorkerStats& stats = engine.stats(0);
  EXPECT_EQ(stats.busy() + stats.idle() + stats.overhead(), clock.now());
}

/// A scheduler for one worker; when the worker first finds no item, another thread pushes one
/// behind its back.
class SurprisedScheduler final : public Scheduler {
 public:
  explicit SurprisedScheduler(ReadyItem* surprise) : surprise_(surprise) {}
  void push(WorkerIndex worker, ReadyItem* item) override { items_.push(worker, item); }
  [[nodiscard]] ReadyItem* pop(WorkerIndex worker) override {
    ReadyItem* const item = items_.pop(worker);
    if (item == nullptr && surprise_ != nullptr) {
      items_.push(1, std::exchange(surprise_, nullptr));
      counts_.outside = 1;
    }
    return item;
  }
  [[nodiscard]] const ReadyCounts& ready_counts() const override { return counts_; }

 private:
  SingleScheduler items_;
  ReadyCounts counts_{.own = 1, .outside = 0};
  ReadyItem* surprise_;
};

/// A poller that pushes an item when it is first called.
class PushingPoller final : public Poller {
 public:
  PushingPoller(Engine& engine, ReadyItem* item) : engine_(engine), item_(item) {}
  std::size_t poll(Instant /*now*/) override {
    if (item_ == nullptr) return 0;
    engine_.push(std::exchange(item_, nullptr));
    return 1;
  }

 private:
  Engine& engine_;
  ReadyItem* item_;
};

// A2 with one worker depends on this: of two messages of one sender, the first may be received by
// another thread than the second.
TEST(EngineRealTime, what_another_thread_has_pushed_runs_before_what_a_looking_worker_receives) {
  ManualClock clock;
  Engine engine({}, clock);
  std::vector<std::string> order;
  const auto job = [&](const char* name) {
    return Job::make([&order, name](Context&) { order.emplace_back(name); });
  };
  engine.set_scheduler(std::make_unique<SurprisedScheduler>(job("of another thread")));
  PushingPoller poller(engine, job("received"));
  engine.add_poller(&poller);
  while (order.size() < 2) engine.step(0);
  EXPECT_THAT(order, ElementsAre("of another thread", "received"));
}

// It needs no queue, and no other worker is woken.
TEST(EngineRealTime, an_idle_worker_keeps_what_it_receives) {
  struct Counter final : Waker {
    void wake() override { ++wakes; }
    int wakes = 0;
  };
  for (const WorkerIndex workers : {1U, 2U}) {
    ManualClock clock;
    Engine engine({.workers = workers}, clock);
    int runs = 0;
    PushingPoller poller(engine, Job::make([&runs](Context&) { ++runs; }));
    engine.add_poller(&poller);
    Counter waker;
    engine.set_waker(&waker);
    EXPECT_EQ(engine.step(0).kind, Kind::ran);
    EXPECT_EQ(runs, 1);
    EXPECT_EQ(waker.wakes, 0) << workers;
  }
}

TEST(EngineRealTime, compute_occupies_the_thread) {
  core::SteadyClock clock;
  Engine engine({}, clock);
  engine.push(Job::make([&](Context&) { engine.compute(milliseconds(20)); }));
  (void)engine.step(0);
  EXPECT_GE(engine.stats(0).busy(), milliseconds(20));
}

TEST(EngineRealTime, held_work_waits_in_its_order_and_urgent_work_does_not) {
  for (const WorkerIndex workers : {WorkerIndex{1}, WorkerIndex{2}}) {
    ManualClock clock;
    Engine engine({.workers = workers}, clock);
    std::vector<int> runs;
    const auto job = [&](int number, Priority priority) {
      return Job::make([&runs, number](Context&) { runs.push_back(number); }, priority);
    };
    engine.hold_work();
    for (int i = 0; i < 3; ++i) engine.push(job(i, Priority::normal));
    engine.push(job(7, Priority::high));
    while (engine.step(0).kind == Kind::ran) {
    }
    EXPECT_THAT(runs, ElementsAre(7));
    EXPECT_FALSE(engine.is_idle());
    engine.release_work();
    engine.push(job(3, Priority::normal));
    while (engine.step(0).kind == Kind::ran) {
    }
    if (workers == 1) {
      EXPECT_THAT(runs, ElementsAre(7, 0, 1, 2, 3));
    } else {  // outside threads spread their items over all workers, and this one steals
      EXPECT_THAT(runs, UnorderedElementsAre(7, 0, 1, 2, 3));
    }
    EXPECT_TRUE(engine.is_idle());
    engine.hold_work();
    engine.push(job(9, Priority::normal));  // dropped with the engine's queue, not leaked
    engine.drop_queued();
  }
}

TEST(EngineRealTime, is_idle_only_when_nothing_is_queued_or_runs) {
  ManualClock clock;
  Engine engine({}, clock);
  EXPECT_TRUE(engine.is_idle());
  std::optional<bool> inside;
  engine.push(Job::make([&](Context&) { inside = engine.is_idle(); }));
  EXPECT_FALSE(engine.is_idle());
  (void)engine.step(0);
  EXPECT_EQ(inside, false);
  EXPECT_TRUE(engine.is_idle());
}

TEST(EngineRealTime, reports_runs_to_its_observer) {
  struct Observer final : RunObserver {
    void ran(const Context& context, Instant begin, Instant end) override {
      seen.push_back(std::string(context.label) + " on " + std::to_string(context.slot) + " " +
                     std::to_string((end - begin).count()));
    }
    std::vector<std::string> seen;
  } observer;
  ManualClock clock;
  Engine engine({.workers = 2}, clock);
  engine.set_observer(&observer);
  engine.push(Job::make([&](Context& context) {
    context.label = "refine";
    clock.advance(Duration(7));
  }));
  (void)engine.step(1);
  EXPECT_THAT(observer.seen, ElementsAre("refine on 1 7"));
}

TEST(EngineRealTime, timers_and_pollers_are_served_and_say_when_to_look_again) {
  struct Counter final : Poller {
    std::size_t poll(Instant) override { return ++polls, 0; }
    [[nodiscard]] Instant next_due() const override { return Instant(500); }
    int polls = 0;
  } poller;
  ManualClock clock;
  Engine engine({}, clock);
  engine.add_poller(&poller);
  EXPECT_EQ(engine.step(0).until, Instant(500));
  EXPECT_GT(poller.polls, 0);
  bool ran = false;
  engine.call_at(Instant(100), [&] { ran = true; });
  EXPECT_EQ(engine.step(0).until, Instant(100));
  EXPECT_FALSE(ran);
  clock.advance(Duration(100));
  EXPECT_EQ(engine.step(0).kind, Kind::ran);
  EXPECT_TRUE(ran);
}

TEST(EngineRealTime, a_busy_worker_still_makes_progress_now_and_then) {
  struct Counter final : Poller {
    std::size_t poll(Instant) override { return ++polls, 0; }
    int polls = 0;
  } poller;
  ManualClock clock;
  Engine engine({}, clock);
  engine.add_poller(&poller);
  int ran = 0;
  for (int i = 0; i < 200; ++i) engine.push(Job::make([&](Context&) { ++ran; }));
  while (ran < 200) ASSERT_EQ(engine.step(0).kind, Kind::ran);
  EXPECT_GE(poller.polls, 200 / 64);
  EXPECT_LE(poller.polls, 200 / 8) << "but not at every turn";
}

TEST(EngineRealTime, stop_is_final_and_what_is_queued_is_dropped) {
  ManualClock clock;
  Engine engine({.workers = 2}, clock);
  auto held = std::make_shared<int>(0);
  engine.push(Job::make([held](Context&) { ++*held; }));
  engine.stop();
  EXPECT_EQ(engine.step(0).kind, Kind::stopped);
  EXPECT_EQ(engine.step(1).kind, Kind::stopped);
  engine.drop_queued();
  EXPECT_EQ(*held, 0);
  EXPECT_EQ(held.use_count(), 1);
}

TEST(EngineRealTime, pushes_from_many_threads_all_arrive) {
  core::SteadyClock clock;
  Engine engine({.workers = 2}, clock);
  std::atomic<int> ran{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5000; ++i) engine.push(Job::make([&](Context&) { ++ran; }));
    });
  }
  for (WorkerIndex w = 0; w < 2; ++w) {
    threads.emplace_back([&, w] {
      while (ran < 15'000) (void)engine.step(w);
    });
  }
  // Several threads that belong to no worker may help at the same time.
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (ran < 15'000) (void)engine.help_progress();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(engine.is_idle());
}

TEST(EngineVirtualTime, compute_takes_time_and_overhead_is_charged) {
  core::VirtualClock clock;
  Engine engine({.handler_overhead = Duration(100)}, clock);
  Instant inside{0};
  engine.push(Job::make([&](Context&) {
    engine.compute(milliseconds(10));
    inside = engine.now();
  }));
  const StepResult result = engine.step(0);
  EXPECT_EQ(result.kind, Kind::ran);
  EXPECT_EQ(result.until, milliseconds(10) + Duration(100));
  EXPECT_EQ(inside, milliseconds(10));
  EXPECT_EQ(clock.now(), Instant(0)) << "time itself has not moved";
  EXPECT_EQ(engine.stats(0).busy(), milliseconds(10));
  EXPECT_EQ(engine.stats(0).overhead(), Duration(100));
  clock.set(result.until + Duration(900));
  EXPECT_EQ(engine.step(0).kind, Kind::idle);
  EXPECT_EQ(engine.stats(0).idle(), Duration(900));
}

TEST(EngineVirtualTime, what_is_pushed_after_compute_is_ready_when_the_handler_ends) {
  core::VirtualClock clock;
  Engine engine({.workers = 2}, clock);
  std::vector<std::string> ran;
  engine.push(Job::make([&](Context&) {
    engine.push(Job::make([&](Context&) { ran.emplace_back("pushed before"); }));
    engine.compute(milliseconds(10));
    engine.push(Job::make([&](Context&) { ran.emplace_back("pushed after"); }));
  }));
  const StepResult first = engine.step(0);
  EXPECT_FALSE(engine.is_idle());
  EXPECT_EQ(engine.step(1).kind, Kind::ran);
  EXPECT_EQ(engine.step(1).kind, Kind::idle) << "the other one is not ready yet";
  EXPECT_FALSE(engine.is_idle());
  EXPECT_THAT(ran, ElementsAre("pushed before"));
  clock.set(first.until);
  EXPECT_EQ(engine.step(0).kind, Kind::ran);
  EXPECT_THAT(ran, ElementsAre("pushed before", "pushed after"));
  (void)engine.step(0);
  EXPECT_TRUE(engine.is_idle());
}

TEST(EngineVirtualTime, an_execution_finishes_when_its_time_has_passed) {
  core::VirtualClock clock;
  Engine engine({}, clock);
  auto program = [&]() -> Task<> {
    engine.compute(milliseconds(2));
    co_await Pause(milliseconds(5));
    engine.compute(milliseconds(3));
  };
  Root root(program());
  engine.push(&root);
  Instant next = engine.step(0).until;
  EXPECT_EQ(next, milliseconds(2));
  EXPECT_EQ(root.parts, milliseconds(2)) << "told of the part before the suspension";
  clock.set(next);
  next = engine.step(0).until;
  EXPECT_EQ(next, milliseconds(7)) << "the pause began after the computation";
  clock.set(next);
  next = engine.step(0).until;
  EXPECT_EQ(next, milliseconds(10));
  EXPECT_FALSE(root.is_finished);
  EXPECT_FALSE(engine.is_idle());
  clock.set(next);
  (void)engine.step(0);
  EXPECT_TRUE(root.is_finished);
  EXPECT_EQ(root.finished_at, milliseconds(10));
  EXPECT_TRUE(engine.is_idle());
}

}  // namespace
}  // namespace roam::exec::engine_test
