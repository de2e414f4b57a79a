// SPDX-License-Identifier: Apache-2.0
// The policies on small simulated machines: B1 to B5.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/core/error.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::policy_test {

/// Works for a given time and notes where it ran.
struct Block {
  int runs = 0;
  void work(double seconds) {
    ++runs;
    roam::here().compute(roam::from_seconds(seconds));
  }
  void grind() { work(1e-2); }
  void touch() { work(1e-5); }
  int count() const { return runs; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(runs);
  }
};

namespace {

/// Work of one object and where it starts.
struct Item {
  std::int32_t rank;
  double seconds;
};

struct Setting {
  std::string policy = "diffusion";
  std::int32_t ranks = 2;
  WorkerIndex workers = 1;
  bool costs_given = true;
  bool enabled = true;
  std::uint64_t seed = 1;
};

struct Outcome {
  double makespan = 0;
  double longest = 0;  // of the busiest worker
  double mean = 0;
  std::uint64_t migrations = 0;
  std::uint64_t balancer_messages = 0;
  std::vector<Decision> decisions;
  double ratio() const { return makespan / mean; }
};

Options options_of(const Setting& setting) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = setting.ranks;
  options.simulate->workers_per_rank = setting.workers;
  options.balancer = parse_plugin_choice(setting.policy);
  options.seed = setting.seed;
  return options;
}

Task<> program(Runtime& rt, const Setting& setting, const std::vector<Item>& items) {
  rt.enable_balancing(setting.enabled);
  std::vector<mobile_ptr<Block>> blocks;
  if (rt.rank() == 0) {
    for (const Item& item : items) {
      blocks.push_back(rt.create<Block>());
      blocks.back().migrate(item.rank);
    }
  }
  co_await rt.quiescence();
  rt.begin_measurement();
  co_await rt.quiescence();
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const double seconds = items[i].seconds;
    blocks[i].send_with<&Block::work>({.cost_seconds = setting.costs_given ? seconds : -1},
                                      seconds);
  }
  co_await rt.quiescence();
  rt.end_measurement();
  for (const auto& block : blocks) {
    if (co_await block.call<&Block::count>() != 1) throw Error("a call was lost or repeated");
  }
}

Outcome run(const Setting& setting, const std::vector<Item>& items) {
  SimulatedJob job({.options = options_of(setting)});
  EXPECT_TRUE(job.run([&](Runtime& rt) { return program(rt, setting, items); })) << job.error();
  Outcome outcome;
  double total = 0;
  for (const Item& item : items) total += item.seconds;
  outcome.mean = total / (setting.ranks * static_cast<double>(setting.workers));
  for (std::int32_t r = 0; r < setting.ranks; ++r) {
    Runtime& rt = job.runtime(r);
    const RankStatistics statistics = rt.statistics();
    outcome.makespan = std::max(outcome.makespan, statistics.elapsed_seconds);
    for (const auto& worker : statistics.workers) {
      outcome.longest = std::max(outcome.longest, worker.busy_seconds);
    }
    outcome.migrations += statistics.migrations_out;
    outcome.balancer_messages += rt.balancer().stats().messages_sent;
    for (const Decision& d : rt.balancer().decisions()) outcome.decisions.push_back(d);
  }
  return outcome;
}

/// Section 5.3.1 of the PREMA paper: ten objects for each worker, the first fifth heavy.
std::vector<Item> synthetic(const Setting& setting) {
  const int per_rank = 10 * static_cast<int>(setting.workers);
  const int count = per_rank * setting.ranks;
  std::vector<Item> items;
  for (int i = 0; i < count; ++i) items.push_back({i / per_rank, 5 * i < count ? 68.2 : 32.5});
  return items;
}

std::vector<Item> balanced(const Setting& setting, int per_worker, double seconds) {
  std::vector<Item> items;
  for (std::int32_t r = 0; r < setting.ranks; ++r) {
    for (int i = 0; i < per_worker * static_cast<int>(setting.workers); ++i) {
      items.push_back({r, seconds});
    }
  }
  return items;
}

TEST(Diffusion, reaches_the_target_on_the_synthetic_benchmark) {
  for (const auto& [ranks, workers] : {std::pair{2, 1}, {3, 1}, {4, 2}, {10, 4}, {10, 32}}) {
    for (const bool given : {true, false}) {
      const Setting setting{
          .ranks = ranks, .workers = static_cast<WorkerIndex>(workers), .costs_given = given};
      const Outcome outcome = run(setting, synthetic(setting));
      EXPECT_LE(outcome.ratio(), 1.10) << ranks << " ranks, " << workers << " workers, " << given;
    }
  }
}

TEST(Diffusion, spreads_work_that_is_all_on_one_rank) {
  for (const std::int32_t ranks : {1, 2, 3, 8, 33}) {
    std::vector<Item> items;
    for (int i = 0; i < 40 * ranks; ++i) items.push_back({0, 0.01 * (1 + i % 7)});
    const Outcome outcome = run({.ranks = ranks}, items);
    EXPECT_LE(outcome.ratio(), 1.10) << ranks;
  }
}

TEST(Diffusion, last_objects_move_so_that_the_makespan_shrinks) {
  // 10 runs; 10 and 1 wait: the other rank takes the 10.
  const Outcome outcome = run({}, {{0, 10}, {0, 10}, {0, 1}});
  EXPECT_NEAR(outcome.makespan, 11, 0.1);
}

TEST(Diffusion, ring_and_replacement_of_all_work_too) {
  for (const char* policy : {"diffusion:selection=ring,neighbours=2", "diffusion:neighbours=1",
                             "diffusion:replace=all,neighbours=2", "diffusion:low_seconds=1"}) {
    Setting setting{.policy = policy, .ranks = 10, .workers = 2};
    EXPECT_LE(run(setting, synthetic(setting)).ratio(), 1.15) << policy;
  }
}

TEST(MasterWorker, gives_the_masters_work_to_all_others) {
  for (const std::int32_t ranks : {1, 2, 3, 9}) {
    std::vector<Item> items;
    for (int i = 0; i < 40 * ranks; ++i) items.push_back({ranks - 1, 0.01 * (1 + i % 7)});
    const std::string policy = "master_worker:master=" + std::to_string(ranks - 1);
    EXPECT_LE(run({.policy = policy, .ranks = ranks}, items).ratio(), 1.10) << ranks;
  }
}

// The policies in which all ranks have the same part.
constexpr const char* peer_policies[] = {"auto",
                                         "diffusion",
                                         "diffusion:initiation=both",
                                         "predictive",
                                         "grapevine",
                                         "grapevine:fanout=3,hops=1",
                                         "work_stealing",
                                         "work_stealing:victim=hierarchical,group=4",
                                         "work_stealing:attempts=0"};

TEST(AllPeerPolicies, reach_the_target_on_the_synthetic_benchmark) {
  for (const char* policy : peer_policies) {
    for (const auto& [ranks, workers] : {std::pair{2, 1}, {3, 1}, {4, 2}, {10, 4}, {10, 32}}) {
      for (const bool given : {true, false}) {
        const Setting setting{.policy = policy,
                              .ranks = ranks,
                              .workers = static_cast<WorkerIndex>(workers),
                              .costs_given = given};
        const Outcome outcome = run(setting, synthetic(setting));
        // Nobody waits while another has more than one object left (Graham's bound).
        const bool looks_far = !setting.policy.starts_with("work_stealing") &&
                               !setting.policy.starts_with("grapevine");
        const double most = given && looks_far ? 1.10 : 1 + 68.2 / outcome.mean;
        EXPECT_LE(outcome.ratio(), most)
            << policy << ", " << ranks << " ranks, " << workers << " workers, " << given;
      }
    }
  }
}

TEST(AllPeerPolicies, spread_work_that_is_all_on_one_rank) {
  for (const char* policy : peer_policies) {
    for (const std::int32_t ranks : {1, 2, 3, 8, 33}) {
      std::vector<Item> items;
      for (int i = 0; i < 40 * ranks; ++i) items.push_back({0, 0.01 * (1 + i % 7)});
      const Outcome outcome = run({.policy = policy, .ranks = ranks}, items);
      EXPECT_LE(outcome.ratio(), 1.10) << policy << ", " << ranks;
    }
  }
}

/// The same objects get work again and again, after all have done theirs. `is_heavy` selects those
/// with three times the work in an iteration.
using Heavy = bool (*)(std::int32_t rank, int iteration);

Task<> iterations(Runtime& rt, int count, Heavy is_heavy) {
  std::vector<mobile_ptr<Block>> mine;
  std::vector<double> light;
  core::Random random(static_cast<std::uint64_t>(rt.rank().value()));
  for (int i = 0; i < 13; ++i) {
    mine.push_back(rt.create<Block>());
    light.push_back(8e-5 * (0.95 + 0.1 * random.unit()));
  }
  co_await rt.quiescence();
  for (int i = 0; i < count; ++i) {
    if (i == count / 2) rt.begin_measurement();
    const double factor = is_heavy(rt.rank().value(), i) ? 3 : 1;
    for (std::size_t k = 0; k < mine.size(); ++k) {
      mine[k].send_with<&Block::work>({.cost_seconds = factor * light[k]}, factor * light[k]);
    }
    co_await rt.quiescence();
  }
  rt.end_measurement();
}

double time_of_iterations(const std::string& policy, Heavy is_heavy) {
  const Setting setting{.policy = policy, .ranks = 16};
  Options options = options_of(setting);
  options.simulate->noise = 0.02;
  SimulatedJob job({.options = options});
  EXPECT_TRUE(job.run([&](Runtime& rt) { return iterations(rt, 60, is_heavy); })) << job.error();
  return job.runtime(0).statistics().elapsed_seconds;
}

TEST(AllPeerPolicies, leave_a_balanced_iterative_program_as_it_is) {
  const Heavy none = [](std::int32_t, int) { return false; };
  const double without = time_of_iterations("none", none);
  for (const char* policy : peer_policies) {
    EXPECT_LE(time_of_iterations(policy, none), 1.01 * without) << policy;
  }
}

TEST(AllPeerPolicies, balance_an_iterative_program_for_good) {
  const Heavy first_quarter = [](std::int32_t rank, int) { return rank < 4; };
  const double without = time_of_iterations("none", first_quarter);
  for (const char* policy : peer_policies) {
    EXPECT_LE(time_of_iterations(policy, first_quarter), 0.65 * without) << policy;
  }
}

TEST(AllPeerPolicies, follow_work_that_is_elsewhere_in_each_iteration) {
  const Heavy wandering = [](std::int32_t rank, int i) { return rank == (7 * i) % 16; };
  const double without = time_of_iterations("none", wandering);
  for (const char* policy : peer_policies) {
    EXPECT_LE(time_of_iterations(policy, wandering), 0.8 * without) << policy;
  }
}

/// Half of one rank's objects have many light calls in each iteration, half have one heavy call.
/// The other ranks have nothing.
Task<> light_and_heavy(Runtime& rt, int count) {
  std::vector<mobile_ptr<Block>> blocks;
  for (int i = 0; rt.rank() == 0 && i < 64; ++i) blocks.push_back(rt.create<Block>());
  co_await rt.quiescence();
  for (int i = 0; i < count; ++i) {
    if (i == 4) rt.begin_measurement();
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      if (k % 2 == 0) blocks[k].send<&Block::grind>();
      for (int n = 0; k % 2 == 1 && n < 50; ++n) blocks[k].send<&Block::touch>();
    }
    co_await rt.quiescence();
  }
  rt.end_measurement();
}

TEST(B6HonestLoad, handlers_are_measured_each_by_itself) {
  constexpr int seeds = 64;  // since some seeds are luckier than others
  double elapsed_seconds = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    SimulatedJob job({.options = options_of({.policy = "diffusion", .ranks = 4, .seed = seed})});
    EXPECT_TRUE(job.run([&](Runtime& rt) { return light_and_heavy(rt, 12); })) << job.error();
    elapsed_seconds += job.runtime(0).statistics().elapsed_seconds / seeds;
  }
  // 32 x 50 x 10 us and 32 x 10 ms in each of eight iterations, on four ranks.
  const double ideal = 8 * (32 * 50 * 1e-5 + 32 * 1e-2) / 4;
  // Compiled by Clang, it is 1.036.
  EXPECT_LE(elapsed_seconds, 1.04 * ideal) << elapsed_seconds / ideal;
}

TEST(SenderInitiation, alone_moves_work_that_nobody_asks_for) {
  std::vector<Item> items;
  for (int i = 0; i < 320; ++i) items.push_back({0, 0.1});
  Setting setting{.policy = "none", .ranks = 8};
  const double alone = run(setting, items).makespan;
  setting.policy = "diffusion:initiation=sender";
  EXPECT_LE(run(setting, items).makespan, alone / 4);
}

TEST(B2Quiet, nothing_moves_and_almost_nothing_is_said_when_loads_are_equal) {
  std::vector<const char*> all(std::begin(peer_policies), std::end(peer_policies));
  all.push_back("master_worker");
  for (const char* policy : all) {
    const Setting setting{.policy = policy, .ranks = 8, .workers = 2};
    const Outcome outcome = run(setting, balanced(setting, 10, 1));
    EXPECT_EQ(outcome.migrations, 0U) << policy;
    EXPECT_NEAR(outcome.makespan, 10, 0.01) << policy;
    EXPECT_LE(outcome.balancer_messages, 8U * 400U) << policy;
  }
}

class Silence : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(B2, Silence, ::testing::ValuesIn(peer_policies),
                         [](const auto& chosen) { return std::to_string(chosen.index); });

TEST_P(Silence, with_nothing_to_do_anywhere_all_fall_silent) {
  const Setting setting{.policy = GetParam(), .ranks = 8};
  SimulatedJob job({.options = options_of(setting)});
  ASSERT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    // One rank's main program computes for long; no object exists.
    if (rt.rank() == 0) rt.compute(std::chrono::hours(10));
    co_return;
  })) << job.error();
  for (std::int32_t r = 0; r < 8; ++r) {
    EXPECT_LE(job.runtime(r).balancer().stats().messages_sent, 1000U) << r;
  }
}

TEST_P(Silence, silent_ranks_hear_of_new_work) {
  const Setting setting{.policy = GetParam(), .ranks = 8};
  SimulatedJob job({.options = options_of(setting)});
  double begin = 0;
  double end = 0;
  ASSERT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Block>> blocks;
    if (rt.rank() == 3) {
      for (int i = 0; i < 80; ++i) blocks.push_back(rt.create<Block>());
    }
    if (rt.rank() == 0) rt.compute(std::chrono::hours(1));
    co_await rt.quiescence();
    if (rt.rank() == 3) begin = seconds(rt.now());
    for (auto& block : blocks) block.send_with<&Block::work>({.cost_seconds = 1}, 1.0);
    co_await rt.quiescence();
    if (rt.rank() == 3) end = seconds(rt.now());
  })) << job.error();
  // 80 s of work on 8 ranks; a rank may have one object too many, or a few where objects are placed
  // at random.
  const bool is_by_chance = std::string_view(GetParam()).starts_with("grapevine");
  EXPECT_LE(end - begin, is_by_chance ? 14.01 : 11.01);
}

// With grapevine, which places at random, the maximum over 40 seeds is 3 to 8, in most of them 4 or
// 5.
TEST(B3NoPingPong, no_object_moves_more_than_four_times_or_where_chance_decides_eight) {
  for (const char* policy : peer_policies) {
    const Setting setting{.policy = policy, .ranks = 10, .workers = 4};
    std::map<ObjectId, int> moves;
    for (const Decision& d : run(setting, synthetic(setting)).decisions) {
      if (d.outcome == Decision::Outcome::moved) ++moves[d.object];
      EXPECT_GT(d.gain_seconds, d.cost_seconds) << policy;
    }
    ASSERT_FALSE(moves.empty()) << policy;
    const int most = std::string_view(policy).starts_with("grapevine") ? 8 : 4;
    for (const auto& [object, count] : moves) EXPECT_LE(count, most) << policy << to_string(object);
  }
}

TEST(B5Switch, disabled_ranks_neither_ask_nor_give) {
  Setting setting{.ranks = 4, .workers = 2};
  setting.enabled = false;
  const Outcome off = run(setting, synthetic(setting));
  EXPECT_EQ(off.migrations, 0U);
  EXPECT_EQ(off.decisions.size(), 0U);
  setting.enabled = true;
  EXPECT_LT(run(setting, synthetic(setting)).makespan, off.makespan);
}

TEST(B5Switch, can_be_turned_on_while_work_waits) {
  const Setting setting{};
  SimulatedJob job({.options = options_of(setting)});
  double end = 0;
  ASSERT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    rt.enable_balancing(false);
    std::vector<mobile_ptr<Block>> blocks;
    if (rt.rank() == 0) {
      for (int i = 0; i < 20; ++i) blocks.push_back(rt.create<Block>());
    }
    co_await rt.quiescence();
    for (auto& block : blocks) block.send_with<&Block::work>({.cost_seconds = 1}, 1.0);
    Runtime* here = &rt;
    rt.engine().call_at(rt.now() + std::chrono::seconds(10),
                        [here] { here->enable_balancing(true); });
    co_await rt.quiescence();
    if (rt.rank() == 0) end = seconds(rt.now());
  })) << job.error();
  EXPECT_GT(end, 14.9);  // ten alone, then ten shared by two
  EXPECT_LT(end, 16.5);
}

TEST(B1None, attaches_nothing) {
  const Setting setting{.policy = "none", .ranks = 4, .workers = 2};
  const Outcome outcome = run(setting, synthetic(setting));
  EXPECT_EQ(outcome.migrations, 0U);
  EXPECT_EQ(outcome.balancer_messages, 0U);
}

TEST(R1Determinism, the_same_seed_decides_the_same) {
  for (const char* policy : peer_policies) {
    const Setting setting{.policy = policy, .ranks = 10, .workers = 4, .seed = 42};
    const Outcome a = run(setting, synthetic(setting));
    const Outcome b = run(setting, synthetic(setting));
    EXPECT_EQ(a.makespan, b.makespan);
    EXPECT_EQ(a.balancer_messages, b.balancer_messages);
    ASSERT_EQ(a.decisions.size(), b.decisions.size());
    for (std::size_t i = 0; i < a.decisions.size(); ++i) {
      EXPECT_EQ(a.decisions[i].object, b.decisions[i].object);
      EXPECT_EQ(a.decisions[i].when, b.decisions[i].when);
      EXPECT_EQ(a.decisions[i].to, b.decisions[i].to);
    }
  }
}

TEST(B4Choice, an_unknown_policy_stops_before_the_start) {
  const Setting setting{.policy = "nonsense"};
  EXPECT_THROW(SimulatedJob({.options = options_of(setting)}), ConfigError);
}

}  // namespace
}  // namespace roam::balance::policy_test
