// SPDX-License-Identifier: Apache-2.0
// F9: where a policy moves elements within a phase, their tasks run on the rank that they have been
// moved to, and everything else is as if they had stayed. That values do not depend on this is
// tested in tests/flow/chaos_scenario.hpp, too.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::moving_test {

namespace {

using ::testing::HasSubstr;

SimulatedJobOptions on(std::int32_t ranks, const std::string& balancer) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.balancer.name = balancer;
  return options;
}

using Block = std::vector<double>;

/// The first quarter of the elements, which is that of rank 0, takes ten times as long.
void relax(Block& own, const double& left, const double& right, Index<1> at,
           Reduce<double, std::plus<>> sum) {
  here().compute(std::chrono::microseconds(at[0] < 16 ? 2000 : 200));
  for (double& x : own) x += (left - right) / 3;
  sum(own.front());
}
void edge(const Block& own, Out<double> out) { *out = own.back() * 0.5; }

struct Program {
  int steps = 30;
  std::size_t block_size = 100;
  int phase_steps = 0;  // 0: no phase ends
};

struct Outcome {
  std::vector<double> sums;
  double seconds = 0;
  std::uint64_t moves = 0;
  std::uint64_t bytes = 0;  // that all ranks have sent
};

Outcome outcome_of(const SimulatedJobOptions& options, const Program& program = {}) {
  SimulatedJob job(options);
  Outcome outcome;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    {
      Flow fl(rt);
      auto blocks = fl.collection<Block>(Index<1>{64});
      auto edges = fl.collection<double>(Index<1>{64});
      auto sum = fl.data<double>();
      fl.for_each([](Out<Block> own, Index<1> at,
                     std::size_t size) { own->assign(size, static_cast<double>(at[0])); },
                  blocks.own(), blocks.index(), program.block_size);
      for (int step = 1; step <= program.steps; ++step) {
        fl.for_each<&edge>(blocks.own(), edges.own());
        fl.for_each<&relax>(blocks.own(), edges.at(-1), edges.at(1), blocks.index(), sum);
        const double now = co_await sum.get();
        if (rt.rank() == 0) outcome.sums.push_back(now);
        if (program.phase_steps > 0 && step % program.phase_steps == 0) co_await fl.phase();
      }
      co_await fl.done();
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().resident_count(), 0U);
    if (rt.rank() == 0) outcome.seconds = seconds(rt.engine().now());
    outcome.moves += rt.balancer().stats().migrations_moved;
    outcome.bytes += rt.messenger().stats().bytes_sent;
  });
  EXPECT_TRUE(ok) << job.error();
  return outcome;
}

TEST(FlowMoving, F9_tasks_run_where_a_policy_has_moved_their_elements) {
  const Outcome without = outcome_of(on(4, "none"));
  EXPECT_EQ(without.moves, 0U);
  for (const char* balancer : {"diffusion", "work_stealing"}) {
    const Outcome with = outcome_of(on(4, balancer));
    EXPECT_EQ(with.sums, without.sums) << balancer;
    EXPECT_GT(with.moves, 8U) << balancer;
    EXPECT_LT(with.seconds, without.seconds * 0.6) << balancer;
  }
}

TEST(FlowMoving, F9_elements_stay_beyond_the_phase_where_policies_have_moved_them) {
  const Program program{.steps = 60, .phase_steps = 10};
  const Outcome without = outcome_of(on(4, "none"), program);
  const Outcome with = outcome_of(on(4, "diffusion"), program);
  EXPECT_EQ(with.sums, without.sums);
  EXPECT_LT(with.seconds, without.seconds * 0.6);
}

// 64 blocks of 80 kB, of which a quarter is on other ranks for 100 steps: with each task, they
// would have to be sent twice.
TEST(FlowMoving, F9_large_elements_are_sent_once_and_stay_where_their_tasks_run) {
  const Program program{.steps = 100, .block_size = 10'000};
  const Outcome without = outcome_of(on(4, "none"), program);
  const Outcome with = outcome_of(on(4, "diffusion"), program);
  EXPECT_EQ(with.sums, without.sums);
  EXPECT_GT(with.moves, 8U);
  EXPECT_LT(with.seconds, without.seconds * 0.6);
  EXPECT_LT(with.bytes - without.bytes, with.moves * 3 * 80'000);
}

/// Reads 4 MB besides its element for 300 us.
void look_up(Block& own, const Block& table, Index<1> at) {
  here().compute(std::chrono::microseconds(at[0] < 16 ? 300 : 30));
  own.front() += table.at(static_cast<std::size_t>(at[0]));
}

TEST(FlowMoving, F9_tasks_that_read_more_than_can_be_sent_meanwhile_stay) {
  double took[2] = {};
  for (const bool is_balanced : {false, true}) {
    SimulatedJob job(on(4, is_balanced ? "work_stealing" : "none"));
    const bool ok = job.run([&](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto table = fl.data(Block(500'000, 1.0));
      auto blocks = fl.collection<Block>(Index<1>{64});
      fl.for_each([](Out<Block> own) { own->assign(4, 0.0); }, blocks.own());
      for (int step = 0; step < 100; ++step)
        fl.for_each<&look_up>(blocks.own(), table, blocks.index());
      EXPECT_EQ((co_await fl.copy_of(blocks, Index<1>{3}).get()).front(), 100);
      co_await fl.done();
      co_await rt.quiescence();
      if (rt.rank() == 0) took[is_balanced ? 1 : 0] = seconds(rt.engine().now());
    });
    EXPECT_TRUE(ok) << job.error();
  }
  EXPECT_LT(took[1], 1.2 * took[0]);
}

TEST(FlowMoving, F9_the_objects_of_elements_are_where_their_tasks_run) {
  SimulatedJob job(on(2, "work_stealing"));
  std::vector<std::int64_t> elsewhere(2);
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    const auto own = static_cast<std::size_t>(rt.rank().value());
    Flow fl(rt);
    auto blocks = fl.collection<Block>(Index<1>{64});
    auto edges = fl.collection<double>(Index<1>{64});
    EXPECT_FALSE(blocks.object({0}));
    fl.for_each([](Out<Block> block) { block->assign(4, 1.0); }, blocks.own());
    fl.for_each([](Out<double> edge) { *edge = 0; }, edges.own());
    auto sum = fl.data<double>();
    for (int step = 0; step < 30; ++step)
      fl.for_each<&relax>(blocks.own(), edges.own(), edges.own(), blocks.index(), sum);
    co_await fl.done();
    co_await rt.quiescence();
    for (std::int64_t i = 0; i < 64; ++i) {
      const ObjectId object = blocks.object({i});
      EXPECT_EQ(object, edges.object({i}));
      EXPECT_EQ(static_cast<bool>(object), i / 32 == rt.rank().value());
      if (object && rt.objects().place_of(object)->rank != rt.rank()) ++elsewhere[own];
    }
    EXPECT_THROW((void)blocks.object({64}), Error);
  });
  EXPECT_TRUE(ok) << job.error();
  EXPECT_GT(elsewhere[0], 3);
}

/// Runs a program on two ranks, with a policy that moves elements away from the first one.
void run_unequal(const std::function<Task<>(Runtime&, Flow&)>& program) {
  SimulatedJob job(on(2, "work_stealing"));
  std::uint64_t moves = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    rt.on_error([](const std::string&) {});  // of what nobody awaits
    {
      Flow fl(rt);
      co_await program(rt, fl);
      co_await fl.done();
    }
    co_await rt.quiescence();
    moves += rt.balancer().stats().migrations_moved;
    EXPECT_EQ(rt.objects().resident_count(), 0U);
  });
  EXPECT_TRUE(ok) << job.error();
  EXPECT_GT(moves, 0U);
}

void wear(Block& own, Index<1> at) {
  here().compute(std::chrono::microseconds(at[0] < 8 ? 1000 : 10));
  for (double& x : own) x += 1;
}
void fail_at_times(Block& own, Index<1> at, int step) {
  here().compute(std::chrono::microseconds(at[0] < 8 ? 1000 : 10));
  own.assign(3, -1.0);
  if ((at[0] + step) % 4 == 0) throw std::runtime_error("worn out");
}

template <class T>
Task<std::string> words_of(Handle<T> datum) {
  std::string words;
  try {
    (void)co_await datum.get();
  } catch (const TaskFailed& failed) {
    words = failed.what();
  }
  co_return words;
}

TEST(FlowMoving, F9_F5_failures_on_another_rank_are_those_of_the_element) {
  run_unequal([](Runtime&, Flow& fl) -> Task<> {
    auto blocks = fl.collection<Block>(Index<1>{16}).named("blocks");
    fl.for_each([](Out<Block> own) { own->assign(1000, 0.0); }, blocks.own());
    for (int step = 0; step < 20; ++step) fl.for_each<&wear>(blocks.own(), blocks.index());
    fl.for_each(
        {.name = "wear out"},
        [](Block& own, Index<1> at, int step) { fail_at_times(own, at, step); }, blocks.own(),
        blocks.index(), 0);
    fl.for_each<&wear>(blocks.own(), blocks.index());
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::string words = co_await words_of(fl.copy_of(blocks, Index<1>{i}));
      if (i % 4 == 0) {
        EXPECT_THAT(words, HasSubstr("task wear out (moving_test.cpp:"));
        EXPECT_THAT(words, HasSubstr("failed: worn out"));
      } else {
        EXPECT_EQ(words, "");
      }
    }
    // What is written anew is sound again.
    fl.for_each([](Out<Block> own) { own->assign(2, 5.0); }, blocks.own());
    fl.for_each<&wear>(blocks.own(), blocks.index());
    for (std::int64_t i = 0; i < 16; ++i)
      EXPECT_EQ(co_await fl.copy_of(blocks, Index<1>{i}).get(), Block(2, 6.0));
  });
}

TEST(FlowMoving, F9_parts_and_children_of_elements_that_have_moved_run_where_these_were) {
  run_unequal([](Runtime&, Flow& fl) -> Task<> {
    auto blocks = fl.collection<Block>(Index<1>{16});
    fl.for_each([](Out<Block> own, Index<1> at) { own->assign(10, static_cast<double>(at[0])); },
                blocks.own(), blocks.index());
    for (int step = 0; step < 10; ++step) {
      for (int k = 0; k < 3; ++k) fl.for_each<&wear>(blocks.own(), blocks.index());
      fl.for_each([](std::span<double> some) { some.front() += 100; }, blocks.own().part(2, 5));
      fl.for_each(
          [](Flow& inner, Handle<Block> own) {
            inner.work([](Block& all) { all.back() += 1000; }, own);
          },
          blocks.own());
    }
    for (std::int64_t i = 0; i < 16; ++i) {
      const Block block = co_await fl.copy_of(blocks, Index<1>{i}).get();
      EXPECT_EQ(block[0], static_cast<double>(i) + 30);
      EXPECT_EQ(block[2], static_cast<double>(i) + 1030);
      EXPECT_EQ(block[9], static_cast<double>(i) + 10'030);
    }
  });
}

TEST(FlowMoving, F9_F11_tasks_of_elements_that_have_moved_can_be_cancelled) {
  run_unequal([](Runtime&, Flow& fl) -> Task<> {
    auto blocks = fl.collection<Block>(Index<1>{16});
    fl.for_each([](Out<Block> own) { own->assign(1000, 0.0); }, blocks.own());
    for (int step = 0; step < 20; ++step) fl.for_each<&wear>(blocks.own(), blocks.index());
    (void)co_await fl.copy_of(blocks, Index<1>{0}).get();
    for (int step = 0; step < 20; ++step) fl.for_each<&wear>(blocks.own(), blocks.index());
    fl.cancel();
    EXPECT_THAT(co_await words_of(fl.copy_of(blocks, Index<1>{0})), HasSubstr("cancelled at"));
  });
}

// Tasks that are left when the Flow is gone need what objects on other ranks keep.
TEST(FlowMoving, F9_tasks_outlive_their_flow_wherever_their_elements_are) {
  SimulatedJob job(on(2, "work_stealing"));
  std::int64_t ended = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    {
      Flow fl(rt);
      auto blocks = fl.collection<Block>(Index<1>{16});
      fl.for_each([](Out<Block> own) { own->assign(1000, 0.0); }, blocks.own());
      for (int step = 0; step < 20; ++step) fl.for_each<&wear>(blocks.own(), blocks.index());
      fl.for_each([](Flow&, Handle<Block>) {}, blocks.own());  // on the issuer's rank
      fl.for_each<&wear>(blocks.own(), blocks.index());
    }
    co_await rt.quiescence();
    Flow next(rt);
    co_await next.done();
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().resident_count(), 0U);
    ++ended;
  });
  EXPECT_TRUE(ok) << job.error();
  EXPECT_EQ(ended, 2);
}

}  // namespace

}  // namespace roam::flow::moving_test
