// SPDX-License-Identifier: Apache-2.0
// Load models: what each expects, stacks of them, and that what they remember of an object follows
// it: B1, B4, B6.
#include "roam/balance/load_models.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "roam/balance/detail/phases.hpp"
#include "roam/core/error.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::load_models_test {

/// An object whose work grows from call to call.
struct Grower {
  double seconds = 0;
  double growth = 0;
  int runs = 0;
  void work() { roam::here().compute(roam::from_seconds(seconds + growth * runs++)); }
  [[nodiscard]] int count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(seconds, growth, runs);
  }
};

namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The prediction of a stack for one object after each of these phases.
std::vector<double> expected(const std::string& stack, const std::vector<double>& phases) {
  const auto models = make_load_models(parse_plugin_stack(stack));
  std::vector<PhaseModel::Past> pasts(models.size());
  const Grower object;
  const mobile::Record record;
  const mobile::ResidentView view{ObjectId(Rank(0), 1), record, mobile::object_type<Grower>(),
                                  &object, false};
  std::vector<double> results;
  for (double seconds : phases) {
    for (std::size_t i = 0; i < models.size(); ++i) {
      seconds = models[i]->expect(view, seconds, pasts[i]);
    }
    results.push_back(seconds);
  }
  return results;
}

TEST(LoadModels, persistence_expects_what_was) {
  EXPECT_THAT(expected("persistence", {1, 5, 2}), ElementsAre(1, 5, 2));
}

TEST(LoadModels, smooth_follows_by_its_weight) {
  EXPECT_THAT(expected("smooth:weight=0.5", {1, 2, 2}), ElementsAre(1, 1.5, 1.75));
  EXPECT_THAT(expected("smooth:weight=1", {1, 2, 4}), ElementsAre(1, 2, 4));
}

TEST(LoadModels, median_ignores_an_outlier) {
  EXPECT_THAT(expected("median:phases=3", {1, 3, 100, 1, 1, 1}), ElementsAre(1, 2, 3, 3, 1, 1));
}

TEST(LoadModels, linear_goes_on_as_the_last_phases_did_but_not_below_zero) {
  EXPECT_THAT(expected("linear:phases=3", {1, 2, 3, 4, 2}),
              ElementsAre(DoubleNear(1, 1e-12), DoubleNear(3, 1e-12), DoubleNear(4, 1e-12),
                          DoubleNear(5, 1e-12), DoubleNear(2, 1e-12)));
  EXPECT_THAT(expected("linear:phases=2", {9, 1}), ElementsAre(9, 0));
}

TEST(LoadModels, stack_each_on_what_the_one_before_it_says) {
  EXPECT_THAT(expected("scale:factor=3", {1, 2}), ElementsAre(3, 6));
  EXPECT_THAT(expected("scale:factor=1e+1+smooth:weight=0.5", {1, 2}), ElementsAre(10, 15));
  // The line through the medians, in another unit.
  EXPECT_THAT(expected("median:phases=3+linear:phases=2+scale:factor=2", {1, 1, 50, 2}),
              ElementsAre(2, 2, 2, 6));
}

std::string complaint(const std::string& stack) {
  try {
    check_load_models(parse_plugin_stack(stack));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(LoadModels, B4_what_is_wrong_is_said_with_what_is_allowed) {
  EXPECT_EQ(complaint("persistence"), "");
  EXPECT_EQ(complaint("median:phases=1000+smooth"), "");
  EXPECT_THAT(complaint("smoth"),
              AllOf(HasSubstr("--roam-load-model: there is no load model \"smoth\""),
                    HasSubstr("linear, median, persistence, scale, smooth"),
                    HasSubstr("did you mean smooth?")));
  EXPECT_THAT(complaint("median+smooth:wait=1"),
              AllOf(HasSubstr("load model smooth has no parameter \"wait\""), HasSubstr("weight")));
  EXPECT_THAT(complaint("linear:phases=1"), HasSubstr("a whole number from 2 to 1000"));
  EXPECT_THAT(complaint("median+"), HasSubstr("is not a name"));
}

struct Setting {
  std::string balancer = "greedy";
  std::string models = "persistence";
  std::uint64_t seed = 1;
  bool wanders = false;  // the program moves objects, too
  int phases = 6;
};

SimulatedJobOptions options_of(const Setting& setting) {
  SimulatedJobOptions job;
  job.options.simulate.emplace();
  job.options.simulate->ranks = 5;
  job.options.simulate->workers_per_rank = 1;
  job.options.balancer = parse_plugin_choice(setting.balancer);
  job.options.load_model = parse_plugin_stack(setting.models);
  job.options.seed = setting.seed;
  if (setting.seed > 1) {
    job.message_delay = std::chrono::microseconds(50);
    job.reorder = job.shuffle_ties = true;
  }
  return job;
}

using Prepare = void (*)(Runtime& rt);

/// A program with eight objects on each rank, whose work grows by its initial amount in every
/// phase.
Task<> growing(Runtime& rt, const Setting& setting, Prepare prepare,
               std::vector<PhaseReport>& reports) {
  if (prepare != nullptr) prepare(rt);
  std::vector<mobile_ptr<Grower>> mine;
  for (int i = 0; i < 8; ++i) {
    const double seconds = 1e-3 * (1 + (3 * i + rt.rank().value()) % 5);
    mine.push_back(rt.create<Grower>(Grower{seconds, seconds}));
  }
  for (int phase = 0; phase < setting.phases; ++phase) {
    for (const auto& object : mine) object.send<&Grower::work>();
    for (int i = 0; setting.wanders && i < 8; ++i) {
      const auto& object = mine[static_cast<std::size_t>(i)];
      // Some go through several ranks in one phase.
      for (int hop = 0; hop <= i % 3; ++hop) object.migrate((i + phase + 2 * hop) % rt.size());
    }
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
  for (const auto& object : mine) {
    if (co_await object.call<&Grower::count>() != setting.phases) throw Error("a call was lost");
  }
}

std::vector<PhaseReport> run(const Setting& setting, Prepare prepare = nullptr) {
  SimulatedJob job(options_of(setting));
  std::vector<PhaseReport> reports;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return growing(rt, setting, prepare, reports); }))
      << job.error();
  return reports;
}

// `rotate` moves every object in every phase; `gossip` decides on all ranks. An object whose past
// did not follow it would be predicted by its last load alone.
TEST(PastOfObjects, B1_is_where_the_object_is_whoever_moved_it) {
  for (const char* balancer : {"rotate", "greedy", "gossip", "auto"}) {
    for (const bool wanders : {false, true}) {
      for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        SCOPED_TRACE(std::string(balancer) + (wanders ? ", wanders, " : ", ") +
                     std::to_string(seed));
        const auto reports = run({balancer, "linear:phases=3", seed, wanders});
        ASSERT_EQ(reports.size(), 6U);
        for (std::size_t k = 1; k + 1 < reports.size(); ++k) {
          EXPECT_NEAR(reports[k].expected_mean_seconds, reports[k + 1].mean_load_seconds,
                      2e-3 * reports[k + 1].mean_load_seconds);
        }
      }
    }
  }
}

TEST(LoadModels, are_not_asked_for_what_a_phase_took) {
  const auto reports = run({.balancer = "greedy", .models = "scale:factor=10"});
  EXPECT_NEAR(reports[0].expected_mean_seconds, 10 * reports[0].mean_load_seconds,
              1e-3 * reports[0].expected_mean_seconds);
}

TEST(LoadModels, of_the_program_come_before_those_of_the_options) {
  const auto reports = run({.balancer = "greedy", .models = "scale:factor=2"}, [](Runtime& rt) {
    rt.add_phase_model<Grower>(
        [](const Grower& object, double) { return object.seconds * (1 + object.runs); });
  });
  // The program's model predicts exactly, and its result is doubled.
  for (std::size_t k = 0; k + 1 < reports.size(); ++k) {
    EXPECT_NEAR(reports[k].expected_mean_seconds, 2 * reports[k + 1].mean_load_seconds,
                1e-2 * reports[k + 1].mean_load_seconds);
  }
}

TEST(LoadModels, that_say_what_cannot_be_end_the_job_with_their_name) {
  const Setting setting;
  SimulatedJob job(options_of(setting));
  std::vector<PhaseReport> reports;
  EXPECT_FALSE(job.run([&](Runtime& rt) {
    return growing(
        rt, setting,
        [](Runtime& here) {
          here.add_phase_model<Grower>([](const Grower&, double) { return -1; });
        },
        reports);
  }));
  EXPECT_THAT(job.error(), AllOf(HasSubstr("Grower expects -1"), HasSubstr("not below 0")));
}

TEST(LoadModels, may_not_be_added_once_a_phase_has_ended) {
  SimulatedJob job(options_of({}));
  EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
    co_await rt.phase();
    rt.add_phase_model<Grower>([](const Grower&, double seconds) { return seconds; });
  }));
  EXPECT_THAT(job.error(), HasSubstr("was added after the end of a phase"));
}

/// In every third phase, one object of each rank, in turn, has ten times the work: outliers that
/// mislead persistence.
Task<> with_outliers(Runtime& rt, std::vector<PhaseReport>& reports) {
  std::vector<mobile_ptr<Grower>> mine;
  for (int i = 0; i < 8; ++i) {
    mine.push_back(rt.create<Grower>(Grower{1e-3 * (1 + rt.rank().value()), 0}));
  }
  for (int phase = 0; phase < 30; ++phase) {
    for (int i = 0; i < 8; ++i) {
      const bool is_outlier = phase % 3 == 2 && i == phase % 8;
      for (int n = 0; n < (is_outlier ? 10 : 1); ++n) {
        mine[static_cast<std::size_t>(i)].send<&Grower::work>();
      }
    }
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

TEST(LoadModels, median_balances_better_than_persistence_what_has_outliers) {
  const auto seconds_with = [](const std::string& models) {
    SimulatedJob job(options_of({.balancer = "refine", .models = models}));
    std::vector<PhaseReport> reports;
    EXPECT_TRUE(job.run([&](Runtime& rt) { return with_outliers(rt, reports); })) << job.error();
    double sum = 0;
    for (const PhaseReport& report : reports) sum += report.seconds;
    return sum;
  };
  EXPECT_LT(seconds_with("median"), seconds_with("persistence"));
}

}  // namespace
}  // namespace roam::balance::load_models_test
