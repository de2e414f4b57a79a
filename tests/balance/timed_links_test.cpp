// SPDX-License-Identifier: Apache-2.0
// Phases by time (--roam-phase-length) with strategies that heed who calls whom: B1, B6.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::timed_links_test {

/// Counts its calls. In simulated jobs no two handlers run at the same time, so handlers that share
/// the object may change the counts.
struct Ear {
  mutable std::uint64_t heard = 0;
  mutable std::uint64_t heard_nearby = 0;  // from the same rank
  void hear(std::int32_t from, const std::vector<double>&) const {
    roam::here().compute(std::chrono::microseconds(1));
    ++heard;
    heard_nearby += roam::here().rank() == from ? 1U : 0U;
  }
  /// Runs, so that the object cannot move, until all ranks have come here.
  roam::Task<> stay() const { co_await roam::here().barrier(); }
  [[nodiscard]] std::uint64_t all() const { return heard; }
  [[nodiscard]] std::uint64_t nearby() const { return heard_nearby; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(heard, heard_nearby);
  }
};

/// Works step by step, and calls its ear in each.
struct Caller {
  roam::mobile_ptr<Caller> self;
  roam::mobile_ptr<Ear> ear;
  bool tells_others = false;  // others, which no longer exist when a decision is due
  void become(roam::mobile_ptr<Caller> own, roam::mobile_ptr<Ear> its_ear, bool others) {
    self = own;
    ear = its_ear;
    tells_others = others;
  }
  void go_on(double seconds, int times) {
    roam::here().compute(roam::from_seconds(seconds));
    const std::int32_t from = roam::here().rank().value();
    ear.send<&Ear::hear>(from, std::vector<double>(100));
    if (tells_others) {
      const auto other = roam::here().create<Ear>();
      other.send<&Ear::hear>(from, std::vector<double>(1000));
      other.destroy();
    }
    if (times > 1) self.send<&Caller::go_on>(seconds, times - 1);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(self, ear, tells_others);
  }
};

namespace {

constexpr int callers = 24;
constexpr int times = 200;
constexpr std::uint64_t seeds = 10;

struct Setting {
  std::string balancer;
  std::uint64_t seed = 1;
  bool ears_stay = false;     // handlers wait on them
  bool tells_others = false;  // short-lived ones
  std::string lb_data = {};
};

SimulatedJobOptions job_options_of(const Setting& setting) {
  SimulatedJobOptions job;
  Options& options = job.options;
  options.simulate.emplace();
  options.simulate->ranks = 4;
  options.simulate->workers_per_rank = 1;
  options.balancer = parse_plugin_choice(setting.balancer);
  options.phase_length_seconds = 0.05;
  options.seed = setting.seed;
  options.lb_data = setting.lb_data;
  if (setting.seed > 1) {
    job.message_delay = std::chrono::microseconds(50);
    job.reorder = job.shuffle_ties = true;
  }
  return job;
}

/// All callers begin on rank 0 and their ears on the other ranks: one for each, or, if they stay,
/// one on each rank.
Task<> callers_of(const Setting& setting, Runtime& rt, double& nearby) {
  std::vector<mobile_ptr<Ear>> ears;
  const int per_caller = setting.ears_stay ? 3 : callers;
  for (int i = 0; rt.rank() == 0 && i < per_caller; ++i) {
    ears.push_back(rt.create<Ear>());
    ears.back().migrate(1 + i % 3);
  }
  co_await rt.quiescence();
  if (rt.rank() != 0) {
    co_await rt.quiescence();
    co_return;
  }
  if (setting.ears_stay) {
    for (const auto& ear : ears) ear.send<&Ear::stay>();
  }
  co_await rt.run_epoch([&] {
    for (std::size_t i = 0; i < callers; ++i) {
      const auto caller = rt.create<Caller>();
      caller.send<&Caller::become>(caller, ears[i % ears.size()], setting.tells_others);
      caller.send<&Caller::go_on>(2e-3, times);
    }
  });
  if (setting.ears_stay) co_await rt.barrier();
  co_await rt.quiescence();
  std::uint64_t heard = 0;
  std::uint64_t heard_nearby = 0;
  for (const auto& ear : ears) {
    heard += co_await ear.call<&Ear::all>();
    heard_nearby += co_await ear.call<&Ear::nearby>();
  }
  if (heard != callers * times) throw Error("a call was lost or repeated");
  nearby = static_cast<double>(heard_nearby) / static_cast<double>(heard);
}

/// The part of the calls that stay on their rank.
double part_nearby(const Setting& setting) {
  SimulatedJob job(job_options_of(setting));
  double nearby = -1;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return callers_of(setting, rt, nearby); })) << job.error();
  return nearby;
}

// By chance, one in four calls would.
TEST(TimedLinks, bring_together_who_calls_whom) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    EXPECT_GT(part_nearby({"greedy_comm", seed}), 0.7) << seed;
    EXPECT_LT(part_nearby({"greedy", seed}), 0.4) << seed;
    EXPECT_GT(part_nearby({"refine_comm", seed}), 0.55) << seed;
    EXPECT_LT(part_nearby({"refine", seed}), 0.4) << seed;
  }
}

TEST(TimedLinks, to_objects_that_handlers_run_on_draw_others_to_their_ranks) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    EXPECT_GT(part_nearby({.balancer = "greedy_comm", .seed = seed, .ears_stay = true}), 0.55)
        << seed;
    EXPECT_LT(part_nearby({.balancer = "greedy", .seed = seed, .ears_stay = true}), 0.4) << seed;
  }
}

TEST(TimedLinks, to_objects_that_have_ended_do_not_matter) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Setting setting{.balancer = "greedy_comm", .seed = seed, .tells_others = true};
    EXPECT_GT(part_nearby(setting), 0.7) << seed;
  }
}

TEST(TimedLinks, are_what_graph_goes_by) {
  const auto is_graph = [](const placement::StrategyKind* kind) { return kind->name == "graph"; };
  // Roam may be built without Scotch, which this strategy is made of.
  if (std::ranges::none_of(placement::strategies(), is_graph))
    GTEST_SKIP() << "built without Scotch";
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    EXPECT_GT(part_nearby({"graph", seed}), 0.4) << seed;
  }
}

TEST(TimedLinks, are_counted_only_for_strategies_that_heed_them) {
  const auto counts = [](const std::string& balancer) {
    SimulatedJob job(job_options_of({.balancer = balancer}));
    int counting = 0;
    EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
      counting += rt.objects().records_calls() ? 1 : 0;
      co_return;
    })) << job.error();
    return counting;
  };
  for (const placement::StrategyKind* kind : placement::strategies()) {
    if (kind->name == "none") continue;  // as a balancer, a policy
    EXPECT_EQ(counts(kind->name), kind->uses_links ? 4 : 0) << kind->name;
  }
}

// Rounds do not consume what is recorded at the end. Nothing moves, since calls of objects that
// have left their rank are not recorded.
TEST(TimedLinks, are_recorded_whole_besides) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("roam_timed_links_" + std::to_string(::getpid()));
  const Setting setting{.balancer = "refine_comm:imbalance=1e6", .lb_data = folder.string()};
  EXPECT_EQ(part_nearby(setting), 0);
  std::vector<std::string> files;
  for (int r = 0; r < 4; ++r) {
    files.push_back((folder / ("data." + std::to_string(r) + ".json")).string());
  }
  const placement::LbData data = placement::read_lb_data(files);
  std::filesystem::remove_all(folder);
  double messages = 0;
  for (const placement::LbData::Phase& phase : data.phases) {
    for (const placement::Link& link : phase.graph.links) messages += link.messages;
  }
  EXPECT_EQ(messages, callers * times);
}

}  // namespace
}  // namespace roam::balance::timed_links_test
