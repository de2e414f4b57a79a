// SPDX-License-Identifier: Apache-2.0
// The strategies, which are pure functions of the ranks' measurements.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "offload/machine_groups.hpp"
#include "offload/strategies/blacklist.hpp"
#include "offload/strategies/chains.hpp"
#include "offload/strategies/level_loads.hpp"
#include "offload/strategies/wait_graph.hpp"
#include "roam/core/error.hpp"
#include "roam/core/random.hpp"
#include "roam/offload/strategy.hpp"

namespace roam::offload {

namespace {

using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr float task_seconds = 1e-3F;

/// A step of ranks of one worker with these numbers of tasks, without offloading: it lasts as long
/// as the rank with most tasks computes.
std::vector<RankStep> plain_step(const std::vector<std::uint32_t>& tasks) {
  const float longest = task_seconds * static_cast<float>(*std::ranges::max_element(tasks));
  std::vector<RankStep> ranks;
  for (const std::uint32_t count : tasks) {
    const float busy = task_seconds * static_cast<float>(count);
    ranks.push_back({.rank = static_cast<std::int32_t>(ranks.size()),
                     .seconds = longest,
                     .idle_seconds = longest - busy,
                     .busy_seconds = busy,
                     .task_seconds = task_seconds,
                     .tasks = count,
                     .computed = count,
                     .keeps = 1});
  }
  return ranks;
}

std::vector<double> applied(const std::vector<std::uint32_t>& tasks,
                            const std::vector<Quota>& quotas) {
  std::vector<double> result(tasks.begin(), tasks.end());
  for (const Quota& quota : quotas) {
    result[static_cast<std::size_t>(quota.from)] -= quota.tasks;
    result[static_cast<std::size_t>(quota.to)] += quota.tasks;
  }
  return result;
}

std::vector<std::uint32_t> random_tasks(core::Random& random) {
  std::vector<std::uint32_t> tasks(2 + random.below(30));
  for (std::uint32_t& count : tasks) count = static_cast<std::uint32_t>(random.below(200));
  return tasks;
}

TEST(WaitGraph, all_wait_for_the_rank_that_came_last) {
  const std::vector<RankStep> ranks = plain_step({10, 40, 20});
  const std::vector<Wait> waits = waits_for_the_latest(ranks);
  ASSERT_THAT(waits, SizeIs(2));
  EXPECT_EQ(waits[0].from, 0);
  EXPECT_EQ(waits[0].to, 1);
  EXPECT_NEAR(waits[0].seconds, 0.030, 1e-6);
  EXPECT_EQ(waits[1].from, 2);
  EXPECT_NEAR(waits[1].seconds, 0.020, 1e-6);
}

TEST(WaitGraph, what_is_under_the_calibrated_threshold_is_no_wait) {
  // 0.95 x 0 + 0.05 x 100 tasks: a rank that waited for 4 of them did not wait.
  const std::vector<Wait> waits = waits_for_the_latest(plain_step({0, 100, 96}));
  EXPECT_THAT(waits, ElementsAre(Field(&Wait::from, 0)));
}

TEST(WaitGraph, a_critical_rank_waits_for_nobody_and_nobody_waits_for_an_optimal_victim) {
  // 2 and 3 wait for 0, which waits for 1 (figure 3 of the paper).
  const std::vector<RankStep> ranks = plain_step({5, 9, 2, 3});
  const std::vector<Wait> waits = {{0, 1, 4.0F}, {2, 0, 7.0F}, {3, 0, 6.0F}};
  const WaitGraph graph({.ranks = ranks, .waits = waits, .emergencies = {}});
  EXPECT_EQ(graph.critical_rank(), 1);
  const auto victim = graph.optimal_victim([](std::int32_t) { return true; });
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->rank, 2);
  EXPECT_EQ(victim->wait_seconds, 7.0);
  const auto other = graph.optimal_victim([](std::int32_t rank) { return rank != 2; });
  ASSERT_TRUE(other);
  EXPECT_EQ(other->rank, 3);
}

TEST(WaitGraph, of_ranks_that_wait_for_each_other_has_the_difference) {
  // Rank 1 calls rank 0 now and then, which is slow to answer because all wait for it.
  const std::vector<RankStep> ranks = plain_step({9, 3, 5});
  const std::vector<Wait> waits = {{1, 0, 6.0F}, {0, 1, 0.5F}, {2, 0, 5.0F}, {0, 2, 5.0F}};
  const WaitGraph graph({.ranks = ranks, .waits = waits, .emergencies = {}});
  EXPECT_EQ(graph.critical_rank(), 0);
  const auto victim = graph.optimal_victim([](std::int32_t) { return true; });
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->rank, 1);
  EXPECT_EQ(victim->wait_seconds, 5.5);
}

TEST(Strategies, diffusion_helps_several_critical_ranks_at_once_if_it_may) {
  // Each of 1, 4 and 6 keeps others waiting that call it; 2 waits longest.
  const std::vector<RankStep> ranks = plain_step({40, 80, 20, 50, 90, 50, 70, 50});
  const std::vector<Wait> waits = {
      {0, 1, 0.040F}, {3, 1, 0.010F}, {2, 4, 0.060F}, {5, 4, 0.030F}, {7, 6, 0.020F}};
  const StepView step{.step = 0, .ranks = ranks, .waits = waits, .emergencies = {}};
  using Quotas = std::vector<Quota>;
  EXPECT_EQ(make_strategy(parse_plugin_choice("reactive"), 8)->decide(step), (Quotas{{4, 2, 30}}));
  EXPECT_EQ(make_strategy(parse_plugin_choice("reactive:pairs=2"), 8)->decide(step),
            (Quotas{{1, 0, 20}, {4, 2, 30}}));
  EXPECT_EQ(make_strategy(parse_plugin_choice("reactive:pairs=9"), 8)->decide(step),
            (Quotas{{1, 0, 20}, {4, 2, 30}, {6, 5, 15}}));
  EXPECT_EQ(
      make_strategy(parse_plugin_choice("diffusion:omega=0.5,pairs=2"), 8)->decide(step).size(),
      2U);
}

TEST(Blacklist, a_victim_that_was_late_once_is_back_within_ten_steps) {
  Blacklist list;
  const std::vector<Emergency> once = {{3, 17}};
  list.update(once);
  int steps = 0;
  for (; list.has(3); ++steps) list.update({});
  EXPECT_EQ(steps, 7);  // 0.9^7 < 0.5
  EXPECT_EQ(list.size(), 0U);
}

TEST(Chains, are_cut_into_pieces_that_differ_by_one_task) {
  core::Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint32_t> tasks = random_tasks(random);
    std::vector<RankStep> ranks = plain_step(tasks);
    for (RankStep& rank : ranks) rank.keeps = 0;
    const auto after = applied(tasks, cut_chain(ranks));
    const auto [least, most] = std::ranges::minmax(after);
    ASSERT_LE(most - least, 1) << "round " << round;
  }
}

TEST(LevelLoads, of_equal_tasks_no_rank_has_one_more_than_it_must) {
  core::Random random(11);
  for (int round = 0; round < 1000; ++round) {
    const std::vector<std::uint32_t> tasks = random_tasks(random);
    std::vector<RankLoad> ranks;
    double sum = 0;
    for (const std::uint32_t count : tasks) {
      ranks.push_back({.load_seconds = count * 1.0,
                       .task_seconds = 1,
                       .guest_task_seconds = 1,
                       .may_go = count});
      sum += count;
    }
    const LevelledLoads levelled = LoadLeveller().level(ranks, near_ranks(ranks.size(), {}));
    const double mean = sum / static_cast<double>(tasks.size());
    ASSERT_LE(levelled.after_seconds, std::ceil(mean) * (1 + 1e-5));
    for (const double load : applied(tasks, levelled.quotas))
      ASSERT_LE(load, std::ceil(mean)) << "round " << round;
  }
}

TEST(LevelLoads, workers_handling_and_what_must_stay_count) {
  // 4 workers against 1: the level is 100 / 5.
  const LevelledLoads levelled = LoadLeveller().level(
      {{.workers = 1,
        .load_seconds = 100,
        .task_seconds = 1,
        .guest_task_seconds = 1,
        .may_go = 99},
       {.workers = 4, .load_seconds = 0, .task_seconds = 1, .guest_task_seconds = 1, .may_go = 0}},
      near_ranks(2, {}));
  EXPECT_NEAR(levelled.after_seconds, 20, 20 * 1e-5);
  EXPECT_THAT(levelled.quotas, ElementsAre(Quota{0, 1, 80}));
  // Each task that is sent costs three quarters of its time in addition: only a few are worth it.
  const LevelledLoads dear = LoadLeveller().level(
      {{.workers = 1,
        .load_seconds = 9,
        .task_seconds = 0.25,
        .guest_task_seconds = 1.75,
        .may_go = 9},
       {.workers = 1, .load_seconds = 8, .task_seconds = 1, .guest_task_seconds = 1, .may_go = 8}},
      near_ranks(2, {}));
  EXPECT_GT(dear.after_seconds, 8.5);
  // No task may be sent.
  EXPECT_THAT(LoadLeveller()
                  .level({{.workers = 1,
                           .load_seconds = 9,
                           .task_seconds = 1,
                           .guest_task_seconds = 1,
                           .may_go = 0},
                          {}},
                         near_ranks(2, {}))
                  .quotas,
              IsEmpty());
}

std::vector<RankLoad> loads_of_equal_tasks(const std::vector<std::uint32_t>& tasks) {
  std::vector<RankLoad> ranks;
  for (const std::uint32_t count : tasks) {
    ranks.push_back(
        {.load_seconds = 1.0 * count, .task_seconds = 1, .guest_task_seconds = 1, .may_go = count});
  }
  return ranks;
}

TEST(LevelLoads, a_rank_that_is_slow_takes_as_many_fewer_tasks) {
  const auto rank = [](double load, double pace) {
    return RankLoad{.workers = 1,
                    .load_seconds = load,
                    .task_seconds = 1,
                    .guest_task_seconds = 1,
                    .may_go = static_cast<std::uint32_t>(load),
                    .pace = pace};
  };
  // With 70 tasks of the first, of which each takes 1 s there, 2 s on the second and 0.5 s on the
  // third, all are done after 20 s.
  const std::vector<RankLoad> ranks = {rank(70, 1), rank(0, 2), rank(0, 0.5)};
  const LevelledLoads levelled = LoadLeveller().level(ranks, near_ranks(3, {}));
  EXPECT_NEAR(levelled.after_seconds, 20, 1e-2);
  EXPECT_THAT(levelled.quotas, ElementsAre(Quota{0, 1, 10}, Quota{0, 2, 40}));
}

TEST(LevelLoads, victims_are_near_first_and_edges_fewer_than_ranks) {
  core::Random random(12);
  for (int round = 0; round < 500; ++round) {
    // Hosts of unequal size, dealt out at random; two or three of them to a switch.
    std::vector<std::vector<std::int32_t>> groups(2);
    std::vector<std::uint32_t> tasks;
    const auto count = static_cast<std::int32_t>(2 + random.below(40));
    for (std::int32_t rank = 0; rank < count; ++rank) {
      groups[0].push_back(static_cast<std::int32_t>(random.below(7)));
      groups[1].push_back(groups[0].back() / 3);
      tasks.push_back(static_cast<std::uint32_t>(random.below(200)));
    }
    const auto levelled =
        LoadLeveller().level(loads_of_equal_tasks(tasks), near_ranks(tasks.size(), groups));
    const auto anywhere =
        LoadLeveller().level(loads_of_equal_tasks(tasks), near_ranks(tasks.size(), {}));
    ASSERT_EQ(levelled.after_seconds, anywhere.after_seconds);
    ASSERT_LT(levelled.quotas.size(), tasks.size());
    std::set<std::pair<std::int32_t, std::int32_t>> pairs;
    for (const Quota& one : levelled.quotas) ASSERT_TRUE(pairs.emplace(one.from, one.to).second);
    const double most = std::ranges::max(applied(tasks, anywhere.quotas));
    for (const double load : applied(tasks, levelled.quotas)) ASSERT_LE(load, most);
    // Who is still to give and who is still to take are in no group together, or the group would
    // not have had to look outside.
    for (const std::vector<std::int32_t>& group_of : groups) {
      std::set<std::int32_t> gave;
      std::set<std::int32_t> took;
      for (const Quota& one : levelled.quotas) {
        const std::int32_t from = group_of[static_cast<std::size_t>(one.from)];
        const std::int32_t to = group_of[static_cast<std::size_t>(one.to)];
        if (from == to) continue;
        gave.insert(from);
        took.insert(to);
      }
      for (const std::int32_t group : gave) ASSERT_FALSE(took.contains(group)) << "round " << round;
    }
  }
}

TEST(MachineGroups, are_hosts_where_all_are_known_and_the_levels_of_a_simulated_machine) {
  const std::vector<RankHost> hosts = {{7, 2}, {5, 0}, {7, 1}, {5, 3}};
  const MachineGroups known = groups_of(hosts, 4);
  ASSERT_THAT(known, SizeIs(1));
  EXPECT_EQ(known[0][0], known[0][3]);
  EXPECT_EQ(known[0][1], known[0][2]);
  EXPECT_NE(known[0][0], known[0][1]);
  EXPECT_THAT(groups_of(std::vector<RankHost>{{7, 0}, {0, 1}, {5, 2}}, 3), IsEmpty());
  EXPECT_THAT(groups_of(std::vector<RankHost>{{7, 0}, {7, 1}}, 2), IsEmpty());
  EXPECT_THAT(groups_of(hosts, 5), IsEmpty());
  EXPECT_THAT(groups_of(std::vector<RankHost>{{7, 0}, {5, 0}, {5, 2}}, 3), IsEmpty());
  Machine machine;
  machine.ranks = 5;
  machine.network = {NetworkLevel{.parents = {0, 0, 1, 1, 2}}, NetworkLevel{.parents = {0, 1, 1}},
                     NetworkLevel{}};
  EXPECT_THAT(groups_of(machine),
              ElementsAre(ElementsAre(0, 0, 1, 1, 2), ElementsAre(0, 0, 1, 1, 1)));
  machine.ranks = 4;
  machine.network = {NetworkLevel{.group_ranks = 2}, NetworkLevel{}};
  EXPECT_THAT(groups_of(machine), ElementsAre(ElementsAre(0, 0, 1, 1)));
}

TEST(Strategies, all_of_them_keep_to_what_quotas_are) {
  for (const StrategyKind* kind : plugin::all<StrategyKind>()) {
    if (kind->name == "none") continue;
    core::Random random(3);
    for (int job = 0; job < 20; ++job) {
      std::vector<std::uint32_t> tasks = random_tasks(random);
      const auto ranks = static_cast<std::int32_t>(tasks.size());
      const auto strategy = make_strategy({kind->name, {}}, ranks);
      for (std::uint64_t step = 0; step < 15; ++step) {
        for (std::uint32_t& count : tasks) {
          if (random.unit() < 0.1) count = static_cast<std::uint32_t>(random.below(200));
        }
        const std::vector<RankStep> measured = plain_step(tasks);
        const std::vector<Wait> waits = waits_for_the_latest(measured);
        std::vector<Emergency> emergencies;
        if (random.unit() < 0.3)
          emergencies.push_back({static_cast<std::int32_t>(random.below(tasks.size())), 1});
        std::set<std::pair<std::int32_t, std::int32_t>> pairs;
        for (const Quota& quota : strategy->decide({step, measured, waits, emergencies})) {
          ASSERT_TRUE(quota.from >= 0 && quota.from < ranks && quota.to >= 0 && quota.to < ranks);
          ASSERT_NE(quota.from, quota.to) << kind->name;
          ASSERT_GT(quota.tasks, 0U) << kind->name;
          ASSERT_TRUE(pairs.emplace(quota.from, quota.to).second) << kind->name;
        }
      }
    }
  }
}

TEST(Strategies, auto_offloads_nothing_where_nothing_is_gained) {
  const auto strategy = make_strategy({"auto", {}}, 4);
  const std::vector<RankStep> ranks = plain_step({1000, 1001, 999, 1003});
  EXPECT_THAT(strategy->decide({0, ranks, {}, {}}), IsEmpty());
}

TEST(Strategies, auto_ignores_a_step_that_is_out_of_line) {
  const auto strategy = make_strategy({"auto", {}}, 3);
  const std::vector<RankStep> usual = plain_step({300, 100, 200});
  std::vector<RankStep> late = usual;
  late[2].busy_seconds += 10;
  std::vector<Quota> before;
  for (std::uint64_t step = 0; step < 4; ++step) before = strategy->decide({step, usual, {}, {}});
  EXPECT_EQ(strategy->decide({4, late, {}, {}}), before);
  EXPECT_EQ(strategy->decide({5, usual, {}, {}}), before);
}

TEST(Strategies, auto_leaves_a_victim_alone_that_is_late_again_for_most) {
  const std::vector<RankStep> ranks = plain_step({300, 300, 300, 300, 0, 0});
  std::vector<Flow> flows;
  for (std::int32_t from = 0; from < 4; ++from) flows.push_back({from, 4, 60, 60});
  flows.push_back({0, 5, 60, 60});
  // The victim is late in steps 0 and `again`, that many times each.
  const auto gives_to_the_victim = [&](std::uint32_t times, std::uint64_t again) {
    const auto strategy = make_strategy({"auto", {}}, 6);
    std::vector<Quota> quotas = strategy->decide({0, ranks, {}, {}});
    std::vector<RankStep> shorter = ranks;  // steps are shorter than without offloading
    for (RankStep& rank : shorter) rank.seconds *= 0.8F;
    for (std::uint64_t step = 0; step <= again; ++step) {
      std::vector<Emergency> emergencies;
      if (step == 0 || step == again) emergencies.push_back({4, times});
      quotas = strategy->decide({step, step == 0 ? ranks : shorter, {}, emergencies, flows});
    }
    return std::ranges::any_of(quotas, [](const Quota& one) { return one.to == 4; });
  };
  EXPECT_TRUE(gives_to_the_victim(4, 0)) << "once";
  EXPECT_TRUE(gives_to_the_victim(4, 10)) << "once, and again much later";
  EXPECT_FALSE(gives_to_the_victim(4, 1));
  EXPECT_FALSE(gives_to_the_victim(2, 3));
  EXPECT_TRUE(gives_to_the_victim(1, 1)) << "for one of four";
}

TEST(Strategies, auto_counts_a_victim_with_two_reasons_in_a_step_once) {
  const std::vector<RankStep> ranks = plain_step({300, 300, 0});
  const std::vector<Flow> flows = {{0, 2, 60, 60}, {1, 2, 60, 60}};
  const std::vector<Emergency> both = {{2, 2}, {2, 2, EmergencyReason::late_own_data}};
  const auto strategy = make_strategy({"auto", {}}, 3);
  (void)strategy->decide({0, ranks, {}, {}});
  (void)strategy->decide({1, ranks, {}, both, flows});
  EXPECT_THAT(strategy->blacklisted(), IsEmpty());
  (void)strategy->decide({2, ranks, {}, both, flows});
  EXPECT_THAT(strategy->blacklisted(), SizeIs(1));
}

TEST(Strategies, auto_counts_tasks_in_the_step_in_which_they_are_computed) {
  // In the first step, ranks also spawn tasks of the next one, which are computed then: by the
  // tasks spawned in it, that step would look faster than those with offloading.
  const auto strategy = make_strategy({"auto", {}}, 2);
  std::vector<RankStep> first = plain_step({300, 100});
  for (RankStep& rank : first) rank.tasks += rank.tasks / 2;
  const std::vector<RankStep> second = plain_step({300, 100});
  std::vector<RankStep> shorter = second;
  for (RankStep& rank : shorter) rank.seconds *= 0.7F;
  (void)strategy->decide({0, first, {}, {}});
  (void)strategy->decide({1, second, {}, {}});
  for (std::uint64_t step = 2; step < 20; ++step)
    EXPECT_FALSE(strategy->decide({step, shorter, {}, {}}).empty()) << "step " << step;
}

bool never(std::size_t) { return false; }

/// Steps of two ranks, with 300 and 100 tasks, about which `auto` decides one after the other.
/// `part`: what a step takes of its usual time, by its number and its number among the steps with
/// offloading (from 1; 0: without). `is_late`: whether the victim is late in a step, by the latter
/// number. Returns how many decisions were to offload.
template <class Part, class IsLate>
std::size_t decisions_to_offload(std::uint64_t steps, const Part& part, const IsLate& is_late) {
  const auto strategy = make_strategy({"auto", {}}, 2);
  std::vector<RankStep> ranks = plain_step({300, 100});
  const float usual = ranks[0].seconds;
  std::size_t decisions = 0;
  bool is_offloading = false;
  for (std::uint64_t step = 0; step < steps; ++step) {
    const std::size_t with = is_offloading ? decisions : 0;
    std::vector<Flow> flows;
    std::vector<Emergency> emergencies;
    if (is_offloading) flows.push_back({0, 1, 60, 60});
    if (is_offloading && is_late(with)) emergencies.push_back({1, 1});
    for (RankStep& rank : ranks) rank.seconds = usual * part(step, with);
    is_offloading = !strategy->decide({step, ranks, {}, emergencies, flows}).empty();
    if (is_offloading) ++decisions;
  }
  return decisions;
}

/// The same, where all steps with offloading take `with` times as long.
std::size_t steps_with_offloading(std::uint64_t steps, float with) {
  const auto part = [with](std::uint64_t step, std::size_t offloading) {
    // The first step of a program is slow.
    return (step == 0 ? 1.5F : 1) * (offloading > 0 ? with : 1);
  };
  return decisions_to_offload(steps, part, never);
}

TEST(Strategies, auto_pauses_where_steps_are_no_shorter_than_without) {
  EXPECT_LE(steps_with_offloading(60, 1.1F), 8U);
  EXPECT_LE(steps_with_offloading(2'000, 1.1F), 60U);  // by a tenth of 3 %
  EXPECT_LE(steps_with_offloading(2'000, 1.0F), 60U);
}

TEST(Strategies, auto_goes_on_where_they_are_shorter) {
  EXPECT_EQ(steps_with_offloading(500, 0.7F), 499U);
  EXPECT_EQ(steps_with_offloading(500, 0.98F), 499U);
}

TEST(Strategies, auto_keeps_its_only_victim_as_long_as_steps_are_shorter) {
  const auto always = [](std::size_t) { return true; };
  const auto decisions = [&](float when_late) {
    const auto part = [when_late](std::uint64_t, std::size_t with) {
      return with > 0 ? when_late : 1;
    };
    return decisions_to_offload(60, part, always);
  };
  EXPECT_GE(decisions(0.7F), 57U);
  EXPECT_LE(decisions(1.1F), 10U);
}

TEST(Strategies, auto_goes_on_with_a_victim_that_it_had_left_alone) {
  // Steps in which it was left alone are no trial of offloading without success.
  const auto twice = [](std::size_t with) { return with == 9 || with == 10; };
  const auto part = [&](std::uint64_t, std::size_t with) {
    return with == 0 ? 1 : twice(with) ? 1.2F : 0.7F;
  };
  EXPECT_GE(decisions_to_offload(60, part, twice), 40U);
}

TEST(Strategies, auto_looks_again_when_steps_have_become_longer_for_another_reason) {
  const auto part = [](std::uint64_t step, std::size_t with) {
    return (with > 0 ? 0.7F : 1) * (step < 200 ? 1 : 1.6F);
  };
  EXPECT_GE(decisions_to_offload(400, part, never), 400U - 12U);
}

TEST(Strategies, an_unknown_one_is_refused_with_what_there_is) {
  try {
    (void)make_strategy(parse_plugin_choice("difusion"), 2);
    ADD_FAILURE() << "no error";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("--roam-offload"));
    EXPECT_THAT(error.what(), HasSubstr("diffusion"));
  }
}

}  // namespace

}  // namespace roam::offload
