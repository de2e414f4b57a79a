// SPDX-License-Identifier: Apache-2.0
// Who is said to have waited for whom in a step: for the rank that comes last to a collective
// operation or a phase, and for the ranks whose answers a program awaits.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "roam/trace/record_options.hpp"
#include "roam/trace/run_trace.hpp"
#include "support/simulated.hpp"

namespace roam::offload {

namespace {

using std::chrono::milliseconds;
using ::testing::FloatNear;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

/// Milliseconds of waiting by (who, for whom).
using Waits = std::map<std::pair<std::int32_t, std::int32_t>, float>;
using Step = std::function<Task<>(Runtime&)>;

auto wait(std::int32_t from, std::int32_t to, float expected_milliseconds) {
  return Pair(Pair(from, to), FloatNear(expected_milliseconds, 0.2F));
}

SimulatedJobOptions measured(std::int32_t ranks, std::uint64_t seed, std::uint32_t workers) {
  SimulatedJobOptions options = testing::simulated(ranks, seed, workers);
  options.options.edit<trace::RecordOptions>().trace = "/dev/null";
  options.shuffle_ties = true;
  options.message_delay = std::chrono::microseconds(20);
  options.reorder = true;
  return options;
}

/// Runs the step several times after set_up() and returns the waits of one of the last.
Waits waits_of(
    std::uint64_t seed, std::int32_t ranks, std::uint32_t workers, const Step& step,
    const Step& set_up = [](Runtime&) -> Task<> { co_return; }) {
  constexpr std::uint64_t steps = 5;
  SimulatedJob job(measured(ranks, seed, workers));
  Waits waits;
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    co_await set_up(rt);
    for (std::uint64_t i = 0; i < steps; ++i) {
      co_await rt.barrier();
      next_step(rt);
      co_await step(rt);
    }
    co_await rt.barrier();
    next_step(rt);
    co_await rt.quiescence();
    if (rt.rank() != 0) co_return;
    for (const trace::OffloadStep& one : Offloader::of(rt).step_records()) {
      if (one.step != steps - 1) continue;
      for (const trace::OffloadWait& edge : one.waits)
        if (edge.seconds > 100e-6)
          waits[{edge.from.value(), edge.to.value()}] = static_cast<float>(1e3 * edge.seconds);
    }
  })) << job.error();
  return waits;
}

/// Calls check(seed) for many orders of messages and events.
void for_many_seeds(const std::function<void(std::uint64_t)>& check) {
  for (std::uint64_t seed = 1; seed <= 20 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    check(seed);
  }
}

void compute_on(Runtime& rt, Rank rank, Duration time) {
  if (rt.rank() == rank) rt.compute(time);
}

int works(int time) {
  here().compute(milliseconds(time));
  return time;
}

struct Cell {
  int value = 0;
  int works(int time) {
    here().compute(milliseconds(time));
    return value += time;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};

TEST(Waits, in_a_barrier_are_for_the_rank_that_comes_last) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 4, 2, [](Runtime& rt) -> Task<> {
      compute_on(rt, 1, milliseconds(2));
      compute_on(rt, 2, milliseconds(6));
      co_return;
    });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(0, 2, 6), wait(1, 2, 4), wait(3, 2, 6)));
  });
}

TEST(Waits, in_other_collective_operations_are_for_the_rank_that_comes_last) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 3, 1, [](Runtime& rt) -> Task<> {
      compute_on(rt, 2, milliseconds(3));
      (void)co_await rt.allreduce<std::plus<>>(1.0);
      compute_on(rt, 2, milliseconds(4));
      (void)co_await rt.allgather(rt.rank().value());
    });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(0, 2, 7), wait(1, 2, 7)));
  });
}

TEST(Waits, at_the_end_of_a_phase_are_for_the_rank_that_comes_last) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 3, 1, [](Runtime& rt) -> Task<> {
      compute_on(rt, 1, milliseconds(5));
      co_await rt.phase();
    });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(0, 1, 5), wait(2, 1, 5)));
  });
}

TEST(Waits, for_an_answer_are_for_the_rank_that_gives_it) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 3, 1, [](Runtime& rt) -> Task<> {
      compute_on(rt, 2, milliseconds(5));
      if (rt.rank() == 0) (void)co_await rt.request<&works>(1, 5);
    });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(0, 1, 5)));
  });
}

TEST(Waits, for_a_mobile_object_are_for_the_rank_where_it_is_by_then) {
  for_many_seeds([](std::uint64_t seed) {
    mobile_ptr<Cell> cell;
    const Waits waits = waits_of(
        seed, 4, 1,
        [&](Runtime& rt) -> Task<> {
          compute_on(rt, 1, milliseconds(5));
          compute_on(rt, 3, milliseconds(5));
          if (rt.rank() == 0) (void)co_await cell.call<&Cell::works>(5);
        },
        [&](Runtime& rt) -> Task<> {
          if (rt.rank() == 1) {
            cell = rt.create<Cell>();
            co_await cell.migrate_and_wait(2);
          }
          co_await rt.barrier();
        });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(0, 2, 5)));
  });
}

TEST(Waits, for_an_object_of_the_same_rank_are_for_nobody) {
  for_many_seeds([](std::uint64_t seed) {
    mobile_ptr<Cell> cell;
    const Waits waits = waits_of(
        seed, 2, 2,
        [&](Runtime& rt) -> Task<> {
          rt.compute(rt.rank() == 0 ? milliseconds(0) : milliseconds(5));
          if (rt.rank() == 0) (void)co_await cell.call<&Cell::works>(5);
        },
        [&](Runtime& rt) -> Task<> {
          if (rt.rank() == 0) cell = rt.create<Cell>();
          co_return;
        });
    EXPECT_THAT(waits, IsEmpty());
  });
}

TEST(Waits, for_several_answers_count_once_and_end_with_each_of_them) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 4, 1, [](Runtime& rt) -> Task<> {
      compute_on(rt, 3, milliseconds(6));
      if (rt.rank() != 0) co_return;
      std::vector<am::Reply<int>> replies;
      replies.push_back(rt.request<&works>(1, 2));
      replies.push_back(rt.request<&works>(2, 6));
      (void)co_await roam::when_all(std::move(replies));
    });
    // Rank 1 itself waits for whoever is last: 2 or 3.
    EXPECT_EQ(waits.count({0, 1}), 1U);
    EXPECT_NEAR(waits.at({0, 1}), 2, 0.2);
    EXPECT_NEAR(waits.at({0, 2}), 4, 0.2);
  });
}

TEST(Waits, begin_when_the_program_awaits_the_answer) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 3, 4, [](Runtime& rt) -> Task<> {
      if (rt.rank() == 2) rt.compute(milliseconds(14));
      for (int i = 0; i < 2 && rt.rank() == 0; ++i) {
        rt.compute(milliseconds(5));  // three workers are idle, but do not wait for rank 1
        (void)co_await rt.request<&works>(1, 2);
      }
    });
    EXPECT_NEAR(waits.at({0, 1}), 2 * 4 * 2, 0.6);
  });
}

TEST(Waits, are_none_if_the_rank_computes_until_the_answer_is_there) {
  for_many_seeds([](std::uint64_t seed) {
    const Waits waits = waits_of(seed, 2, 1, [](Runtime& rt) -> Task<> {
      if (rt.rank() != 0) co_return;
      auto under_way = rt.request<&works>(1, 2);
      rt.compute(milliseconds(5));
      (void)co_await under_way;
    });
    EXPECT_THAT(waits, UnorderedElementsAre(wait(1, 0, 3)));
  });
}

TEST(Waits, for_calls_that_only_had_to_travel_are_none) {
  const std::vector<RankStep> ranks = {{.rank = 0, .workers = 1, .idle_seconds = 0.02F},
                                       {.rank = 1, .workers = 1, .idle_seconds = 1}};
  // Rank 0 is the one that others wait for, although its calls took 20 ms to travel.
  const std::vector<Wait> awaited = {{0, 1, 0.02F}};
  const std::vector<Wait> waits = measured_waits(ranks, awaited);
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(waits[0].from, 1);
}

TEST(Waits, of_which_a_report_has_the_longest) {
  constexpr std::int32_t ranks = 40;
  // One worker of each other rank answers, the other computes.
  const Waits waits = waits_of(1, ranks, 2, [](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) rt.compute(milliseconds(9 * 20 + 30 * 10));
    if (rt.rank() != 0) co_return;
    for (std::int32_t rank = 1; rank < ranks; ++rank)
      (void)co_await rt.request<&works>(rank, rank < 10 ? 20 : 10);
  });
  std::vector<float> of_rank_0;
  for (const auto& [pair, waited] : waits)
    if (pair.first == 0) of_rank_0.push_back(waited);
  std::ranges::sort(of_rank_0, std::greater<>());
  ASSERT_GE(of_rank_0.size(), 16U);
  EXPECT_LE(of_rank_0.size(), 17U) << "and one for the latest";
  for (std::size_t i = 0; i < 9; ++i) EXPECT_NEAR(of_rank_0[i], 2 * 20, 0.5);
}

}  // namespace

}  // namespace roam::offload
