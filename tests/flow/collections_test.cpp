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
                          std::uint64_t programs, const std::string& balancer = "none",
                          double moves = 0) {
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
      shape.moves = moves;
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

TEST(FlowCollectionsThreads, F9_the_same_where_elements_move_within_phases) {
  const std::uint64_t programs = tests::has_sanitizer ? 15 : 60;
  EXPECT_EQ(differences(2, 2, 4096, programs, "diffusion", 0.5), 0U);
  EXPECT_EQ(differences(3, 1, 20, programs, "work_stealing", 0.5), 0U);
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

bool is_listed(Index<3> at, Index<3> /*extent*/) { return at[0] == 1 || (at[1] + at[2]) % 4 == 1; }
constexpr std::int64_t length = 7;

/// The sum over some elements of a cube, on that many ranks, by the way in which they are given.
double sparse_sum_on(std::int32_t ranks, const Placement& placement, bool by_list) {
  SimulatedJob job(testing::simulated(ranks));
  double result = 0;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    const Index<3> extent{length, length, length};
    std::vector<Index<3>> those;
    for (std::int64_t k = 0; k < length * length * length; ++k) {
      const Index<3> at{k / length / length, k / length % length, k % length};
      if (is_listed(at, extent)) those.push_back(at);
    }
    Flow fl(rt);
    const auto some =
        by_list ? Indices<3>::listed(extent, those) : Indices<3>::where<&is_listed>(extent);
    auto grains = fl.collection<Grain>(some, placement);
    auto sum = fl.data<double>();
    fl.for_each(
        [](Out<Grain> g, Index<3> at) {
          EXPECT_TRUE(is_listed(at, at));
          g->value = 1.0 / static_cast<double>(3 + at[0] * 100 + at[1] * 10 + at[2]);
        },
        grains.own(), grains.index());
    fl.for_each([](const Grain& g, Reduce<double, std::plus<>> s) { s(g.value); }, grains.own(),
                sum);
    const double here = co_await sum.get();
    if (rt.rank() == rt.size() - 1) result = here;
  });
  EXPECT_TRUE(ok) << job.error();
  return result;
}

// As documented: the tree over the numbers of all indices, of which some have no value.
double sparse_tree_sum(std::int64_t first, std::int64_t count) {
  if (count == 1) {
    const Index<3> at{first / length / length, first / length % length, first % length};
    const double value = 1.0 / static_cast<double>(3 + at[0] * 100 + at[1] * 10 + at[2]);
    return is_listed(at, at) ? value : 0;
  }
  std::int64_t half = 1;
  while (2 * half < count) half *= 2;
  return sparse_tree_sum(first, half) + sparse_tree_sum(first + half, count - half);
}

TEST(FlowCollections, F7_reductions_over_some_indices_have_the_same_bits_on_any_number_of_ranks) {
  const double expected = sparse_tree_sum(0, length * length * length);
  for (const std::int32_t ranks : {1, 3, 8, 60}) {
    EXPECT_EQ(sparse_sum_on(ranks, Placement::block(), false), expected);
    EXPECT_EQ(sparse_sum_on(ranks, Placement::block(), true), expected);
    EXPECT_EQ(sparse_sum_on(ranks, Placement::cyclic(), false), expected);
    EXPECT_EQ(sparse_sum_on(ranks, Placement::cyclic(), true),
              sparse_sum_on(1, Placement::cyclic(), true));
  }
}

bool is_odd(Index<1> at, Index<1> /*extent*/) { return at[0] % 2 == 1; }
Index<1> left_of(Index<1> at, Index<1> /*extent*/) { return {at[0] - 1}; }
std::vector<Index<1>> right_of(Index<1> at, Index<1> /*extent*/) { return {Index<1>{at[0] + 1}}; }
std::vector<Index<1>> nobody(Index<1> /*at*/, Index<1> /*extent*/) { return {}; }

TEST(FlowCollections, F7_neighbours_where_there_is_no_element_are_the_border) {
  SimulatedJob job(testing::simulated(3));
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto odd = fl.collection<int>(Indices<1>::where<&is_odd>(Index<1>{8}));
    fl.for_each([](Out<int> x, Index<1> at) { *x = static_cast<int>(at[0]); }, odd.own(),
                odd.index());
    auto edge = fl.data(100);
    fl.work([](int& x) { x += 100; }, edge);
    fl.for_each(
        [](Neighbours<int, 1> in, const int& right, const int& left, const int& left_by_map,
           const int& x, Index<1> at) {
          EXPECT_EQ(in.size(), 2U);
          EXPECT_EQ(in.offset(0), Index<1>{-1});
          EXPECT_EQ(in.at(-1), 0);  // even ones do not exist
          EXPECT_EQ(in[1], 0);
          EXPECT_EQ(right, at[0] + 2 < 8 ? x + 2 : -5);
          EXPECT_EQ(left, at[0] - 2 >= 0 ? x - 2 : 200);
          EXPECT_EQ(left_by_map, 7);
          EXPECT_THROW((void)in.at(0), Error);
        },
        odd.faces(), odd.at(2).border(-5), odd.at(-2).border(edge),
        odd.at<&left_of, &right_of>().border(7), odd.own(), odd.index());
    // In three dimensions, six share a face with one; all 26 are that element itself.
    const Index<3> one{1, 1, 1};
    auto cube = fl.collection<int>(one);
    fl.for_each([](Out<int> x) { *x = 1; }, cube.own());
    auto seen = fl.data<int>();
    fl.for_each(
        [](Neighbours<int, 3> all, Neighbours<int, 3> faces, Reduce<int, std::plus<>> count,
           const int& /*own*/) {
          EXPECT_EQ(faces.at(0, -1, 0), 3);
          for (std::size_t i = 0; i < all.size(); ++i) count(all[i]);
          for (std::size_t i = 0; i < faces.size(); ++i) count(faces[i] * 100);
        },
        cube.neighbours().periodic(), cube.faces().border(3), seen, cube.own());
    EXPECT_EQ(co_await seen.get(), 26 + 6 * 300);
  });
  EXPECT_TRUE(ok) << job.error();
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
  EXPECT_THAT(error_of([&](Runtime&, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                auto others = fl.collection<Grain>(cells.extent());
                fl.for_each([](const Grain& left, Out<Grain> g) { *g = left; },
                            cells.at<&left_of, &nobody>(), others.own());
                co_return;
              }),
              AllOf(HasSubstr("contradict each other: of cells"), HasSubstr(" reads (")));
  EXPECT_THAT(error_of([&](Runtime&, Flow& fl, const Cells&) -> Task<> {
                auto some = fl.collection<Grain>(Indices<1>::where<&is_odd>(Index<1>{8}));
                init(fl, some.named("some"));
                const Index<1> at{2};
                (void)co_await fl.copy_of(some, at).get();
              }),
              HasSubstr("(2) is no element of some"));
  EXPECT_THAT(error_of([&](Runtime&, Flow&, const Cells&) -> Task<> {
                const std::vector<Index<1>> those(1, Index<1>{8});
                (void)Indices<1>::listed(Index<1>{8}, those);
                co_return;
              }),
              HasSubstr("index (8) is listed for a collection of extent (8)"));
  EXPECT_THAT(error_of([&](Runtime&, Flow& fl, const Cells& cells) -> Task<> {
                init(fl, cells);
                auto some = fl.collection<Grain>(Indices<1>::where<&is_odd>(Index<1>{8}));
                fl.for_each([](const Grain& other, Out<Grain> g) { *g = other; }, cells.own(),
                            some.own());
                co_return;
              }),
              HasSubstr("uses collections of different indices or placement"));
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
              AllOf(HasSubstr("a flow waits for version 1 of cells[4] (roam::flow::"),
                    HasSubstr("waits for cells[4] (roam::flow::"),
                    HasSubstr("to be written by task receive (collections_test.cpp:")));
}

}  // namespace

}  // namespace roam::flow::collections_test
