// SPDX-License-Identifier: Apache-2.0
// Which tasks may run at the same time, which have to wait, and the texts of errors. In virtual
// time, so that the time of a program shows what ran concurrently.
#include <gmock/gmock.h>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "flow/flow_part.hpp"
#include "flow/timed_programs.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "sanitizers.hpp"
#include "support/simulated.hpp"

namespace roam::flow::tasks_test {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using timed_programs::error_of;
using timed_programs::take;
using timed_programs::units_of;

struct Sum {
  int value = 0;
};

void reads(const Sum& sum, int units) {
  take(units);
  if (sum.value < 0) throw Error("negative");
}
void adds(Sum& sum, int units) {
  take(units);
  ++sum.value;
}
void writes(Out<Sum> sum, int value, int units) {
  take(units);
  sum->value = value;
}

TEST(FlowTasks, F2_readers_run_beside_each_other_and_writers_alone) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{});
                for (int i = 0; i < 4; ++i) fl.work<&reads>(x, 1);
                for (int i = 0; i < 2; ++i) fl.work<&adds>(x, 1);
                EXPECT_EQ((co_await x.get()).value, 2);
              }),
              3, 0.1);
}

TEST(FlowTasks, F2_what_overwrites_does_not_wait_for_readers) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{3});
                fl.work<&reads>(x, 5);
                fl.work<&writes>(x, 4, 1);
                fl.work<&reads>(x, 1);
                EXPECT_EQ((co_await x.get()).value, 4);
              }),
              5, 0.1);
}

TEST(FlowTasks, F2_commuting_tasks_take_turns_in_any_order) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{});
                auto late = fl.data(Sum{});
                fl.work<&adds>(late, 2);
                // The first waits for `late`; the second need not wait for the first.
                fl.work(
                    [](Commute<Sum> sum, const Sum& other) {
                      take(1);
                      sum->value += other.value;
                    },
                    x, late);
                fl.work(
                    [](Commute<Sum> sum) {
                      take(2);
                      sum->value += 10;
                    },
                    x);
                EXPECT_EQ((co_await x.get()).value, 11);
              }),
              3, 0.1);
}

struct Digits {
  long operator()(long a, long b) const { return 10 * a + b; }
};

TEST(FlowTasks, F2_what_accumulates_runs_at_once_and_is_combined_in_order) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(9L);
                for (int i = 1; i <= 4; ++i) {
                  fl.work(
                      [](Accumulate<long, Digits> digits, int digit) {
                        take(5 - digit);  // the last one ends first
                        digits(digit);
                      },
                      x, i);
                }
                EXPECT_EQ(co_await x.get(), 91234);
              }),
              4, 0.1);
}

TEST(FlowTasks, F2_what_is_urgent_runs_first_of_what_is_ready) {
  SimulatedJob job(testing::simulated(1, 1, 1));
  static std::string order;  // of one simulated worker
  order.clear();
  const bool ok = job.run([](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto gate = fl.data(Sum{});
    fl.work<&adds>(gate, 1);  // all others become ready when it ends
    const auto note = [](const Sum&, char which) { order += which; };
    for (const char which : {'a', 'b'})
      fl.work({.name = "low", .priority = Priority::low}, note, gate, which);
    for (const char which : {'m', 'n'}) fl.work(note, gate, which);
    for (const char which : {'x', 'y'})
      fl.work({.name = "high", .priority = Priority::high}, note, gate, which);
    auto cells = fl.collection<Sum>(Index<1>{2});
    fl.for_each(
        {.name = "start", .priority = Priority::low}, [](Out<Sum>, const Sum&) { order += 'e'; },
        cells.own(), gate);
    co_await fl.done();
  });
  EXPECT_TRUE(ok) << job.error();
  ASSERT_EQ(order.size(), 8U);
  EXPECT_THAT(order.substr(0, 2), ::testing::AnyOf("xy", "yx"));
  EXPECT_THAT(order.substr(2, 2), ::testing::AnyOf("mn", "nm"));
}

TEST(FlowTasks, F11_what_has_not_begun_can_be_cancelled) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{});
                auto early = fl.data(Sum{});
                auto fresh = fl.data(Sum{});
                fl.work<&adds>(early, 2);
                fl.work(
                    [](Flow& inner, Handle<Sum> sum) {
                      for (int i = 0; i < 50; ++i) inner.work<&adds>(sum, 1);
                    },
                    x);
                for (int i = 0; i < 50; ++i) fl.work<&adds>(fresh, 1);
                EXPECT_EQ((co_await early.get()).value, 1);
                fl.cancel();
                fl.work<&adds>(early, 1);  // issued later: runs
                fl.work<&writes>(fresh, 7, 1);
                EXPECT_EQ((co_await early.get()).value, 2);
                EXPECT_EQ((co_await fresh.get()).value, 7);
                std::string words;
                try {
                  (void)co_await x.get();
                } catch (const TaskFailed& failed) {
                  words = failed.what();
                }
                EXPECT_THAT(words, HasSubstr("cancelled at tasks_test.cpp:"));
              }),
              3.5, 0.6);
}

TEST(FlowTasks, F3_later_siblings_wait_for_the_children) {
  EXPECT_NEAR(units_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{});
                fl.work(
                    [](Flow& inner, Handle<Sum> sum) {
                      for (int i = 0; i < 3; ++i) inner.work<&adds>(sum, 1);
                    },
                    x);
                fl.work([](Sum& sum) { sum.value *= 100; }, x);
                EXPECT_EQ((co_await x.get()).value, 300);
              }),
              3, 0.1);
}

TEST(FlowTasks, F3_children_may_give_a_datum_its_first_value) {
  units_of([](Flow& fl) -> Task<> {
    auto x = fl.data<Sum>();
    fl.work(
        [](Flow& inner, Handle<Sum> sum) {
          inner.work<&writes>(sum, 5, 1);
          inner.work([](Flow& deeper, Handle<Sum> s) { deeper.work<&adds>(s, 1); }, sum);
        },
        x);
    EXPECT_EQ((co_await x.get()).value, 6);
  });
}

TEST(FlowTasks, F8_a_loop_is_decided_by_tasks_while_the_program_goes_on) {
  units_of([](Flow& fl) -> Task<> {
    auto left = fl.data(5L);
    auto x = fl.data(Sum{});
    fl.while_([](const long& n) { return n > 0; },
              [](Flow& inner, Handle<long> n, Handle<Sum> sum) {
                inner.work<&adds>(sum, 1);
                inner.work([](long& m) { --m; }, n);
              },
              left, x);
    fl.if_([](const Sum& sum) { return sum.value == 5; },
           [](Flow& inner, Handle<Sum> sum) { inner.work<&writes>(sum, 100, 1); }, x);
    fl.if_([](const Sum& sum) { return sum.value != 100; },
           [](Flow& inner, Handle<Sum> sum) { inner.work<&writes>(sum, 200, 1); }, x);
    fl.work<&adds>(x, 1);
    EXPECT_EQ((co_await x.get()).value, 101);
  });
}

TEST(FlowTasks, F4_reading_what_nobody_has_written_is_an_error_that_names_both) {
  for (const char* backend : {"roam", "serial"}) {
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto x = fl.data<Sum>().named("x");
                      fl.work(
                          {.name = "look"}, [](const Sum&) {}, x);
                      co_return;
                    },
                    backend),
                AllOf(HasSubstr("task look (tasks_test.cpp:"), HasSubstr("reads x ("),
                      HasSubstr("which no task has written")));
    EXPECT_THAT(error_of(
                    [](Flow& fl) -> Task<> {
                      auto x = fl.data<Sum>();
                      (void)co_await x.get();
                    },
                    backend),
                HasSubstr("which no task has written"));
  }
}

TEST(FlowTasks, F4_what_children_read_and_no_sibling_has_written_is_an_error_as_well) {
  EXPECT_THAT(error_of([](Flow& fl) -> Task<> {
                auto x = fl.data<Sum>();
                auto y = fl.data<Sum>();
                fl.work([](Flow&, Handle<Sum>) {}, x);  // it might have written x, but does not
                fl.work([](const Sum& a, Out<Sum> b) { *b = a; }, x, y);
                (void)co_await y.get();
              }),
              HasSubstr("which has no value"));
}

TEST(FlowTasks, F4_a_datum_given_twice_to_a_task_that_writes_it_is_an_error) {
  EXPECT_THAT(error_of([](Flow& fl) -> Task<> {
                auto x = fl.data(Sum{});
                fl.work([](const Sum&, const Sum&) {}, x, x);  // this is allowed
                fl.work([](const Sum&, Sum&) {}, x, x);
                co_return;
              }),
              AllOf(HasSubstr("reads and modifies"), HasSubstr("which it was given twice")));
}

TEST(FlowTasks, F5_a_failure_reaches_whoever_awaits_what_depends_on_it) {
  units_of([](Flow& fl) -> Task<> {
    auto x = fl.data(Sum{-1});
    auto y = fl.data(Sum{});
    fl.work(
        {.name = "first"},
        [](const Sum& sum, Sum& other) {
          if (sum.value < 0) throw Error("negative");
          ++other.value;
        },
        x, y);
    fl.work<&adds>(y, 1);  // does not run
    std::string words;
    try {
      (void)co_await y.get();
    } catch (const TaskFailed& failure) {
      words = failure.what();
      EXPECT_TRUE(failure.cause() != nullptr);
    }
    EXPECT_THAT(words, AllOf(HasSubstr("task first (tasks_test.cpp:"), HasSubstr("negative")));
    fl.work<&writes>(y, 8, 1);  // does not depend on earlier values
    EXPECT_EQ((co_await y.get()).value, 8);
  });
}

TEST(FlowTasks, F5_a_failure_of_which_nobody_is_told_ends_the_job) {
  EXPECT_THAT(error_of([](Flow& fl) -> Task<> {
                {
                  auto x = fl.data(Sum{-1});
                  fl.work<&reads>(x, 1);
                  auto y = fl.data<Sum>();
                  fl.work(
                      [](const Sum& a, Out<Sum> b) {
                        if (a.value < 0) throw Error("less than nothing");
                        *b = a;
                      },
                      x, y);
                }
                co_await fl.done();
              }),
              HasSubstr("negative"));
}

TEST(FlowTasks, F6_a_window_bounds_what_is_unfinished_and_nothing_gets_stuck) {
  for (const std::uint32_t window : {1U, 3U, 64U}) {
    units_of(
        [window](Flow& fl) -> Task<> {
          auto x = fl.data(Sum{});
          std::uint64_t most = 0;
          for (int i = 0; i < 1000; ++i) {
            fl.work([](Sum& sum) { ++sum.value; }, x);
            most = std::max(most, fl.scope().core().unfinished());
          }
          EXPECT_LE(most, window);
          fl.work(
              [](Flow& inner, Handle<Sum> sum) {
                for (int i = 0; i < 1000; ++i) inner.work([](Sum& s) { ++s.value; }, sum);
              },
              x);
          EXPECT_EQ((co_await x.get()).value, 2000);
        },
        [window](FlowOptions& options) { options.window = window; });
  }
}

struct Tally {
  long leaves = 0;
};
void grow(Flow& fl, Handle<Tally> tally, int depth) {
  if (depth == 0) {
    fl.work([](Commute<Tally> t) { ++t->leaves; }, tally);
    return;
  }
  auto left = fl.data(Tally{});
  auto right = fl.data(Tally{});
  fl.work<&grow>(left, depth - 1);
  fl.work<&grow>(right, depth - 1);
  fl.work([](const Tally& a, const Tally& b, Tally& sum) { sum.leaves += a.leaves + b.leaves; },
          left, right, tally);
}

TEST(FlowTasks, F6_trees_of_tasks_go_through_small_windows) {
  for (const std::uint32_t window : {1U, 5U, 4096U}) {
    for (const std::uint32_t workers : {1U, 3U}) {
      Options options;
      options.ranks = 1;
      options.ranks_given = true;
      options.workers = workers;
      options.edit<FlowOptions>().window = window;
      long leaves = 0;
      EXPECT_EQ(roam::run(options,
                          [&](Runtime& rt) -> Task<> {
                            Flow fl(rt);
                            auto tally = fl.data(Tally{});
                            fl.work<&grow>(tally, 12);
                            leaves = (co_await tally.get()).leaves;
                          }),
                0);
      EXPECT_EQ(leaves, 4096);
    }
  }
}

void three_and_one(const double& /*a*/, const double& /*b*/, const double& /*c*/, double& /*d*/) {}

TEST(FlowTasks, F6_a_pending_task_with_four_data_takes_192_bytes) {
  using Task = detail::BodyTask<Function<&three_and_one>, detail::DatumSlot<const double&>,
                                detail::DatumSlot<const double&>, detail::DatumSlot<const double&>,
                                detail::DatumSlot<double&>>;
  EXPECT_LE(sizeof(Task), 192U);
}

TEST(FlowTasks, F6_pages_of_pending_tasks_lie_next_to_each_other) {
  if (tests::has_sanitizer) GTEST_SKIP() << "a sanitizer's allocator keeps blocks apart";
  units_of([](Flow& fl) -> Task<> {
    constexpr std::uintptr_t page_bytes = 4096;
    BlockPool& pool = fl.scope().core().pool();
    // Enough that gaps which earlier programs have left in the heap do not count.
    std::vector<void*> blocks(50'000);
    std::set<std::uintptr_t> pages;
    for (void*& block : blocks) {
      block = pool.take(BlockPool::Kind::task, 192);
      pages.insert(reinterpret_cast<std::uintptr_t>(block) / page_bytes);
    }
    std::size_t neighbours = 0;
    for (const std::uintptr_t page : pages) neighbours += pages.count(page + 1);
    EXPECT_GT(neighbours, pages.size() * 3 / 4);
    for (void* block : blocks) BlockPool::free(block);
    co_return;
  });
}

TEST(FlowTasks, F6_a_flow_that_is_over_leaves_its_memory_to_the_next) {
  units_of([](Flow& fl) -> Task<> {
    Runtime& rt = here();
    const Core* last = nullptr;
    for (int i = 0; i < 3; ++i) {
      Flow other(rt);
      auto x = other.data(Sum{});
      for (int k = 0; k < 10; ++k) other.work<&adds>(x, 1);
      EXPECT_EQ((co_await x.get()).value, 10);
      co_await other.done();
      EXPECT_TRUE(last == nullptr || last == &other.scope().core());
      last = &other.scope().core();
    }
    EXPECT_NE(&fl.scope().core(), last);
  });
}

TEST(FlowTasks, F6_memory_stays_the_same_however_many_tasks_go_through_a_window) {
  Options options;
  options.ranks = 1;
  options.ranks_given = true;
  options.workers = 2;
  options.edit<FlowOptions>().window = 256;
  EXPECT_EQ(roam::run(options,
                      [&](Runtime& rt) -> Task<> {
                        Flow fl(rt);
                        std::vector<Handle<double>> data;
                        for (int i = 0; i < 64; ++i) data.push_back(fl.data(0.0));
                        const auto issue = [&](std::size_t count) {
                          for (std::size_t i = 0; i < count; ++i) {
                            fl.work<&three_and_one>(data[i % 64], data[(i + 1) % 64],
                                                    data[(i + 2) % 64], data[(i + 3) % 64]);
                          }
                        };
                        issue(5'000);
                        const std::size_t bytes = fl.scope().core().pool().bytes();
                        issue(200'000);
                        co_await fl.done();
                        // Each slot may store some free blocks.
                        EXPECT_LE(fl.scope().core().pool().bytes(), bytes + (64U << 10));
                      }),
            0);
}

}  // namespace

}  // namespace roam::flow::tasks_test
