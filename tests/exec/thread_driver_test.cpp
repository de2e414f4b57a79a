// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/thread_driver.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>

#include <ctime>
#include <map>
#include <set>

#include "exec/exec_helpers.hpp"
#include "roam/core/error.hpp"
#include "sanitizers.hpp"

namespace roam::exec::thread_driver_test {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::Job;
using testing::Pause;
using testing::Root;

std::vector<std::int32_t> allowed_processors() {
  std::vector<std::int32_t> processors;
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  EXPECT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &allowed)) processors.push_back(cpu);
  }
  return processors;
}

constexpr ProgressMode all_modes[] = {ProgressMode::shared, ProgressMode::dedicated,
                                      ProgressMode::polling};

/// Notes which threads poll it.
class WhoPolls final : public Poller {
 public:
  explicit WhoPolls(Duration period = Duration::zero()) : period_(period) {}
  std::size_t poll(Instant now) override {
    const std::lock_guard guard(mutex_);
    threads_.insert(std::this_thread::get_id());
    ++polls_;
    if (period_ > Duration::zero()) next_.store((now + period_).count());
    return 0;
  }
  [[nodiscard]] Instant next_due() const override { return Instant(next_.load()); }
  std::set<std::thread::id> threads() const {
    const std::lock_guard guard(mutex_);
    return threads_;
  }
  int polls() const {
    const std::lock_guard guard(mutex_);
    return polls_;
  }

 private:
  const Duration period_;
  std::atomic<std::int64_t> next_{never.count()};
  mutable std::mutex mutex_;
  std::set<std::thread::id> threads_;
  int polls_ = 0;
};

class ThreadDriverModes : public ::testing::TestWithParam<ProgressMode> {};
INSTANTIATE_TEST_SUITE_P(All, ThreadDriverModes, ::testing::ValuesIn(all_modes),
                         [](const auto& test) { return std::string(to_string(test.param)); });

// Whichever thread of the driver it happens on: none is terminated, and all end.
TEST_P(ThreadDriverModes, R2_what_leaves_the_engine_is_reported_and_stops_it) {
  core::SteadyClock clock;
  Engine engine({.workers = 3, .progress = GetParam()}, clock);
  std::atomic<int> failures{0};
  engine.set_failure_handler([&](const char* during) {
    EXPECT_STREQ(during, "while its work ran");
    EXPECT_EQ(words_of(std::current_exception()), "no more of it");
    ++failures;
  });
  for (int i = 0; i < 20; ++i)
    engine.push(Job::make([](Context&) { throw Error("no more of it"); }));
  ThreadDriver driver(engine, {});
  driver.run();
  EXPECT_TRUE(engine.stopped());
  EXPECT_GE(failures.load(), 1);
  engine.drop_queued();
}

TEST_P(ThreadDriverModes, A8_every_job_runs_once) {
  core::SteadyClock clock;
  Engine engine({.workers = 3, .progress = GetParam()}, clock);
  ThreadDriver driver(engine, {});
  constexpr int count = 3000;
  std::atomic<int> ran{0};
  for (int i = 0; i < count / 3; ++i) {
    engine.push(Job::make([&](Context&) {
      for (int child = 0; child < 2; ++child) {
        engine.push(Job::make([&](Context&) {
          if (++ran == count) engine.stop();
        }));
      }
      if (++ran == count) engine.stop();
    }));
  }
  driver.run();
  EXPECT_EQ(ran.load(), count);
  engine.drop_queued();
}

TEST_P(ThreadDriverModes, A8_timers_wake_sleeping_workers) {
  core::SteadyClock clock;
  Engine engine({.workers = 2, .progress = GetParam()}, clock);
  ThreadDriver driver(engine, {});
  int pauses = 0;
  auto program = [&]() -> Task<> {
    for (; pauses < 20; ++pauses) co_await Pause(milliseconds(5));
  };
  Root root(program(), [&] { engine.stop(); });
  engine.push(&root);
  driver.run();
  EXPECT_EQ(pauses, 20);
  EXPECT_GE(clock.now(), milliseconds(100));
  EXPECT_LT(clock.now(), seconds(10));
  engine.drop_queued();
}

TEST(ThreadDriver, gives_the_calling_thread_its_cpus_back) {
  cpu_set_t before;
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  core::SteadyClock clock;
  Engine engine({}, clock);
  const std::int32_t cpu = allowed_processors().front();
  ThreadDriver driver(engine, {.processors = {cpu}});
  int cpus_inside = 0;
  engine.push(Job::make([&](Context&) {
    cpu_set_t inside;
    if (sched_getaffinity(0, sizeof inside, &inside) == 0) cpus_inside = CPU_COUNT(&inside);
    engine.stop();
  }));
  driver.run();
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_EQ(cpus_inside, 1);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
  engine.drop_queued();
}

TEST(ThreadDriver, sleeps_of_its_threads_are_punctual_and_those_of_the_caller_as_before) {
  const auto slack = [] { return prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0); };
  const int before = slack();
  core::SteadyClock clock;
  Engine engine({}, clock);
  ThreadDriver driver(engine, {});
  int inside = -1;
  engine.push(Job::make([&](Context&) {
    inside = slack();
    engine.stop();
  }));
  driver.run();
  EXPECT_LE(inside, 1000);  // nanoseconds
  EXPECT_EQ(slack(), before);
  engine.drop_queued();
}

Duration process_cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return seconds(t.tv_sec) + Duration(t.tv_nsec);
}

// The limit allows for a fixed cost per wake-up, which makes no difference between a rank that
// sleeps and one that spins, because spinning uses the whole core. On a shared virtual machine a
// wake-up may cost twice as much from one hour to the next.
constexpr double allowed_share = tests::has_sanitizer ? 0.3 : 0.2;

// For a while, other programs may make wake-ups dearer and later than that.
constexpr int most_attempts = 6;

double idle_share_of_a_core(ProgressMode mode, bool network_wakes, Poller* poller) {
  core::SteadyClock clock;
  Engine engine({.workers = 2, .progress = mode}, clock);
  if (poller != nullptr) engine.add_poller(poller);
  ThreadDriver driver(engine, {.network_wakes = network_wakes});
  const Duration before = process_cpu_time();
  engine.call_at(seconds(1), [&] { engine.stop(); });
  driver.run();
  return roam::seconds(process_cpu_time() - before) / roam::seconds(clock.now());
}

TEST_P(ThreadDriverModes, an_idle_rank_burns_less_than_a_fifth_of_a_core) {
  double share = 1;
  for (int i = 0; i < most_attempts && share >= allowed_share; ++i)
    share = idle_share_of_a_core(GetParam(), false, nullptr);
  EXPECT_LT(share, allowed_share);
}

TEST_P(ThreadDriverModes, an_idle_rank_with_a_periodic_poller_burns_less_than_a_fifth_of_a_core) {
  constexpr int enough = 100;  // of 500; without regard to the period, there are 50
  double share = 1;
  int polls = 0;
  for (int i = 0; i < most_attempts && (share >= allowed_share || polls <= enough); ++i) {
    WhoPolls poller{milliseconds(2)};
    share = idle_share_of_a_core(GetParam(), true, &poller);
    polls = poller.polls();
  }
  EXPECT_LT(share, allowed_share);
  EXPECT_GT(polls, enough);
}

TEST_P(ThreadDriverModes, stops_promptly_from_outside) {
  core::SteadyClock clock;
  Engine engine({.workers = 4, .progress = GetParam()}, clock);
  ThreadDriver driver(engine, {.longest_wakeable_sleep = seconds(30), .network_wakes = true});
  std::thread stopper([&] {
    std::this_thread::sleep_for(milliseconds(200));  // all asleep
    engine.stop();
  });
  driver.run();
  stopper.join();
  EXPECT_LT(clock.now(), seconds(5));
}

TEST_P(ThreadDriverModes, a_push_from_outside_wakes_a_sleeping_worker) {
  core::SteadyClock clock;
  Engine engine({.workers = 2, .progress = GetParam()}, clock);
  ThreadDriver driver(engine, {.longest_wakeable_sleep = seconds(30), .network_wakes = true});
  std::thread pusher([&] {
    for (int i = 0; i < 20; ++i) {
      std::this_thread::sleep_for(milliseconds(10));
      engine.push(Job::make([&engine, i](Context&) {
        if (i == 19) engine.stop();
      }));
    }
  });
  driver.run();
  pusher.join();
  EXPECT_LT(clock.now(), seconds(10));
  engine.drop_queued();
}

TEST(ThreadDriver, A8_shared_progress_goes_on_while_all_workers_compute) {
  core::SteadyClock clock;
  Engine engine({}, clock);
  WhoPolls poller;
  engine.add_poller(&poller);
  constexpr Duration period = milliseconds(1);
  ThreadDriver driver(engine, {.helper_period = period});
  constexpr int enough = 40;
  int polls = 0;
  Duration time{0};
  engine.push(Job::make([&](Context&) {
    const Instant begin = clock.now();
    const int before = poller.polls();
    do {
      std::this_thread::sleep_for(milliseconds(5));
      polls = poller.polls() - before;
      time = clock.now() - begin;
    } while (polls < enough && time < seconds(30));
    engine.stop();
  }));
  driver.run();
  EXPECT_GE(polls, enough);
  // Nothing is found: after pauses of one and two periods, each takes four.
  EXPECT_LE(polls, 3 + time / (4 * period));
}

TEST(ThreadDriver, A8_dedicated_progress_is_made_by_no_worker) {
  core::SteadyClock clock;
  Engine engine({.workers = 2, .progress = ProgressMode::dedicated}, clock);
  WhoPolls poller;
  engine.add_poller(&poller);
  std::mutex mutex;
  std::set<std::thread::id> workers;
  for (int i = 0; i < 50; ++i) {
    engine.push(Job::make([&](Context&) {
      const std::lock_guard guard(mutex);
      workers.insert(std::this_thread::get_id());
    }));
  }
  engine.call_at(milliseconds(50), [&] { engine.stop(); });
  ThreadDriver(engine, {}).run();
  EXPECT_EQ(poller.threads().size(), 1U);
  for (const auto& thread : poller.threads()) EXPECT_FALSE(workers.contains(thread));
}

TEST(ThreadDriver, A8_polling_progress_is_made_by_the_calling_thread_alone) {
  core::SteadyClock clock;
  Engine engine({.workers = 1, .progress = ProgressMode::polling}, clock);
  WhoPolls poller;
  engine.add_poller(&poller);
  engine.push(Job::make([&](Context&) { std::this_thread::sleep_for(milliseconds(50)); }));
  engine.call_at(milliseconds(60), [&] { engine.stop(); });
  ThreadDriver(engine, {}).run();
  EXPECT_EQ(poller.threads(), std::set{std::this_thread::get_id()});
}

TEST(ThreadDriver, workers_can_be_bound) {
  core::SteadyClock clock;
  Engine engine({.workers = 2}, clock);
  const std::vector<std::int32_t> allowed = allowed_processors();
  // Not in their order, so that a worker that is not bound by its number is noticed.
  const std::vector<std::int32_t> bound{allowed.back(), allowed.front()};
  std::mutex mutex;
  std::map<WorkerIndex, std::vector<std::int32_t>> seen;
  for (int i = 0; i < 64; ++i) {
    engine.push(Job::make([&](Context& context) {
      std::this_thread::sleep_for(std::chrono::microseconds(100));
      const std::lock_guard guard(mutex);
      seen[context.slot] = allowed_processors();
    }));
  }
  engine.call_at(milliseconds(30), [&] { engine.stop(); });
  ThreadDriver(engine, {.processors = bound}).run();
  ASSERT_FALSE(seen.empty());
  for (const auto& [worker, processors] : seen)
    EXPECT_EQ(processors, std::vector<std::int32_t>{bound[worker]}) << "worker " << worker;
}

TEST(ThreadDriver, a_processor_that_there_is_not_ends_the_rank_with_one_line) {
  core::SteadyClock clock;
  Engine engine({}, clock);
  std::string report;
  engine.set_failure_handler([&](const char*) {
    try {
      throw;
    } catch (const Error& error) {
      report = error.what();
    }
  });
  ThreadDriver(engine, {.processors = {1'000'000}}).run();
  EXPECT_EQ(report,
            "cannot bind a worker to processor 1000000: Invalid argument; run without --roam-pin");
}

}  // namespace
}  // namespace roam::exec::thread_driver_test
