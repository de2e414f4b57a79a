// SPDX-License-Identifier: Apache-2.0
// What other libraries for offloading got wrong: numbers of tasks and ranks that overflow small
// integers, tasks that a victim does not know, victims that delay several ranks at once, and steps
// of which not all ranks have reported.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "offload/strategies/blacklist.hpp"
#include "roam/core/error.hpp"
#include "roam/offload/offload.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/roam.hpp"
#include "roam/trace/run_trace.hpp"
#include "support/simulated.hpp"

namespace roam::offload::traps_test {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Duration task_time = microseconds(100);

SimulatedJobOptions with_strategy(std::int32_t ranks, const std::string& strategy) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  return options;
}

/// Where and for which number a task was computed.
struct Computed {
  std::uint32_t number = 0;
  std::int32_t rank = -1;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(number, rank);
  }
};

Computed computed(std::uint32_t number) {
  here().compute(task_time);
  return {number, here().rank().value()};
}

TEST(Traps, O1_more_tasks_than_16_bits_can_count_complete_once_each) {
  constexpr std::uint32_t tasks = 70'000;
  constexpr Quota most_of_them{0, 1, 67'000};
  SimulatedJobOptions options = with_strategy(2, "auto");
  options.options.edit<OffloadOptions>().guest_memory_bytes = std::int64_t{1} << 40;
  options.options.edit<OffloadOptions>().recompute = false;  // so that all of them come back
  SimulatedJob job(options);
  std::vector<std::uint8_t> completions(tasks);
  std::uint64_t sum = 0;
  HomeCounts home;
  std::vector<Flow> flows;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    HomeTasks& own = Offloader::of(rt).tasks();
    if (rt.rank() == 0) {
      own.set_quotas({&most_of_them, 1});
      std::vector<Result<void>> done;
      for (std::uint32_t i = 0; i < tasks; ++i) {
        const auto note = [&](const Computed& result) {
          ++completions[result.number];
          sum += result.number;
        };
        done.push_back(spawn_then<&computed>(rt, note, i));
      }
      co_await when_all(std::move(done));
    }
    co_await rt.quiescence();
    if (rt.rank() != 0) co_return;
    home = own.counts();
    flows = own.begin_step();
  })) << job.error();
  EXPECT_THAT(completions, Each(1));
  EXPECT_EQ(sum, std::uint64_t{tasks} * (tasks - 1) / 2);
  EXPECT_EQ(home.spawned, tasks);
  EXPECT_EQ(home.shipped, most_of_them.tasks);
  EXPECT_EQ(home.returned, most_of_them.tasks);
  EXPECT_EQ(home.computed, tasks - most_of_them.tasks);
  ASSERT_EQ(flows.size(), 1U);
  EXPECT_EQ(flows[0].offloaded, most_of_them.tasks);
}

/// Runs three steps of 1,100 ranks, of which each tenth has most tasks and those beyond 1,050 have
/// least.
void expect_one_completion_each_on_many_ranks(const std::string& strategy) {
  constexpr std::int32_t ranks = 1'100;
  constexpr std::int32_t first_beyond = 1'024;
  constexpr std::uint32_t steps = 3;
  const auto tasks_of = [](std::int32_t rank) {
    if (rank % 10 == 9) return 8U;
    return rank < 1'050 ? 2U : 0U;
  };
  SimulatedJob job(with_strategy(ranks, strategy));
  std::uint64_t wrong = 0;
  std::uint64_t spawned = 0;
  std::uint64_t completed = 0;
  std::set<std::int32_t> givers;
  std::set<std::int32_t> victims;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    const std::int32_t self = rt.rank().value();
    for (std::uint32_t step = 0; step < steps; ++step) {
      std::vector<Result<Computed>> results;
      for (std::uint32_t i = 0; i < tasks_of(self); ++i) results.push_back(spawn<&computed>(rt, i));
      spawned += results.size();
      std::uint32_t expected = 0;
      for (const Computed& one : co_await when_all(std::move(results))) {
        if (one.number != expected++) ++wrong;
        ++completed;
        if (one.rank == self) continue;
        givers.insert(self);
        victims.insert(one.rank);
      }
      co_await rt.barrier();
      next_step(rt);
    }
  })) << job.error();
  EXPECT_EQ(wrong, 0U);
  EXPECT_EQ(completed, spawned);
  // All but a few of the 110 ranks that have most give some away.
  EXPECT_GT(givers.size(), 100U);
  ASSERT_GT(victims.size(), 200U);
  EXPECT_GT(*givers.rbegin(), first_beyond);
  EXPECT_GT(*victims.rbegin(), first_beyond);
}

TEST(Traps, O1_tasks_of_more_than_a_thousand_ranks_complete_once_each) {
  expect_one_completion_each_on_many_ranks("auto");  // by quotas and on request
  expect_one_completion_each_on_many_ranks("ccp");   // by quotas alone
}

/// A task whose function the victim does not find, as if a library with it had been loaded on the
/// task's own rank alone.
class Unknown final : public detail::FunctionTask<&computed, Computed> {
 public:
  using FunctionTask::FunctionTask;
  void ship(Rank victim, Shipped head) override {
    while (TaskFunctionRegistrar::find(head.function) != nullptr) ++head.function;
    messenger().post(victim, head);
  }

 protected:
  void call() override { this->value_.emplace(this->apply()); }

 private:
  ~Unknown() override = default;
};

TEST(Traps, O2_a_task_that_its_victim_does_not_know_fails_with_one_error_that_names_the_victim) {
  constexpr Quota all{0, 2, 4};
  SimulatedJob job(with_strategy(3, "auto"));
  std::vector<std::string> errors;
  bool is_known_one_computed = false;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      Offloader& offloader = Offloader::of(rt);
      std::vector<Result<Computed>> results;
      // The first one stays, since it keeps the worker busy.
      results.push_back(spawn<&computed>(rt, 7U));
      offloader.tasks().set_quotas({&all, 1});
      auto* const task = new Unknown(offloader, 8U);
      results.emplace_back(task);
      offloader.tasks().submit(task);
      for (Result<Computed>& result : results) {
        try {
          is_known_one_computed = (co_await result).number == 7;
        } catch (const RemoteError& error) {
          errors.emplace_back(error.what());
        }
      }
    }
    co_await rt.quiescence();
  })) << job.error();
  EXPECT_TRUE(is_known_one_computed);
  ASSERT_EQ(errors.size(), 1U);
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 2"), HasSubstr("computed"),
                               HasSubstr("has it loaded the same libraries?")));
}

TEST(Traps, a_victim_that_delays_many_ranks_at_once_is_listed_as_one_that_delays_a_single_rank) {
  // All of a step: of one rank, of many, and for several reasons.
  const std::vector<Emergency> of_one = {{3, 1}};
  const std::vector<Emergency> of_many = {
      {3, 40}, {3, 7}, {3, 2, EmergencyReason::no_memory}, {3, 9, EmergencyReason::late_own_data}};
  const auto steps_until_back = [](const std::vector<Emergency>& step, int steps) {
    Blacklist list;
    for (int i = 0; i < steps; ++i) list.update(step);
    int more = 0;
    for (; list.has(3); ++more) list.update({});
    return more;
  };
  EXPECT_EQ(steps_until_back(of_one, 1), 7);
  EXPECT_EQ(steps_until_back(of_many, 1), 7);
  // Steps add up: 1 + 0.9 + 0.81 is below 0.5 after 17 more.
  EXPECT_EQ(steps_until_back(of_one, 3), 17);
  EXPECT_EQ(steps_until_back(of_many, 3), 17);
}

/// Ranks 0 and 1 give tasks to rank 2, unless it is on the blacklist.
class BothToOne final : public Strategy {
 public:
  [[nodiscard]] std::vector<Quota> decide(const StepView& step) override {
    blacklist_.update(step.emergencies);
    if (blacklist_.has(2)) return {};
    return {{0, 2, 2}, {1, 2, 2}};
  }
  [[nodiscard]] std::vector<Blacklisted> blacklisted() const override { return blacklist_.ranks(); }

 private:
  Blacklist blacklist_;
};
const StrategyRegistrar both_to_one{
    {.name = "test_both_to_one",
     .description = "for tests",
     .parameters = {},
     .create = [](const plugin::Parameters&, std::int32_t) -> std::unique_ptr<Strategy> {
       return std::make_unique<BothToOne>();
     }}};

TEST(Traps, O6_a_victim_that_pauses_while_two_ranks_wait_for_it_is_back_within_ten_steps) {
  SimulatedJob job(with_strategy(3, "test_both_to_one"));
  std::vector<trace::OffloadStep> records;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 30; ++step) {
      std::vector<Result<Computed>> results;
      for (std::uint32_t i = 0; rt.rank() != 2 && i < 10; ++i)
        results.push_back(spawn<&computed>(rt, i));
      if (rt.rank() == 2 && step == 5) rt.compute(milliseconds(50));
      co_await when_all(std::move(results));
      co_await rt.barrier();
      next_step(rt);
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) records = Offloader::of(rt).step_records();
  })) << job.error();
  std::uint64_t most_at_once = 0;
  std::vector<std::uint64_t> listed;
  for (const trace::OffloadStep& step : records) {
    most_at_once = std::max(most_at_once, step.emergencies);
    if (!step.blacklisted.empty()) listed.push_back(step.step);
  }
  EXPECT_EQ(most_at_once, 2U) << "both ranks were delayed";
  // One step after another, as if a single rank had been delayed.
  EXPECT_EQ(listed.size(), 7U);
  ASSERT_FALSE(listed.empty());
  EXPECT_EQ(listed.back() - listed.front() + 1, listed.size());
  EXPECT_GT(records.back().offloaded, 0U);
}

const std::vector<std::string> strategies = {
    "auto", "ccp", "diffusion", "diffusion:start=ccp", "reactive", "reactive:start=ccp,pairs=3"};

TEST(Traps, no_strategy_gives_tasks_away_while_nothing_has_been_measured) {
  std::vector<RankStep> ranks(3);
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i].rank = static_cast<std::int32_t>(i);
  const std::vector<Wait> waits = {{0, 1, 0.5F}, {2, 1, 0.25F}};
  for (const std::string& name : strategies) {
    const auto strategy = make_strategy(parse_plugin_choice(name), 3);
    EXPECT_THAT(strategy->decide({.step = 0, .ranks = ranks, .waits = {}, .emergencies = {}}),
                IsEmpty())
        << name;
    // Ranks have waited, but nobody has had a task.
    EXPECT_THAT(strategy->decide({.step = 1, .ranks = ranks, .waits = waits, .emergencies = {}}),
                IsEmpty())
        << name;
  }
}

TEST(Traps, tasks_stay_until_all_ranks_have_reported_a_step_and_go_soon_after) {
  // Rank 0 has most to do, and rank 2 begins to report after many steps. Nobody waits for it.
  constexpr int joins = 12;
  constexpr int steps = joins + 12;
  for (const std::string& name : strategies) {
    SimulatedJob job(with_strategy(3, name));
    std::vector<std::uint64_t> shipped(steps);
    std::uint64_t decided = 0;
    EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
      for (int step = 0; step < steps; ++step) {
        std::vector<Result<Computed>> results;
        const std::uint32_t tasks = rt.rank() == 0 ? 30 : 0;
        for (std::uint32_t i = 0; i < tasks; ++i) results.push_back(spawn<&computed>(rt, i));
        std::uint32_t expected = 0;
        for (const Computed& one : co_await when_all(std::move(results)))
          if (one.number != expected++) throw Error("a result of another task");
        co_await rt.barrier();
        if (rt.rank() == 0)
          shipped[static_cast<std::size_t>(step)] = Offloader::of(rt).tasks().counts().shipped;
        if (rt.rank() != 2 || step >= joins) next_step(rt);
      }
      co_await rt.quiescence();
      if (rt.rank() == 0) decided = Offloader::of(rt).steps_decided();
    })) << name
        << ": " << job.error();
    EXPECT_EQ(shipped[joins], 0U) << name;
    EXPECT_GT(shipped.back(), 0U) << name;
    // From then on, each step is decided.
    EXPECT_GE(decided + 1, std::uint64_t{steps - joins}) << name;
  }
}

std::vector<double> large_result(std::uint32_t number) {
  here().compute(task_time);
  return std::vector<double>(1 << 17, number);
}

TEST(Traps, O4_memory_for_results_is_reserved_where_tasks_wait) {
  SimulatedJobOptions options = with_strategy(2, "auto");
  constexpr std::uint64_t limit = 4 << 20;  // three results of 1 MiB and what brings their tasks
  options.options.edit<OffloadOptions>().guest_memory_bytes = limit;
  SimulatedJob job(options);
  HomeCounts home;
  GuestCounts guests;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 8; ++step) {
      std::vector<Result<std::vector<double>>> results;
      for (std::uint32_t i = 0; i < (rt.rank() == 0 ? 60U : 0U); ++i)
        results.push_back(spawn<&large_result>(rt, i));
      std::uint32_t expected = 0;
      for (const std::vector<double>& one : co_await when_all(std::move(results)))
        if (one.back() != expected++) throw Error("a result of another task");
      co_await rt.barrier();
      next_step(rt);
    }
    if (rt.rank() == 0) home = Offloader::of(rt).tasks().counts();
    if (rt.rank() == 1) guests = Offloader::of(rt).guests().counts();
  })) << job.error();
  EXPECT_GT(home.returned, 20U);
  EXPECT_GT(home.refused, 0U);
  EXPECT_GT(guests.most_bytes, std::uint64_t{1} << 20);
  EXPECT_LE(guests.most_bytes, limit);
}

}  // namespace

}  // namespace roam::offload::traps_test
