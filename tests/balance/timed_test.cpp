// SPDX-License-Identifier: Apache-2.0
// Phases by time (--roam-phase-length): strategies in programs that declare no phases. B1 to B6.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/balance/registry.hpp"
#include "roam/core/error.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::timed_test {

struct Worker {
  int runs = 0;
  roam::mobile_ptr<Worker> self;
  void work(double seconds) {
    ++runs;
    roam::here().compute(roam::from_seconds(seconds));
  }
  /// Works, and is then called again, so that nothing announces how much is to come.
  void go_on(double seconds, int times) {
    work(seconds);
    if (times > 1) self.send<&Worker::go_on>(seconds, times - 1);
  }
  void set_self(roam::mobile_ptr<Worker> pointer) { self = pointer; }
  [[nodiscard]] int count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runs, self);
  }
};

/// Handlers of the rank, one per second.
void toil(int seconds) {
  roam::here().compute(std::chrono::seconds(1));
  if (seconds > 1) roam::here().send<&toil>(roam::here().rank(), seconds - 1);
}

namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Setting {
  std::string balancer = "refine";
  std::string models = "persistence";
  std::int32_t ranks = 8;
  WorkerIndex workers = 1;
  double interval = 0.05;
  std::uint64_t seed = 1;
  bool costs_given = true;
  bool enabled = true;
  std::vector<double> speeds = {1};
};

struct Outcome {
  double seconds = 0;
  std::uint64_t migrations = 0;
  std::uint64_t messages = 0;
  std::vector<Decision> decisions;
};

using Program = std::function<Task<>(Runtime&)>;

Outcome simulate(const Setting& setting, const Program& program) {
  SimulatedJobOptions job_options;
  Options& options = job_options.options;
  options.simulate.emplace();
  options.simulate->ranks = setting.ranks;
  options.simulate->workers_per_rank = setting.workers;
  options.simulate->speeds = setting.speeds;
  options.balancer = parse_plugin_choice(setting.balancer);
  options.load_model = parse_plugin_stack(setting.models);
  options.phase_length_seconds = setting.balancer == "none" ? 0 : setting.interval;
  options.seed = setting.seed;
  if (setting.seed > 1) {
    job_options.message_delay = std::chrono::microseconds(50);
    job_options.reorder = job_options.shuffle_ties = true;
  }
  SimulatedJob job(job_options);
  EXPECT_TRUE(job.run([&](Runtime& rt) {
    rt.enable_balancing(setting.enabled);
    return program(rt);
  })) << job.error();
  Outcome outcome;
  outcome.seconds = seconds(job.now());
  for (std::int32_t r = 0; r < setting.ranks; ++r) {
    Runtime& rt = job.runtime(r);
    outcome.migrations += rt.statistics().migrations_out;
    outcome.messages += rt.balancer().stats().messages_sent;
    for (const Decision& d : rt.balancer().decisions()) outcome.decisions.push_back(d);
  }
  return outcome;
}

/// All objects and their work are on rank 0 when the program starts.
Program all_on_rank_0(const Setting& setting) {
  return [&setting](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Worker>> all;
    for (int i = 0; rt.rank() == 0 && i < 20 * setting.ranks; ++i) {
      const double cost = 0.02 * (1 + i % 7);
      all.push_back(rt.create<Worker>());
      all.back().send_with<&Worker::work>({.cost_seconds = setting.costs_given ? cost : -1}, cost);
    }
    co_await rt.quiescence();
    for (const auto& worker : all) {
      if (co_await worker.call<&Worker::count>() != 1) throw Error("a call was lost or repeated");
    }
  };
}

constexpr double ideal_of_all_on_rank_0 = 20 * 0.02 * 4;

/// The work of each object comes call by call, three times as much on the ranks of the upper half;
/// at most one call of each object waits at a time.
Program coming() {
  return [](Runtime& rt) -> Task<> {
    constexpr int times = 2000;
    std::vector<mobile_ptr<Worker>> mine;
    for (int i = 0; i < 10; ++i) {
      mine.push_back(rt.create<Worker>());
      mine.back().send<&Worker::set_self>(mine.back());
      const double factor = 2 * rt.rank().value() >= rt.size() ? 3 : 1;
      mine.back().send<&Worker::go_on>(factor * 1e-4, times);
    }
    co_await rt.quiescence();
    for (const auto& worker : mine) {
      if (co_await worker.call<&Worker::count>() != times)
        throw Error("a call was lost or repeated");
    }
  };
}

class Timed : public ::testing::TestWithParam<const char*> {};

// Only one rank has work: the time that has run in an interval is no measure here, the work that
// waits is.
TEST_P(Timed, B1_spreads_what_waits_on_one_rank) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Setting setting{.balancer = GetParam(), .seed = seed, .costs_given = seed % 2 == 0};
    const Outcome outcome = simulate(setting, all_on_rank_0(setting));
    EXPECT_LT(outcome.seconds, 1.3 * ideal_of_all_on_rank_0) << seed;
    EXPECT_GT(outcome.migrations, 100U);
  }
}

TEST_P(Timed, B1_follows_work_that_comes_as_the_program_runs) {
  const Outcome without = simulate({.balancer = "none"}, coming());
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Setting setting{.balancer = GetParam(), .seed = seed};
    const Outcome outcome = simulate(setting, coming());
    // Work of 3 on one half and 1 on the other: 2 at best.
    EXPECT_LT(outcome.seconds, 0.78 * without.seconds) << seed;
    double gain = 0;
    for (const Decision& decision : outcome.decisions) {
      EXPECT_GE(decision.gain_seconds, 0);  // its share by its work
      gain += decision.gain_seconds;
      EXPECT_THAT(decision.reason, HasSubstr(": imbalance "));
    }
    EXPECT_GT(gain, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Timed,
                         ::testing::Values("refine", "greedy", "hybrid:group_ranks=4",
                                           "hierarchical:arity=2"),
                         [](const auto& tested) {
                           const std::string name = tested.param;
                           return name.substr(0, name.find(':'));
                         });

TEST(TimedPhases, B2_of_a_balanced_program_cost_next_to_nothing) {
  const Program balanced = [](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Worker>> mine;
    for (int i = 0; i < 10; ++i) {
      mine.push_back(rt.create<Worker>());
      mine.back().send<&Worker::set_self>(mine.back());
      mine.back().send<&Worker::go_on>(1e-3, 400);
    }
    co_await rt.quiescence();
  };
  const Outcome without = simulate({.balancer = "none"}, balanced);
  const Outcome with = simulate({.balancer = "refine"}, balanced);
  EXPECT_LE(with.seconds, 1.01 * without.seconds);
  EXPECT_EQ(with.migrations, 0U);
  // 4 s: a round in eight intervals, of 14 messages.
  EXPECT_LE(with.messages, (4 / (8 * 0.05) + 5) * 14);
}

TEST(TimedPhases, B2_ranks_fall_silent_while_nothing_runs_and_begin_again) {
  const Setting setting{.ranks = 4};
  const Outcome outcome = simulate(setting, [](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Worker>> all;
    for (int i = 0; rt.rank() == 3 && i < 80; ++i) all.push_back(rt.create<Worker>());
    co_await rt.quiescence();
    // For an hour no object runs.
    if (rt.rank() == 2) rt.send<&toil>(2, 3600);
    co_await rt.quiescence();
    for (const auto& worker : all) worker.send<&Worker::work>(0.1);
    co_await rt.quiescence();
  });
  EXPECT_GT(outcome.migrations, 40U) << "rank 3 told rank 0 that it works again";
  EXPECT_LT(outcome.messages, 600U) << "not one round in every 0.05 s";
}

TEST(TimedPhases, B5_move_nothing_while_balancing_is_disabled) {
  const Setting setting{.ranks = 4, .enabled = false};
  EXPECT_EQ(simulate(setting, all_on_rank_0(setting)).migrations, 0U);
}

TEST(TimedPhases, B6_fast_ranks_get_more) {
  const Setting setting{.ranks = 4, .speeds = {1, 1, 1, 5}};
  // 20 objects a rank of 0.08 s: 6.4 s of work, of which 8 are done in a second.
  EXPECT_LT(simulate(setting, all_on_rank_0(setting)).seconds, 1.3 * 6.4 / 8);
}

TEST(TimedPhases, several_workers_of_a_rank_count_each) {
  const Setting setting{.ranks = 4, .workers = 4};
  EXPECT_LT(simulate(setting, all_on_rank_0(setting)).seconds, 1.3 * 6.4 / 16);
}

TEST(TimedPhases, load_models_are_asked_for_what_comes) {
  for (const char* models : {"smooth:weight=0.3", "median:phases=3", "linear"}) {
    const Setting setting{.models = models};
    EXPECT_LT(simulate(setting, coming()).seconds,
              0.8 * simulate({.balancer = "none"}, coming()).seconds)
        << models;
  }
}

TEST(TimedPhases, move_nothing_in_a_program_that_is_over_sooner) {
  const Setting setting{.interval = 100};
  const Outcome outcome = simulate(setting, all_on_rank_0(setting));
  EXPECT_EQ(outcome.migrations + outcome.messages, 0U);
}

TEST(TimedPhases, do_not_hide_that_a_job_is_stuck) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = 3;
  options.balancer = parse_plugin_choice("refine");
  options.phase_length_seconds = 1e-4;
  SimulatedJob job({.options = options});
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    auto worker = rt.create<Worker>();
    worker.send<&Worker::work>(0.1);
    if (rt.rank() == 1) co_await rt.barrier();  // no other rank comes
  }));
  EXPECT_LT(seconds(job.now()), 1);
}

TEST(TimedPhases, R2_report_load_models_that_say_what_cannot_be) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = 3;
  options.balancer = parse_plugin_choice("refine");
  options.phase_length_seconds = 0.01;
  SimulatedJob job({.options = options});
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    rt.add_phase_model<Worker>([](const Worker&, double) { return -1; });
    for (int i = 0; i < 40; ++i) rt.create<Worker>().send<&Worker::work>(0.1);
    co_await rt.quiescence();
  }));
  EXPECT_THAT(job.error(), HasSubstr("Worker expects -1"));
}

TEST(TimedPhases, A7_reject_messages_that_cannot_be) {
  std::uint64_t rejected = 0;
  const Setting setting{.ranks = 4};
  const Outcome outcome = simulate(setting, [&](Runtime& rt) -> Task<> {
    core::Random random(7);
    for (int i = 0; rt.rank() == 3 && i < 200; ++i) {
      core::Packer packer = rt.messenger().begin();
      core::pack(packer, static_cast<std::uint32_t>(random.below(6)));
      for (auto n = random.below(12); n > 0; --n) core::pack(packer, random());
      rt.messenger().post(1, am::handler_id("roam.balance"), std::move(packer), false);
    }
    for (int i = 0; rt.rank() == 0 && i < 40; ++i) rt.create<Worker>().send<&Worker::work>(0.1);
    co_await rt.quiescence();
    if (rt.rank() == 1) rejected = rt.statistics().messages_rejected;
  });
  EXPECT_EQ(rejected, 200U);
  EXPECT_LT(outcome.seconds, 1.4 * 40 * 0.1 / 4);
}

TEST(TimedPhases, B4_need_a_strategy) {
  const auto complaint = [](const std::string& balancer) -> std::string {
    try {
      check_phase_length(parse_plugin_choice(balancer), 0.5);
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(complaint("refine"), "");
  EXPECT_THAT(complaint("diffusion"),
              ::testing::AllOf(StartsWith("--roam-phase-length: "), HasSubstr("diffusion"),
                               HasSubstr("greedy, greedy_comm")));
  EXPECT_THAT(complaint("none"), HasSubstr("needs a strategy"));
}

}  // namespace
}  // namespace roam::balance::timed_test
