// SPDX-License-Identifier: Apache-2.0
// F12: a graph that is replayed gives what its tasks give when they are tracked; what is replayed
// and what is not. Random programs: equivalence_test.cpp, schedules_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "flow/flow_part.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"

namespace roam::flow::graph_test {

namespace {

template <class Program>
void on_threads(std::int32_t ranks, std::uint32_t workers, const Program& program) {
  Options options;
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = workers;
  ASSERT_EQ(roam::run(options, [&](Runtime& rt) -> Task<> { co_await program(rt); }), 0);
}

FlowCounts counts(Runtime& rt) { return FlowPart::of(rt).counts(); }

void add(const long& a, long& b, long n) { b += a + n; }
void copy(const long& a, Out<long> b) { *b = a; }

TEST(FlowGraphs, F12_the_same_structure_is_replayed_with_other_data_and_values) {
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    std::array<Handle<long>, 2> x{fl.data(1L), fl.data(2L)};
    long expected[2] = {1, 2};
    for (long step = 0; step < 100; ++step) {
      fl.graph("step", [&] {
        auto own = fl.data(step);
        fl.work<&add>(x[0], x[1], step);
        fl.work<&copy>(x[1], x[0]);
        fl.work<&add>(own, x[0], 1L);
      });
      expected[1] += expected[0] + step;
      expected[0] = expected[1] + step + 1;
      for (long& value : expected) value %= 1000003;
      for (auto& one : x) fl.work([](long& value) { value %= 1000003; }, one);
      std::swap(x[0], x[1]);
      std::swap(expected[0], expected[1]);
    }
    EXPECT_EQ(co_await x[0].get(), expected[0]);
    EXPECT_EQ(co_await x[1].get(), expected[1]);
    EXPECT_EQ(counts(rt).graph_replays, 99U);
    EXPECT_EQ(counts(rt).replayed_tasks, 297U);
    EXPECT_EQ(counts(rt).graph_fallbacks, 0U);
  });
}

TEST(FlowGraphs, F12_a_difference_falls_back_to_tracking_and_is_counted) {
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(0L);
    auto y = fl.data(1L);
    const auto step = [&](int tasks, bool is_swapped) {
      fl.graph("step", [&] {
        for (int i = 0; i < tasks; ++i) fl.work<&add>(y, x, 1L);
        if (is_swapped) {
          fl.work<&add>(x, y, 1L);
        } else {
          fl.work<&add>(y, x, 1L);
        }
      });
    };
    step(3, false);
    step(3, false);
    EXPECT_EQ(counts(rt).graph_replays, 1U);
    step(3, true);  // other data at the end
    EXPECT_EQ(counts(rt).graph_fallbacks, 1U);
    EXPECT_EQ(counts(rt).replayed_tasks, 4U);
    step(3, true);
    EXPECT_EQ(counts(rt).graph_replays, 2U);
    step(2, false);  // fewer
    step(5, false);  // more
    EXPECT_EQ(counts(rt).graph_fallbacks, 3U);
    step(5, false);
    EXPECT_EQ(counts(rt).graph_replays, 3U);
    // Line by line.
    long a = 0;
    long b = 1;
    for (const auto& [tasks, is_swapped] : {std::pair{3, false},
                                            {3, false},
                                            {3, true},
                                            {3, true},
                                            {2, false},
                                            {5, false},
                                            {5, false}}) {
      for (int i = 0; i < tasks; ++i) a += b + 1;
      (is_swapped ? b : a) += (is_swapped ? a : b) + 1;
    }
    EXPECT_EQ(co_await x.get(), a);
    EXPECT_EQ(co_await y.get(), b);
  });
}

TEST(FlowGraphs, F12_a_body_that_throws_leaves_what_it_has_issued) {
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(0L);
    for (int step = 0; step < 4; ++step) {
      try {
        fl.graph("step", [&] {
          fl.work([](long& value) { ++value; }, x);
          if (step == 2) throw Error("no more");
          fl.work([](long& value) { value *= 2; }, x);
        });
      } catch (const Error&) {
      }
    }
    EXPECT_EQ(co_await x.get(), (((0 + 1) * 2 + 1) * 2 + 1 + 1) * 2);
  });
}

TEST(FlowGraphs, F12_failures_pass_on_and_a_new_value_ends_them) {
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(0L);
    auto y = fl.data(0L);
    for (int step = 0; step < 6; ++step) {
      fl.graph("step", [&] {
        fl.work(
            [](Out<long> value, int n) {
              *value = n;
              if (n == 3) throw Error("three");
            },
            x, step);
        fl.work<&copy>(x, y);
      });
      std::string found;
      try {
        found = std::to_string(co_await y.get());
      } catch (const TaskFailed& failed) {
        found = failed.what();
      }
      if (step == 3) {
        EXPECT_NE(found.find("three"), std::string::npos) << found;
      } else {
        EXPECT_EQ(found, std::to_string(step));
      }
    }
    EXPECT_EQ(counts(rt).graph_replays, 5U);
  });
}

TEST(FlowGraphs, F12_tasks_with_children_commuting_ones_and_decisions_are_replayed) {
  on_threads(1, 4, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto sum = fl.data(0L);
    auto n = fl.data(0L);
    for (int step = 0; step < 50; ++step) {
      fl.graph("step", [&] {
        for (long i = 0; i < 20; ++i) fl.work([](Commute<long> s, long k) { *s += k; }, sum, i);
        fl.work(
            [](Flow& inner, Handle<long> s) {
              for (int i = 0; i < 3; ++i) inner.work([](long& value) { ++value; }, s);
            },
            sum);
        fl.work([](const long& s, long& count) { count = s % 7; }, sum, n);
        fl.while_(
            [](const long& left) { return left > 0; },
            [](Flow& inner, Handle<long> left) { inner.work([](long& value) { --value; }, left); },
            n);
      });
    }
    EXPECT_EQ(co_await sum.get(), 50 * (190 + 3));
    EXPECT_EQ(co_await n.get(), 0);
    EXPECT_EQ(counts(rt).graph_replays, 49U);
  });
}

TEST(FlowGraphs, F12_from_a_task_that_accumulates_on_tasks_are_tracked) {
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(1L);
    auto sum = fl.data(0L);
    for (int step = 0; step < 10; ++step) {
      fl.graph("step", [&] {
        fl.work([](long& value) { ++value; }, x);
        fl.work([](const long& value, Accumulate<long, std::plus<>> s) { s(value); }, x, sum);
        fl.work([](long& value) { value -= 1; }, x);
      });
    }
    EXPECT_EQ(co_await sum.get(), 20);
    EXPECT_EQ(counts(rt).graph_replays, 0U);
    EXPECT_EQ(counts(rt).graph_fallbacks, 9U);
    EXPECT_EQ(counts(rt).replayed_tasks, 9U);
  });
}

TEST(FlowGraphs, F12_tasks_that_use_parts_are_replayed) {
  on_threads(1, 4, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    constexpr std::size_t length = 12;
    constexpr int steps = 60;
    auto u = fl.data(std::vector<long>(length, 1));
    auto sum = fl.data(0L);
    const auto add = [](std::span<long> part, long n) {
      for (long& one : part) one = (one * 3 + n) % 1009;
    };
    std::vector<long> v(length, 1);
    long total = 0;
    for (int step = 0; step < steps; ++step) {
      // In the last third the parts are others.
      const std::size_t shift = step < 2 * steps / 3 ? 0 : 1;
      fl.graph("step", [&] {
        for (std::size_t at = shift; at + 3 <= length; at += 3)
          fl.work(add, u.part(at, at + 3), static_cast<long>(at));
        fl.work(
            [](std::span<const long> left, std::span<long> right) {
              for (std::size_t i = 0; i < right.size(); ++i) right[i] += left[i];
            },
            u.part(0, 4), u.part(5 + shift, 9 + shift));
        fl.work([](const std::vector<long>& all, long& s) { s += all[8]; }, u, sum);
        fl.work(add, u.part(4, 7), 1L);
      });
      for (std::size_t at = shift; at + 3 <= length; at += 3) {
        for (std::size_t i = at; i < at + 3; ++i) v[i] = (v[i] * 3 + static_cast<long>(at)) % 1009;
      }
      for (std::size_t i = 0; i < 4; ++i) v[5 + shift + i] += v[i];
      total += v[8];
      for (std::size_t i = 4; i < 7; ++i) v[i] = (v[i] * 3 + 1) % 1009;
    }
    EXPECT_EQ(co_await sum.get(), total);
    EXPECT_EQ(co_await u.get(), v);
    EXPECT_EQ(counts(rt).graph_replays, steps - 2U);
    EXPECT_EQ(counts(rt).graph_fallbacks, 1U);
  });
}

TEST(FlowGraphs, F12_graphs_that_only_call_their_bodies_are_counted) {
  on_threads(1, 1, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(0L);
    fl.work(
        [](Flow& inner, Handle<long> y) {
          for (int i = 0; i < 2; ++i)
            inner.graph("inside", [&] { inner.work([](long& value) { ++value; }, y); });
        },
        x);
    fl.graph("outer",
             [&] { fl.graph("inner", [&] { fl.work([](long& value) { ++value; }, x); }); });
    EXPECT_EQ(co_await x.get(), 3);
    EXPECT_EQ(counts(rt).graph_fallbacks, 3U);
    EXPECT_EQ(counts(rt).graph_replays, 0U);
  });
}

TEST(FlowGraphs, F12_errors_are_those_of_tracking) {
  on_threads(1, 1, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    for (int step = 0; step < 3; ++step) {
      auto x = step < 2 ? fl.data(1L) : fl.data<long>();
      auto y = fl.data(1L);
      const auto body = [&] { fl.work<&add>(x, y, 1L); };
      if (step < 2) {
        fl.graph("step", body);
        continue;
      }
      EXPECT_THROW(fl.graph("step", body), Error);
    }
    co_await fl.done();
  });
}

TEST(FlowGraphs, F2_independent_tasks_of_a_graph_run_at_the_same_time) {
  static std::atomic<int> inside;
  on_threads(1, 2, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    std::array<Handle<long>, 2> x{fl.data(0L), fl.data(0L)};
    for (int step = 0; step < 3; ++step) {
      inside = 0;
      fl.graph("step", [&] {
        for (auto& one : x) {
          fl.work(
              [](long& value) {
                ++inside;
                while (inside < 2) std::this_thread::yield();
                ++value;
              },
              one);
        }
      });
      co_await fl.done();
    }
    EXPECT_EQ(co_await x[0].get(), 3);
    EXPECT_EQ(counts(rt).graph_replays, 2U);
  });
}

struct Rim {
  long value = 0;
};

// Each rank publishes at the beginning of its graph what the other reads before it: nothing but the
// writer of a value may hold back who publishes it.
TEST(FlowGraphs, F2_a_graph_waits_for_no_more_than_its_tasks) {
  on_threads(2, 1, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    const int own = rt.rank().value();
    auto x = fl.data(long{own});
    auto sum = fl.data(0L);
    for (int step = 0; step < 20; ++step) {
      auto other = fl.fetch<long>({"x", 1 - own, step});
      fl.work([](const long& a, const long& b, long& s) { s += a * b; }, x, other, sum);
      fl.graph("step", [&] {
        fl.publish(x, {"x", own, step});
        fl.work([](long& value) { value += 2; }, x);
      });
    }
    long expected = 0;
    for (long step = 0; step < 20; ++step) expected += (2 * step) * (2 * step + 1);
    EXPECT_EQ(co_await sum.get(), expected);
    EXPECT_EQ(counts(rt).graph_replays, 19U);
  });
}

TEST(FlowGraphs, F12_operations_on_collections_are_replayed_on_all_ranks) {
  for (const std::int32_t ranks : {1, 3}) {
    on_threads(ranks, 1, [&](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto u = fl.collection<long>(Index<1>{12});
      auto rim = fl.collection<Rim>(u.extent());
      auto sum = fl.data<long>();
      fl.for_each([](Out<long> x, Index<1> at) { *x = at[0]; }, u.own(), u.index());
      long x[12];
      for (long i = 0; i < 12; ++i) x[i] = i;
      for (int step = 0; step < 10; ++step) {
        if (step == 1) co_await fl.done();
        fl.graph("step", [&] {
          fl.for_each([](const long& value, Out<Rim> r) { r->value = value; }, u.own(), rim.own());
          fl.for_each(
              [](long& value, const Rim& left, const Rim& right, Reduce<long, std::plus<>> all) {
                value = (value + left.value + right.value) % 1009;
                all(value);
              },
              u.own(), rim.at(-1).periodic(), rim.at(1).periodic(), sum);
        });
        long next[12];
        for (std::size_t i = 0; i < 12; ++i)
          next[i] = (x[i] + x[(i + 11) % 12] + x[(i + 1) % 12]) % 1009;
        std::copy(next, next + 12, x);
      }
      long expected = 0;
      for (const long value : x) expected += value;
      EXPECT_EQ(co_await sum.get(), expected);
      // Of several ranks, the first time asks where neighbours are.
      EXPECT_GE(counts(rt).graph_replays, 8U) << ranks << " ranks";
    });
  }
}

}  // namespace

}  // namespace roam::flow::graph_test
