// SPDX-License-Identifier: Apache-2.0
// Helpers: ranks that do not run the program, compute tasks of those that do, and may be lost.
#include <gmock/gmock.h>

#include <string>
#include <utility>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload::helpers_test {

namespace {

using ::testing::HasSubstr;

constexpr Duration task_time = std::chrono::microseconds(100);

int doubled(int value) {
  here().compute(task_time);
  return 2 * value;
}

void ignore(int) {}
void sends_a_message() { here().send<&ignore>(0, 1); }

SimulatedJobOptions with_helpers(std::int32_t ranks, std::int32_t helpers,
                                 const std::string& strategy) {
  SimulatedJobOptions options = testing::simulated(ranks + helpers);
  options.options.helpers = helpers;
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  return options;
}

/// Rank 0 has 40 tasks in each of `steps` steps. Returns the time of the last one.
struct Work {
  double last_seconds = 0;
  std::uint64_t returned = 0;
  std::uint64_t lost = 0;

  Task<> operator()(Runtime& rt, int steps) {
    for (int step = 0; step < steps; ++step) {
      const Instant begin = rt.now();
      std::vector<Result<int>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 40 : 0); ++i) results.push_back(spawn<&doubled>(rt, i));
      const std::vector<int> values = co_await when_all(std::move(results));
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 2 * static_cast<int>(i)) throw Error("the result of another task");
      co_await rt.barrier();
      next_step(rt);
      if (rt.rank() == 0) last_seconds = seconds(rt.now() - begin);
    }
    if (rt.rank() != 0) co_return;
    returned = Offloader::of(rt).tasks().counts().returned;
    lost = Offloader::of(rt).tasks().counts().lost;
  }
};

TEST(Helpers, O7_are_no_ranks_of_the_job) {
  SimulatedJob job(with_helpers(2, 2, "none"));
  std::vector<int> runs(4);
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    ++runs[rt.rank().index()];
    if (rt.size() != 2) throw Error("helpers are counted as ranks");
    if (co_await rt.allreduce<std::plus<>>(1) != 2) throw Error("helpers take part");
    co_await rt.quiescence();
    std::string refusal;
    try {
      rt.send<&ignore>(2, 1);
    } catch (const Error& error) {
      refusal = error.what();
    }
    if (refusal.find("ranks 0 to 1") == std::string::npos) throw Error("it was sent: " + refusal);
  })) << job.error();
  EXPECT_EQ(runs, std::vector<int>({1, 1, 0, 0}));
}

TEST(Helpers, compute_what_a_strategy_gives_them) {
  // Alone rank 0 would take 4 ms, with all helpers 1 ms.
  constexpr std::pair<const char*, double> limits[] = {
      {"auto", 1.3e-3}, {"reactive", 2.2e-3}, {"diffusion", 2.2e-3}};
  for (const auto& [strategy, limit] : limits) {
    SimulatedJob job(with_helpers(1, 3, strategy));
    Work work;
    EXPECT_TRUE(job.run([&](Runtime& rt) { return work(rt, 30); })) << job.error();
    EXPECT_LT(work.last_seconds, limit) << strategy;
  }
}

TEST(Helpers, O7_are_lost_and_their_tasks_are_computed_elsewhere) {
  SimulatedJob job(with_helpers(1, 3, "auto"));
  Work work;
  // The first one, so that the numbers of the others change for the strategy.
  job.set_interruption([&](std::uint64_t) {
    if (job.now() > Instant(std::chrono::milliseconds(30)))
      job.lose(1, std::chrono::microseconds(20));
  });
  EXPECT_TRUE(job.run([&](Runtime& rt) { return work(rt, 60); })) << job.error();
  EXPECT_GT(work.lost, 0U);
  EXPECT_EQ(Offloader::of(job.runtime(0)).lost_helpers().count(), 1U);
  EXPECT_THAT(
      Offloader::of(job.runtime(0)).lost_helpers().sentences(),
      ::testing::ElementsAre(HasSubstr("helper 1 was lost: it was lost in the simulation")));
  EXPECT_LT(work.last_seconds, 1.7e-3);  // two are left: 1.33 ms
}

TEST(Helpers, O7_may_all_be_lost) {
  SimulatedJob job(with_helpers(1, 2, "auto"));
  Work work;
  job.set_interruption([&](std::uint64_t) {
    for (const std::int32_t helper : {1, 2})
      if (job.now() > Instant(std::chrono::milliseconds(10 * helper)))
        job.lose(helper, std::chrono::microseconds(20));
  });
  EXPECT_TRUE(job.run([&](Runtime& rt) { return work(rt, 30); })) << job.error();
  EXPECT_NEAR(work.last_seconds, 4e-3, 0.1e-3);
}

TEST(Helpers, cannot_send_messages_from_within_a_task) {
  SimulatedJob job(with_helpers(1, 1, "auto"));
  std::string failure;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    const Quota quota{0, 1, 10};
    Offloader::of(rt).tasks().set_quotas({&quota, 1});
    std::vector<Result<void>> results;
    for (int i = 0; i < 20; ++i) results.push_back(spawn<&sends_a_message>(rt));
    for (Result<void>& result : results) {
      try {
        co_await result;
      } catch (const Error& error) {
        failure = error.what();
      }
    }
  })) << job.error();
  EXPECT_THAT(failure, HasSubstr("cannot send messages"));
}

TEST(Helpers, are_fewer_than_all_ranks) {
  EXPECT_THROW(SimulatedJob{with_helpers(0, 2, "auto")}, ConfigError);
}

TEST(Helpers, alone_may_be_lost) {
  SimulatedJob job(with_helpers(2, 1, "auto"));
  EXPECT_THROW(job.lose(1, Duration(0)), Error);
}

}  // namespace

}  // namespace roam::offload::helpers_test
