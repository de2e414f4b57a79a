// SPDX-License-Identifier: Apache-2.0
// F9: at the ends of phases elements move according to the time of their tasks, and take all their
// data along. That values do not depend on this is tested in tests/flow/chaos_scenario.hpp.
#include <gmock/gmock.h>

#include <span>
#include <string>
#include <vector>

#include "flow/distributions.hpp"
#include "flow/flow_part.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::balancing_test {

namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Grain {
  std::int64_t value = 0;
};

SimulatedJobOptions on(std::int32_t ranks, const std::string& balancer) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.balancer.name = balancer;
  return options;
}

void start(Out<Grain> grain, Index<1> at) { grain->value = at[0]; }
/// The first half of the elements takes ten times as long.
void work(Grain& grain, const Grain& left, Index<1> at, Reduce<std::int64_t, std::plus<>> sum) {
  here().compute(std::chrono::microseconds(at[0] < 32 ? 1000 : 100));
  grain.value += left.value;
  sum(grain.value);
}
/// The same work, done by children.
void divided(Flow& fl, Handle<Grain> grain, Index<1> at) {  // NOLINT: a parameter of a task
  for (int i = 0; i < 2; ++i) {
    fl.work(
        [](Grain& g, Index<1> where) {
          here().compute(std::chrono::microseconds(where[0] < 32 ? 500 : 50));
          ++g.value;
        },
        grain, at);
  }
}

struct Outcome {
  std::vector<std::int64_t> sums;
  std::vector<double> imbalances;
  std::uint64_t moved = 0;
};

Outcome outcome_of(const SimulatedJobOptions& options, bool by_children) {
  SimulatedJob job(options);
  Outcome outcome;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    {
      Flow fl(rt);
      auto grains = fl.collection<Grain>(Index<1>{64});
      auto before = fl.collection<Grain>(Index<1>{64});
      auto sum = fl.data<std::int64_t>();
      fl.for_each<&start>(grains.own(), grains.index());
      for (int step = 0; step < 6; ++step) {
        fl.for_each([](const Grain& now, Out<Grain> then) { *then = now; }, grains.own(),
                    before.own());
        if (by_children) {
          fl.for_each<&divided>(grains.own(), grains.index());
          fl.for_each([](const Grain& g, Reduce<std::int64_t, std::plus<>> s) { s(g.value); },
                      grains.own(), sum);
        } else {
          fl.for_each<&work>(grains.own(), before.at(-1), grains.index(), sum);
        }
        const auto report = co_await fl.phase();
        const std::int64_t now = co_await sum.get();
        if (rt.rank() != 0) continue;
        outcome.sums.push_back(now);
        outcome.imbalances.push_back(report.imbalance());
        outcome.moved += report.moved_objects;
      }
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().resident_count(), 0U);
  });
  EXPECT_TRUE(ok) << job.error();
  return outcome;
}

class FlowBalancingOf : public ::testing::TestWithParam<bool> {};

TEST_P(FlowBalancingOf, F9_elements_move_by_what_their_tasks_take) {
  const Outcome without = outcome_of(on(4, "none"), GetParam());
  EXPECT_EQ(without.moved, 0U);
  EXPECT_NEAR(without.imbalances.back(), 0.82, 0.05);
  for (const char* balancer : {"refine", "greedy", "hybrid"}) {
    const Outcome with = outcome_of(on(4, balancer), GetParam());
    EXPECT_EQ(with.sums, without.sums) << balancer;
    EXPECT_GT(with.moved, 8U) << balancer;
    EXPECT_NEAR(with.imbalances.front(), 0.82, 0.05) << balancer;
    EXPECT_LT(with.imbalances.back(), 0.12) << balancer;
  }
}
INSTANTIATE_TEST_SUITE_P(Tasks, FlowBalancingOf, ::testing::Values(false, true),
                         [](const auto& one) { return one.param ? "children" : "alone"; });

/// Computes for a time that nobody states; the first half of the elements ten times as long.
void work_unstated(Grain& grain, Index<1> at) {
  volatile double x = 1;
  for (int i = at[0] < 32 ? 200'000 : 20'000; i > 0; --i) x = x * 0.5 + 1;
  grain.value += x > 0 ? 1 : 0;
}

TEST(FlowBalancing, F9_elements_move_by_what_the_simulation_has_measured) {
  SimulatedJobOptions options = on(4, "refine");
  options.options.simulate->measured_time_factor = 1;
  SimulatedJob job(options);
  std::vector<balance::PhaseReport> reports;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto grains = fl.collection<Grain>(Index<1>{64});
    fl.for_each<&start>(grains.own(), grains.index());
    for (int step = 0; step < 4; ++step) {
      fl.for_each<&work_unstated>(grains.own(), grains.index());
      const auto report = co_await fl.phase();
      if (rt.rank() == 0) reports.push_back(report);
    }
  });
  ASSERT_TRUE(ok) << job.error();
  EXPECT_GT(reports.front().imbalance(), 0.5);
  EXPECT_GT(reports.front().moved_objects, 8U);
  EXPECT_LT(reports.back().imbalance(), 0.4) << "the machine may be busy meanwhile";
}

/// Calls between objects, as strategies see them.
struct SeenCalls {
  std::size_t pairs = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const SeenCalls&, const SeenCalls&) = default;
};

/// Each of ten elements reads its left neighbour twice in each of five steps of a phase. Returns
/// what has been counted on all ranks, by phase.
std::vector<SeenCalls> calls_seen_on(std::int32_t ranks) {
  constexpr std::size_t phases = 4;
  std::vector<SeenCalls> seen(phases);
  SimulatedJob job(on(ranks, "rotate"));  // all elements move
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    const mobile::CallReader calls = rt.objects().record_calls();
    Flow fl(rt);
    auto grains = fl.collection<Grain>(Index<1>{10});
    auto before = fl.collection<Grain>(Index<1>{10});
    fl.for_each<&start>(grains.own(), grains.index());
    for (SeenCalls& phase : seen) {
      for (int step = 0; step < 5; ++step) {
        fl.for_each([](const Grain& now, Out<Grain> then) { *then = now; }, grains.own(),
                    before.own());
        for (int twice = 0; twice < 2; ++twice) {
          fl.for_each([](Grain& grain, const Grain& left) { grain.value += left.value; },
                      grains.own(), before.at(-1));
        }
      }
      (void)co_await fl.phase();
      for (const CallEdge& edge : calls.take()) {
        EXPECT_NE(edge.from, edge.to);
        ++phase.pairs;
        phase.calls += edge.calls;
        phase.bytes += edge.bytes;
      }
    }
  });
  EXPECT_TRUE(ok) << job.error();
  return seen;
}

TEST(FlowBalancing, F9_strategies_see_each_version_that_elements_read_of_others) {
  const SeenCalls each{9, 9 * 5, 9 * 5 * sizeof(Grain)};
  EXPECT_THAT(calls_seen_on(1), ::testing::Each(each));
  EXPECT_THAT(calls_seen_on(3), ::testing::Each(each));
  EXPECT_THAT(calls_seen_on(7), ::testing::Each(each));
}

// An element of the second collection has 100 numbers, one of the first only one.
TEST(FlowBalancing, F9_strategies_see_which_of_two_collections_of_one_line_is_read) {
  using Numbers = std::vector<std::int64_t>;
  std::vector<std::uint64_t> bytes;
  SimulatedJob job(on(2, "rotate"));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    const mobile::CallReader calls = rt.objects().record_calls();
    Flow fl(rt);
    auto sums = fl.collection<Grain>(Index<1>{2});
    std::vector<Collection<Numbers, 1>> made;
    for (int i = 0; i < 2; ++i) made.push_back(fl.collection<Numbers>(Index<1>{2}));
    fl.for_each<&start>(sums.own(), sums.index());
    const auto read_left = [&](std::size_t first, std::size_t second) {
      fl.for_each([](Grain& sum, const Numbers& one,
                     const Numbers& other) { sum.value += std::ssize(one) + std::ssize(other); },
                  sums.own(), made[first].at(-1), made[second].at(-1));
    };
    for (int phase = 0; phase < 3; ++phase) {
      fl.for_each([](Out<Numbers> few) { few->assign(1, 7); }, made[0].own());
      fl.for_each([](Out<Numbers> many) { many->assign(100, 7); }, made[1].own());
      read_left(phase == 1 ? 1 : 0, phase == 1 ? 0 : 1);
      (void)co_await fl.phase();
      for (const CallEdge& edge : calls.take()) bytes.push_back(edge.bytes);
    }
  });
  EXPECT_TRUE(ok) << job.error();
  EXPECT_THAT(bytes, ElementsAre(824, 824, 824));  // of each vector, its length and its numbers
}

// They are refused, not kept until their names are known: a peer could send names without end.
TEST(FlowBalancing, reads_of_collections_that_are_not_there_are_malformed) {
  SimulatedJob job(on(2, "none"));
  std::uint64_t rejected = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    if (rt.rank() == 1) {
      TellReads reads{.flow = 7, .number = 5, .notes = {}};
      reads.notes.push_back({.index = 3, .reader = 1, .messages = 1, .bytes = 8});
      rt.messenger().post(Rank(0), reads);
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) rejected = rt.messenger().stats().messages_rejected;
  });
  EXPECT_TRUE(ok) << job.error();
  EXPECT_EQ(rejected, 1U);
}

std::int32_t rank_now() { return here().rank().value(); }

TEST(FlowBalancing, F9_elements_of_one_index_stay_together_and_new_collections_join_them) {
  SimulatedJob job(on(3, "rotate"));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto a = fl.collection<Grain>(Index<1>{10});
    auto other = fl.collection<Grain>(Index<1>{11});
    const auto mark = [](Out<Grain> g) { g->value = rank_now(); };
    fl.for_each(mark, a.own());
    fl.for_each(mark, other.own());
    (void)co_await fl.phase();
    auto b = fl.collection<Grain>(Index<1>{10});
    fl.for_each(mark, b.own());
    auto different = fl.data<long>();
    fl.for_each(
        [](const Grain& x, const Grain& y, Reduce<long, std::plus<>> n) {
          n(y.value == rank_now() ? 0 : 1);
          n(x.value == rank_now() ? 0 : 100);
        },
        a.own(), b.own(), different);
    // All have moved, and the elements of b with those of a.
    EXPECT_EQ(co_await different.get(), 1000);
  });
  EXPECT_TRUE(ok) << job.error();
}

TEST(FlowBalancing, F9_a_failure_moves_with_its_element_and_so_does_that_nothing_is_there) {
  SimulatedJob job(on(3, "rotate"));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto grains = fl.collection<Grain>(Index<1>{6}).named("grains");
    auto unused = fl.collection<Grain>(Index<1>{6});
    fl.for_each(
        [](Out<Grain> g, Index<1> at) {
          if (at[0] == 4) throw Error("four is too many");
          g->value = at[0];
        },
        grains.own(), grains.index());
    (void)co_await fl.phase();
    (void)co_await fl.phase();
    auto fine = fl.copy_of(grains, Index<1>{3});
    auto failed = fl.copy_of(grains, Index<1>{4});
    EXPECT_EQ((co_await fine.get()).value, 3);
    std::string words;
    try {
      (void)co_await failed.get();
    } catch (const TaskFailed& error) {
      words = error.what();
    }
    EXPECT_THAT(words, HasSubstr("four is too many"));
    std::string error;
    try {
      fl.for_each([](Grain&) {}, unused.own());
    } catch (const Error& caught) {
      error = caught.what();
    }
    EXPECT_THAT(error, HasSubstr("no task has written"));
  });
  EXPECT_TRUE(ok) << job.error();
}

TEST(FlowBalancing, F9_failures_of_parts_that_have_moved_end_with_a_new_value) {
  SimulatedJob job(on(3, "rotate"));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    rt.on_error([](const std::string&) {});  // of those that nobody awaits
    Flow fl(rt);
    auto rows = fl.collection<std::vector<double>>(Index<1>{6});
    const auto fill = [](Out<std::vector<double>> row) { row->assign(4, 1.0); };
    fl.for_each(fill, rows.own());
    fl.for_each([](std::span<double>) { throw Error("too low"); }, rows.own().part(0, 2));
    (void)co_await fl.phase();
    // Fails as a whole, although nothing on this rank has used parts.
    fl.for_each([](std::vector<double>& row) { row[0] = 2; }, rows.own());
    co_await fl.done();
    fl.for_each(fill, rows.own());
    fl.for_each([](std::span<double> part) { part[1] = 3; }, rows.own().part(0, 2));
    auto row = fl.copy_of(rows, Index<1>{4});
    try {
      EXPECT_THAT(co_await row.get(), ElementsAre(1, 3, 1, 1));
    } catch (const TaskFailed& failed) {
      ADD_FAILURE() << failed.what();
    }
  });
  EXPECT_TRUE(ok) << job.error();
}

/// Number of messages that rank 0 sends between two phases.
std::uint64_t messages_of_rank_0(std::int32_t ranks) {
  SimulatedJob job(on(ranks, "rotate"));
  std::uint64_t sent = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto grains = fl.collection<Grain>(Index<1>{4 * ranks});
    auto next = fl.collection<Grain>(Index<1>{4 * ranks});
    fl.for_each<&start>(grains.own(), grains.index());
    (void)co_await fl.phase();
    const std::uint64_t before = rt.messenger().counted_sent();
    for (int step = 0; step < 10; ++step) {
      fl.for_each([](const Grain& left, Out<Grain> g) { *g = left; }, grains.at(-1), next.own());
      fl.for_each([](const Grain& left, Out<Grain> g) { *g = left; }, next.at(-1), grains.own());
    }
    co_await fl.done();
    if (rt.rank() == 0) sent = rt.messenger().counted_sent() - before;
  });
  EXPECT_TRUE(ok) << job.error();
  return sent;
}

TEST(FlowBalancing, F9_what_a_rank_does_does_not_grow_with_the_number_of_ranks) {
  const std::uint64_t few = messages_of_rank_0(8);
  EXPECT_LE(few, 30U);
  EXPECT_EQ(messages_of_rank_0(64), few);
}

}  // namespace

}  // namespace roam::flow::balancing_test
