// SPDX-License-Identifier: Apache-2.0
// F7: operations on collections give the same bits on any number of ranks.
#include <gmock/gmock.h>

#include <atomic>
#include <string>
#include <vector>

#include "flow/flow_part.hpp"
#include "flow/random_program.hpp"
#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "sanitizers.hpp"
#include "support/simulated.hpp"

namespace roam::flow::collections_test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Runs on threads; returns the number of differences from the program run line by line on each
/// rank.
std::uint64_t differences(std::int32_t ranks, std::uint32_t workers, std::uint32_t window,
                          std::uint64_t programs, const std::string& balancer = "none") {
  Options options;
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = workers;
  options.edit<FlowOptions>().window = window;
  options.balancer.name = balancer;
  std::atomic<std::uint64_t> different{0};
  std::atomic<std::uint64_t> compared{0};
  const int status = roam::run(options, [&](Runtime& rt) -> Task<> {
    rt.on_error([](const std::string&) {});
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      random_program::Shape shape;
      shape.seed = seed;
      shape.tasks = 12;
      shape.failures = seed % 3 == 0 ? 0.1 : 0;
      if (balancer != "none") shape.phases = 0.4;
      Flow serial(rt, at_once);
      const auto expected = co_await random_program::run_collections(serial, shape);
      Flow fl(rt);
      const auto found = co_await random_program::run_collections(fl, shape);
      if (found != expected) ++different;
      ++compared;
    }
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(compared.load(), programs * static_cast<std::uint64_t>(ranks));
  return different;
}

TEST(FlowCollectionsThreads, F7_random_operations_have_the_bits_of_the_serial_run) {
  const std::uint64_t programs = tests::has_sanitizer ? 15 : 60;
  EXPECT_EQ(differences(1, 2, 4096, programs), 0U);
  EXPECT_EQ(differences(2, 1, 4096, programs), 0U);
  EXPECT_EQ(differences(3, 2, 20, programs), 0U);
  EXPECT_EQ(differences(4, 1, 1, tests::has_sanitizer ? 3 : 10), 0U);
}

TEST(FlowCollectionsThreads, F9_the_same_where_elements_move_at_the_ends_of_phases) {
  const std::uint64_t programs = tests::has_sanitizer ? 10 : 40;
  EXPECT_EQ(differences(2, 2, 4096, programs, "rotate"), 0U);
  EXPECT_EQ(differences(3, 1, 20, programs, "random"), 0U);
}

struct Grain {
  double value = 0;
};

/// The sum over a collection, computed on that many ranks.
double sum_on(std::int32_t ranks, std::int64_t count) {
  SimulatedJobOptions options = testing::simulated(ranks);
  SimulatedJob job(options);
  double result = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto grains = fl.collection<Grain>(Index<1>{count});
    auto sum = fl.data<double>();
    fl.for_each([](Out<Grain> g, Index<1> at) { g->value = 1.0 / static_cast<double>(3 + at[0]); },
                grains.own(), grains.index());
    fl.for_each([](const Grain& g, Reduce<double, std::plus<>> s) { s(g.value); }, grains.own(),
                sum);
    const double here = co_await sum.get();
    if (rt.rank() == rt.size() - 1) result = here;
  });
  EXPECT_TRUE(ok) << job.error();
  return result;
}

// As documented: split at the largest power of two below the count, and each part likewise.
double tree_sum(std::int64_t first, std::int64_t count) {
  if (count == 1) return 1.0 / static_cast<double>(3 + first);
  std::int64_t half = 1;
  while (2 * half < count) half *= 2;
  return tree_sum(first, half) + tree_sum(first + half, count - half);
}

TEST(FlowCollections, F7_a_reduction_has_the_bits_of_the_tree_over_the_indices) {
  for (const std::int64_t count : {1, 2, 7, 64, 1000}) {
    for (const std::int32_t ranks : {1, 2, 3, 5, 8, 70})
      EXPECT_EQ(sum_on(ranks, count), tree_sum(0, count));
  }
}

template <class Program>
std::string error_of(Program program, std::int32_t ranks = 2) {
  SimulatedJob job(testing::simulated(ranks));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto cells = fl.collection<Grain>(Index<1>{8}).named("cells");
    co_await program(rt, fl, cells);
  });
  EXPECT_FALSE(ok);
  return job.error();
}

TEST(FlowCollections, F4_what_cannot_be_is_said_in_words) {
  using Cells = Collection<Grain, 1>;
  const auto init = [](Flow& fl, const Cells& cells) {
    fl.for_each([](Out<Grain> g) { g->value = 1; }, cells.own());
  };
  EXPECT_THAT(error_of([](Runtime&, Flow& fl, const Cells& cells) -> Task<> {
                fl.for_each([](Grain& g) { ++g.value; }, cells.own());
                co_return;
              }),
              HasSubstr("modifies elements that no task has written: cells"));
  EXPECT_THAT(error_of([&](Runtime&, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                fl.for_each([](Grain& g, const Grain& left) { g.value += left.value; }, cells.own(),
                            cells.at(-1));
                co_return;
              }),
              HasSubstr("modifies a collection of which it uses elements by another argument"));
  EXPECT_THAT(error_of([&](Runtime&, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                fl.for_each([](Out<Grain>) {}, cells.at(1));
                co_return;
              }),
              HasSubstr("overwrites an element at an offset"));
  EXPECT_THAT(error_of([&](Runtime& rt, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                auto sum = fl.data<double>();
                if (rt.rank() == 0) {
                  fl.for_each([](const Grain& g, Reduce<double, std::plus<>> s) { s(g.value); },
                              cells.own(), sum);
                  (void)co_await sum.get();
                }
              }),
              AllOf(HasSubstr("contributions to datum (double, collections_test.cpp:"),
                    HasSubstr("of ranks 1"), HasSubstr("do all ranks issue the same operations?")));
  EXPECT_THAT(error_of([&](Runtime& rt, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                auto others = fl.collection<Grain>(cells.extent());
                if (rt.rank() == 1) co_return;
                fl.for_each([](const Grain& right, Out<Grain> g) { *g = right; }, cells.at(1),
                            others.own());
                co_await fl.done();
              }),
              HasSubstr("version 1 of cells[4] (roam::flow::collections_test::"));
}

}  // namespace

}  // namespace roam::flow::collections_test
