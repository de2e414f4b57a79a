// SPDX-License-Identifier: Apache-2.0
// How jobs that cannot continue end (R2, R3, M10): with one report, soon, and with a status.
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"

namespace errors_test {

namespace {

struct Bomb {
  int fuse = 3;
  void explode() { throw std::runtime_error("the fuse was " + std::to_string(fuse)); }
  roam::Task<int> ask(roam::mobile_ptr<Bomb> other, roam::mobile_ptr<Bomb> self) {
    if (!other) co_return fuse;
    co_return co_await other.call<&Bomb::ask>(self, roam::mobile_ptr<Bomb>());
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(fuse);
  }
};

struct Ended {
  int status = 0;
  double seconds = 0;
  std::string report;
};

Ended run_job(const roam::Options& options, const roam::Runtime::Program& program) {
  testing::internal::CaptureStderr();
  const auto start = std::chrono::steady_clock::now();
  Ended ended;
  ended.status = roam::run(options, program);
  ended.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  ended.report = testing::internal::GetCapturedStderr();
  return ended;
}

roam::Options real(std::int32_t ranks) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  return options;
}

roam::Options simulated(std::int32_t ranks) {
  roam::Options options;
  options.simulate = roam::Machine{};
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = 2;
  return options;
}

class Errors : public ::testing::TestWithParam<bool> {
 protected:
  static roam::Options options(std::int32_t ranks) {
    return GetParam() ? simulated(ranks) : real(ranks);
  }
};

TEST_P(Errors, R2_an_exception_nobody_awaits_stops_the_job_with_one_report) {
  constexpr int most_attempts = 5;  // to be done within a second, on a machine that others use
  Ended ended;
  for (int i = 0; i == 0 || (i < most_attempts && ended.seconds >= 1); ++i) {
    ended = run_job(options(3), [](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 0) {
        const auto bomb = rt.create<Bomb>();
        bomb.migrate(2);
        bomb.send<&Bomb::explode>();
      }
      co_await rt.quiescence();
      ADD_FAILURE() << "the job went on";
    });
  }
  EXPECT_EQ(ended.status, 1);
  EXPECT_LT(ended.seconds, 1.0);
  EXPECT_NE(ended.report.find("rank 2, object 0:1, handler &"), std::string::npos) << ended.report;
  EXPECT_NE(ended.report.find("Bomb::explode: the fuse was 3"), std::string::npos) << ended.report;
  EXPECT_EQ(std::count(ended.report.begin(), ended.report.end(), '\n'), 1) << ended.report;
}

TEST_P(Errors, R2_an_exception_of_a_main_program_stops_the_job) {
  const Ended ended = run_job(options(2), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 1) throw std::runtime_error("no input");
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_EQ(ended.report, "roam: rank 1, main program: no input\n");
}

TEST_P(Errors, R2_a_program_may_handle_errors_itself) {
  std::atomic<int> handled{0};
  const Ended ended = run_job(options(2), [&](roam::Runtime& rt) -> roam::Task<> {
    rt.on_error([&](const std::string&) { ++handled; });
    co_await rt.quiescence();
    if (rt.rank() == 0) rt.create<Bomb>().send<&Bomb::explode>();
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 0) << ended.report;
  EXPECT_EQ(handled, 1);
}

TEST_P(Errors, M8_an_unawaited_call_to_nothing_is_reported) {
  const Ended ended = run_job(options(2), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) roam::mobile_ptr<Bomb>(roam::ObjectId(1, 99)).send<&Bomb::explode>();
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("object 1:99 does not exist"), std::string::npos) << ended.report;
  EXPECT_NE(ended.report.find("called by rank 0, handler &"), std::string::npos) << ended.report;
}

TEST_P(Errors, M10_objects_that_wait_for_each_other_are_named_instead_of_hanging) {
  const Ended ended = run_job(options(2), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto a = rt.create<Bomb>();
      const auto b = rt.create<Bomb>();
      b.migrate(1);
      (void)co_await a.call<&Bomb::ask>(b, a);  // a asks b, and b asks a, which waits
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("no progress is possible"), std::string::npos) << ended.report;
  EXPECT_NE(ended.report.find("rank 0: main program waits for the reply of &"), std::string::npos)
      << ended.report;
  EXPECT_NE(ended.report.find("rank 1: object 0:2, handler &"), std::string::npos) << ended.report;
}

/// A program that drops the Reply of a call that fails, in the way of `drop`.
template <class Drop>
roam::Runtime::Program dropping(Drop drop) {
  return [drop](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto bomb = rt.create<Bomb>();
      bomb.migrate(rt.size() - 1);
      co_await drop(bomb);
    }
    co_await rt.quiescence();
  };
}

TEST_P(Errors, R2_a_failure_whose_reply_was_dropped_stops_the_job) {
  const Ended before = run_job(options(2), dropping([](auto bomb) -> roam::Task<> {
                                 { const auto reply = bomb.template call<&Bomb::explode>(); }
                                 co_return;
                               }));
  EXPECT_EQ(before.status, 1);
  EXPECT_NE(before.report.find("Bomb::explode: the fuse was 3 (nobody awaits the answer)"),
            std::string::npos)
      << before.report;
  const Ended after =
      run_job(options(2), dropping([](auto bomb) -> roam::Task<> {
                const auto reply = bomb.template call<&Bomb::explode>();
                co_await roam::here().quiescence();  // the answer is here, and nobody looks at it
              }));
  EXPECT_EQ(after.status, 1);
  EXPECT_NE(after.report.find("the fuse was 3"), std::string::npos) << after.report;
}

TEST_P(Errors, R2_a_failure_may_be_ignored_and_counts_once) {
  const Ended ignored = run_job(options(2), dropping([](auto bomb) -> roam::Task<> {
                                  auto reply = bomb.template call<&Bomb::explode>();
                                  reply.ignore();
                                  co_return;
                                }));
  EXPECT_EQ(ignored.status, 0) << ignored.report;
  // One of two failures is handled; it is the reason why the other is not awaited.
  const Ended handled = run_job(options(2), dropping([](auto bomb) -> roam::Task<> {
                                  bool is_caught = false;
                                  try {
                                    auto first = bomb.template call<&Bomb::explode>();
                                    auto second = bomb.template call<&Bomb::explode>();
                                    co_await first;
                                    co_await second;
                                  } catch (const roam::RemoteError&) {
                                    is_caught = true;
                                  }
                                  EXPECT_TRUE(is_caught);
                                }));
  EXPECT_EQ(handled.status, 0) << handled.report;
}

TEST_P(Errors, R2_a_rank_that_cannot_be_set_up_is_an_exception_out_of_run) {
  roam::Options bad = options(3);
  bad.lb_data = "/proc/no/such/folder";
  try {
    (void)roam::run(bad, [](roam::Runtime&) -> roam::Task<> { co_return; });
    ADD_FAILURE() << "the job ran";
  } catch (const roam::Error& error) {
    EXPECT_NE(std::string(error.what()).find("--roam-lb-data: /proc/no/such/folder"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Jobs, Errors, ::testing::Bool(), [](const auto& tested) {
  return tested.param ? "simulated" : "in_process";
});

TEST(ErrorsInRealTime, R2_a_job_with_a_rank_in_a_long_handler_still_ends_within_a_second) {
  EXPECT_EXIT(
      {
        roam::run(real(2), [](roam::Runtime& rt) -> roam::Task<> {
          if (rt.rank() == 0) throw std::runtime_error("cannot go on");
          rt.compute(std::chrono::seconds(30));
          co_return;
        });
      },
      ::testing::ExitedWithCode(1), "rank 0, main program: cannot go on");
}

/// Prevents any further thread in this process: none gets so large a stack.
void forbid_threads() {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, std::size_t{1} << 47), 0);
  ASSERT_EQ(pthread_setattr_default_np(&attributes), 0);
}

int status_without_threads(roam::Options options) {
  forbid_threads();
  try {
    return 10 + roam::run(options, [](roam::Runtime&) -> roam::Task<> { co_return; });
  } catch (const roam::Error& error) {
    std::fprintf(stderr, "thrown: %s\n", error.what());
    return 20;
  }
}

TEST(ErrorsInRealTime, R2_threads_that_cannot_be_started_are_an_error_in_words) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  roam::Options ranks = real(3);
  EXPECT_EXIT(std::_Exit(status_without_threads(ranks)), ::testing::ExitedWithCode(20),
              "thrown: cannot start the thread that ends a job at a signal.*fewer --roam-ranks");
  ranks.catch_signals = false;
  EXPECT_EXIT(std::_Exit(status_without_threads(ranks)), ::testing::ExitedWithCode(20),
              "thrown: cannot start a thread for rank number 2 .*fewer --roam-ranks");
  roam::Options workers = real(1);
  workers.catch_signals = false;
  workers.workers = 3;
  EXPECT_EXIT(std::_Exit(status_without_threads(workers)), ::testing::ExitedWithCode(11),
              "roam: rank 0, .*cannot start the threads of a rank: .*fewer --roam-workers");
}

TEST(Misuse, using_objects_outside_of_a_job_is_an_error_in_words) {
  EXPECT_THROW((void)roam::here(), roam::Error);
  EXPECT_THROW(roam::mobile_ptr<Bomb>(roam::ObjectId(0, 1)).send<&Bomb::explode>(), roam::Error);
}

TEST(Misuse, R3_ranks_that_do_not_exist_are_named) {
  const Ended ended = run_job(real(2), [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) rt.create<Bomb>().migrate(7);
    co_return;
  });
  EXPECT_EQ(ended.status, 1);
  EXPECT_NE(ended.report.find("to rank 7; the job has ranks 0 to 1"), std::string::npos)
      << ended.report;
}

}  // namespace

}  // namespace errors_test
