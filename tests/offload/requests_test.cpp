// SPDX-License-Identifier: Apache-2.0
// Ranks that run out of tasks within a step ask others for some.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "roam/offload/offload.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::offload::requests_test {

namespace {

using std::chrono::milliseconds;
using ::testing::Each;

int doubled(int value, int time) {
  here().compute(milliseconds(time));
  return 2 * value;
}

/// No quotas; whoever asks gets up to four tasks of each rank in a step. Rank 2 may not ask.
class OnRequest final : public Strategy {
 public:
  [[nodiscard]] std::vector<Quota> decide(const StepView&) override { return {}; }
  [[nodiscard]] std::uint32_t tasks_on_request() const override { return 4; }
  [[nodiscard]] std::vector<Blacklisted> blacklisted() const override { return {{.rank = 2}}; }
};
const StrategyRegistrar on_request{
    {.name = "test_on_request",
     .description = "for tests",
     .parameters = {},
     .create = [](const plugin::Parameters&, std::int32_t) -> std::unique_ptr<Strategy> {
       return std::make_unique<OnRequest>();
     }}};

struct Steps {
  std::vector<double> seconds;
  std::vector<HomeCounts> home;  // by rank, at the end
  std::vector<std::uint64_t> guests;
  double messages = 0;
};

/// Runs steps in which each rank has tasks of so many milliseconds.
Steps run(SimulatedJobOptions options, const std::string& strategy, int steps,
          const std::function<std::vector<int>(int rank, int step)>& tasks_of) {
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  SimulatedJob job(options);
  const auto ranks = static_cast<std::size_t>(options.options.simulate->ranks);
  Steps result{.seconds = {},
               .home = std::vector<HomeCounts>(ranks),
               .guests = std::vector<std::uint64_t>(ranks)};
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < steps; ++step) {
      const Instant begin = rt.now();
      std::vector<Result<int>> results;
      const std::vector<int> tasks = tasks_of(rt.rank().value(), step);
      for (std::size_t i = 0; i < tasks.size(); ++i)
        results.push_back(spawn<&doubled>(rt, static_cast<int>(i), tasks[i]));
      const std::vector<int> values = co_await when_all(std::move(results));
      for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i] != 2 * static_cast<int>(i)) throw Error("a result of another task");
      co_await rt.barrier();
      if (rt.rank() == 0) result.seconds.push_back(seconds(rt.now() - begin));
      next_step(rt);
    }
    co_await rt.quiescence();
    result.home[rt.rank().index()] = Offloader::of(rt).tasks().counts();
    result.guests[rt.rank().index()] = Offloader::of(rt).guests().counts().computed;
  })) << job.error();
  return result;
}

double mean_from(const std::vector<double>& seconds, std::size_t first) {
  double sum = 0;
  for (std::size_t i = first; i < seconds.size(); ++i) sum += seconds[i];
  return sum / static_cast<double>(seconds.size() - first);
}

TEST(Requests, a_rank_that_runs_out_gets_tasks_of_one_that_has_more) {
  const Steps steps = run(testing::simulated(2), "test_on_request", 6,
                          [](int rank, int) { return std::vector<int>(rank == 0 ? 12 : 6, 1); });
  EXPECT_EQ(steps.seconds.size(), 6U);
  // 9 ms would be even; the first step comes before the first decision.
  EXPECT_NEAR(mean_from(steps.seconds, 1), 9e-3, 0.5e-3);
  EXPECT_EQ(steps.home[0].recomputed, 0U);
}

TEST(Requests, no_rank_gets_more_than_it_may) {
  const Steps steps = run(testing::simulated(2), "test_on_request", 6,
                          [](int rank, int) { return std::vector<int>(rank == 0 ? 40 : 0, 1); });
  EXPECT_LE(steps.home[0].given, 6U * 4U);
  EXPECT_GE(steps.home[0].given, 5U * 3U);
  EXPECT_EQ(steps.guests[1], steps.home[0].returned);
}

TEST(Requests, ranks_that_the_strategy_has_excluded_do_not_ask) {
  const Steps steps = run(testing::simulated(4), "test_on_request", 6,
                          [](int rank, int) { return std::vector<int>(rank == 0 ? 40 : 2, 1); });
  EXPECT_GT(steps.guests[1], 0U);
  EXPECT_EQ(steps.guests[2], 0U);
  EXPECT_GT(steps.guests[3], 0U);
}

TEST(Requests, what_would_come_back_later_than_it_is_done_at_home_stays) {
  SimulatedJobOptions far = testing::simulated(2);
  far.options.simulate->network.front().latency_seconds = 20e-3;
  const auto tasks_of = [](int rank, int) { return std::vector<int>(rank == 0 ? 12 : 2, 1); };
  // Until the first one has travelled, nobody knows that they are far away.
  EXPECT_LE(run(far, "test_on_request", 8, tasks_of).home[0].given, 4U);
  far.options.simulate->network.front().latency_seconds = 20e-6;
  EXPECT_GE(run(far, "test_on_request", 8, tasks_of).home[0].given, 7U * 4U);
}

TEST(Requests, of_tasks_of_unequal_length_one_is_given_that_makes_both_ranks_equal) {
  // In the order in which they are given when they are equal, the last one would be the first to
  // go.
  const Steps steps = run(testing::simulated(2), "test_on_request", 8, [](int rank, int) {
    return rank == 0 ? std::vector<int>{1, 4, 4, 4, 8, 1, 1, 1} : std::vector<int>{1, 1, 1, 1};
  });
  EXPECT_NEAR(mean_from(steps.seconds, 4), 14e-3, 1.2e-3);
}

TEST(Requests, even_loads_stay_and_cost_nothing) {
  const auto tasks_of = [](int, int) { return std::vector<int>(10, 1); };
  const Steps alone = run(testing::simulated(8), "none", 6, tasks_of);
  const Steps asking = run(testing::simulated(8), "test_on_request", 6, tasks_of);
  EXPECT_LT(mean_from(asking.seconds, 1), 1.005 * mean_from(alone.seconds, 1));
  for (const HomeCounts& home : asking.home) EXPECT_EQ(home.shipped, 0U);
}

TEST(Requests, auto_evens_out_loads_that_are_elsewhere_in_each_step) {
  // Quotas come too late: they are those of the ranks that had most to do before.
  const auto tasks_of = [](int rank, int step) {
    const bool has_most = rank == (7 * step * step + step) % 4;
    return std::vector<int>(16, has_most ? 6 : 2);
  };
  const Steps alone = run(testing::simulated(4), "none", 30, tasks_of);
  const Steps shared = run(testing::simulated(4), "auto", 30, tasks_of);
  EXPECT_LT(mean_from(shared.seconds, 8), 0.65 * mean_from(alone.seconds, 8));  // 0.5 is possible
}

}  // namespace

}  // namespace roam::offload::requests_test
