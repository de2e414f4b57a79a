// SPDX-License-Identifier: Apache-2.0
// Exploration of users' programs: which errors are found, and how they are reported.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "roam/roam.hpp"
#include "roam/testing/check.hpp"
#include "roam/testing/explore.hpp"

namespace roam::testing::explore_test {
namespace {

struct Account {
  int balance = 0;
  void pay_in(int amount) { balance += amount; }
  void draw(int amount) {
    if (amount > balance) throw Error("overdrawn");
    balance -= amount;
  }
  [[nodiscard]] int read() const { return balance; }
  void write(int amount) { balance = amount; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(balance);
  }
};

/// State that all ranks share.
struct Bank {
  mobile_ptr<Account> account;
  int quiescences = 0;
  bool ended = false;
};

Scenario make_bank(Runtime::Program program) {
  Scenario scenario;
  const auto bank = std::make_shared<Bank>();
  scenario.state = bank;
  scenario.at_quiescence = [bank] { ++bank->quiescences; };
  scenario.at_end = [bank] {
    bank->ended = true;
    check(bank->quiescences == 2, "two quiescences were found");
  };
  scenario.program = std::move(program);
  return scenario;
}

Task<> pay_in_everywhere(Runtime& rt) {
  Bank& bank = state<Bank>();
  if (rt.rank() == 0) bank.account = rt.create<Account>();
  co_await rt.quiescence();
  for (int i = 0; i < 5; ++i) bank.account.send<&Account::pay_in>(1);
  co_await rt.quiescence();
  const int balance = co_await bank.account.call<&Account::read>();
  check(balance == 5 * rt.size(), "all that was paid in is there");
}

// The classical mistake: the value that was read is outdated when it is written.
Task<> read_and_write(Runtime& rt) {
  Bank& bank = state<Bank>();
  if (rt.rank() == 0) bank.account = rt.create<Account>();
  co_await rt.quiescence();
  const int balance = co_await bank.account.call<&Account::read>();
  bank.account.send<&Account::write>(balance + 1);
  co_await rt.quiescence();
  const int sum = co_await bank.account.call<&Account::read>();
  check(sum == rt.size(), "no payment is lost");
}

// Correct only if rank 0's message comes before rank 1's.
Task<> draw_too_early(Runtime& rt) {
  Bank& bank = state<Bank>();
  if (rt.rank() == 0) bank.account = rt.create<Account>();
  co_await rt.quiescence();
  if (rt.rank() == 0) bank.account.send<&Account::pay_in>(10);
  if (rt.rank() == 1) bank.account.send<&Account::draw>(5);
  co_await rt.quiescence();
}

Report explore_bank(Runtime::Program program, ExploreOptions options = {}) {
  return explore(options, [program](Schedule&) { return make_bank(program); });
}

TEST(Explore, a_correct_program_passes) {
  ExploreOptions options;
  options.schedules = 300;
  const Report report = explore_bank(pay_in_everywhere, options);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_EQ(report.totals().schedules, 300U);
  EXPECT_GT(report.totals().migrations, 300U);
  EXPECT_GT(report.totals().refused, 10U);
}

TEST(Explore, a_lost_update_is_found) {
  const Report report = explore_bank(read_and_write);
  ASSERT_FALSE(report.ok());
  EXPECT_EQ(report.failure()->promise, "check");
  EXPECT_EQ(report.failure()->what, "no payment is lost");
}

TEST(Explore, a_race_is_found_and_told_in_a_few_decisions) {
  ExploreOptions options;
  options.failure_file = ::testing::TempDir() + "/race.txt";
  const Report report = explore_bank(draw_too_early, options);
  ASSERT_FALSE(report.ok());
  const Failure& failure = *report.failure();
  EXPECT_EQ(failure.promise, "error");
  EXPECT_NE(failure.what.find("overdrawn"), std::string::npos) << report;
  EXPECT_GE(failure.disturbances, failure.decisions.size());
  EXPECT_LE(failure.decisions.size(), 8U) << report;
  ASSERT_FALSE(failure.timeline.empty());
  std::ostringstream told;
  told << failure;
  EXPECT_NE(told.str().find("seed " + std::to_string(failure.seed)), std::string::npos);
  EXPECT_NE(told.str().find("object 0:1: created"), std::string::npos) << report;
  std::ostringstream written;
  written << std::ifstream(options.failure_file).rdbuf();
  EXPECT_EQ(written.str(), told.str());
}

TEST(Explore, a_failing_seed_fails_again_when_replayed) {
  const Report report = explore_bank(draw_too_early);
  ASSERT_FALSE(report.ok());
  const Replay replay = report.replay(report.failure()->seed);
  EXPECT_EQ(replay.promise, report.failure()->promise);
  EXPECT_EQ(replay.decisions.size(), report.failure()->disturbances);
}

TEST(Explore, without_disturbances_everything_is_neutral) {
  ExploreOptions options;
  options.schedules = 50;
  for (Disturbance* disturbance :
       {&options.late_messages, &options.late_steps, &options.slow_ranks, &options.shuffled_ties,
        &options.preemptions, &options.migrations, &options.refusals, &options.actions})
    disturbance->share = 0;
  const Report report = explore_bank(pay_in_everywhere, options);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_EQ(report.totals().migrations, 0U);
  EXPECT_EQ(report.totals().preemptions, 0U);
  EXPECT_TRUE(report.replay(7).decisions.empty());
}

Task<> wait_for_ever(Runtime& rt) {
  if (rt.rank() == 0) {
    struct Never {
      [[nodiscard]] bool await_ready() const { return false; }
      void await_suspend(std::coroutine_handle<>) const {}
      void await_resume() const {}
    };
    co_await Never();
  }
  co_await rt.quiescence();
}

TEST(Explore, a_job_that_comes_to_no_end_is_found) {
  ExploreOptions options;
  options.schedules = 1;
  options.ranks = {2, 2};
  options.most_replays = 3;
  const Report report = explore(options, Runtime::Program(wait_for_ever));
  ASSERT_FALSE(report.ok());
  EXPECT_TRUE(report.failure()->promise == "error" || report.failure()->promise == "M10") << report;
}

TEST(Explore, the_scenarios_own_actions_are_done) {
  ExploreOptions options;
  options.schedules = 200;
  options.actions.share = 0.2;
  int done = 0;
  const Report report = explore(options, [&](Schedule&) {
    Scenario scenario = make_bank([](Runtime& rt) -> Task<> {
      rt.on_dead_letter([](const std::string&) {});
      Bank& bank = state<Bank>();
      if (rt.rank() == 0) bank.account = rt.create<Account>();
      co_await rt.quiescence();
      for (int i = 0; i < 5; ++i) bank.account.send<&Account::pay_in>(1);
      co_await rt.quiescence();
    });
    scenario.actions.push_back({"destroy the account", [&done](Runtime& rt, core::Random&) {
                                  if (state<Bank>().account)
                                    rt.objects().destroy(state<Bank>().account.id());
                                  ++done;
                                }});
    return scenario;
  });
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_GT(done, 100);
  EXPECT_GT(report.totals().dead_calls, 50U);
}

TEST(Explore, several_threads_explore_at_once) {
  std::vector<std::thread> threads;
  std::vector<int> passed(4, 0);
  for (std::size_t t = 0; t < passed.size(); ++t) {
    threads.emplace_back([&passed, t] {
      ExploreOptions options;
      options.schedules = 50;
      options.first_seed = 1000 * t;
      passed[t] = explore_bank(pay_in_everywhere, options).ok() ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(passed, std::vector<int>(4, 1));
}

TEST(Explore, options_out_of_range_are_refused) {
  ExploreOptions options;
  options.ranks = {3, 2};
  EXPECT_THROW(static_cast<void>(explore_bank(pay_in_everywhere, options)), ConfigError);
  options = {};
  options.migrations.share = 1.5;
  EXPECT_THROW(static_cast<void>(explore_bank(pay_in_everywhere, options)), ConfigError);
  options = {};
  options.balancers.clear();
  EXPECT_THROW(static_cast<void>(explore_bank(pay_in_everywhere, options)), ConfigError);
}

TEST(Explore, a_check_outside_of_a_schedules_throws) {
  EXPECT_NO_THROW(check(true, "nothing"));
  EXPECT_THROW(check(false, "something"), Error);
  EXPECT_THROW(static_cast<void>(current_state()), Error);
}

}  // namespace
}  // namespace roam::testing::explore_test
