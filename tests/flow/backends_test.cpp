// SPDX-License-Identifier: Apache-2.0
// What every back end has to do: which tasks may run at the same time, tasks that wait for
// something else than tasks, collections and keys, cancelling, and the end of a job that fails.
// That random programs have the bits of the serial run: equivalence_test.cpp.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "flow/backends.hpp"
#include "flow/random_program.hpp"
#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::backends_test {

namespace {

using ::testing::HasSubstr;

class FlowBackends : public ::testing::TestWithParam<std::string> {
 protected:
  /// Runs a program on threads; returns the exit status of the job. Failures of tasks that nobody
  /// awaits do not end it.
  static int run(std::int32_t ranks, std::uint32_t workers, std::uint32_t window,
                 const std::function<Task<>(Runtime&)>& program, bool may_fail = false) {
    Options options;
    options.ranks = ranks;
    options.ranks_given = true;
    options.workers = workers;
    options.edit<FlowOptions>().backend = GetParam();
    options.edit<FlowOptions>().window = window;
    return roam::run(options, [&](Runtime& rt) -> Task<> {
      if (!may_fail) rt.on_error([](const std::string&) {});
      co_await program(rt);
    });
  }
  [[nodiscard]] static bool is_serial() { return GetParam() == "serial"; }
};

// The number of tasks inside their bodies; and whether two ever were.
std::atomic<int> inside{0};
std::atomic<bool> met{false};

/// Waits for up to ten seconds until another task of this kind runs, too.
void meet() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  if (inside.fetch_add(1) > 0) met = true;
  while (!met && std::chrono::steady_clock::now() < end) {
  }
  inside.fetch_sub(1);
}
/// Notes whether another task of this kind runs, too.
void notice() {
  if (inside.fetch_add(1) > 0) met = true;
  for (int i = 0; i < 1000; ++i) (void)inside.load();
  inside.fetch_sub(1);
}
void reset() {
  inside = 0;
  met = false;
}

TEST_P(FlowBackends, F2_tasks_that_read_run_beside_each_other) {
  if (is_serial()) GTEST_SKIP() << "one task runs at a time";
  reset();
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(1);
    for (int i = 0; i < 2; ++i) fl.work([](const int&) { meet(); }, x);
    co_await fl.done();
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(met);
}

TEST_P(FlowBackends, F2_tasks_that_accumulate_run_beside_each_other_and_not_beside_readers) {
  if (is_serial()) GTEST_SKIP() << "one task runs at a time";
  reset();
  static std::atomic<int> readers{0};
  static std::atomic<bool> is_wrong{false};
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(std::string("0"));
    const auto reads = [](const std::string& text, std::size_t length) {
      ++readers;
      for (int i = 0; i < 1000; ++i) is_wrong = is_wrong || text.size() != length;
      --readers;
    };
    for (int round = 0; round < 50; ++round) {
      const auto length = static_cast<std::size_t>(1 + 2 * round);
      for (int i = 0; i < 2; ++i) fl.work(reads, x, length);
      for (const char digit : {'a', 'b'}) {
        fl.work(
            [](Accumulate<std::string, std::plus<>> sum, char next) {
              if (!met) meet();
              is_wrong = is_wrong || readers > 0;
              sum(std::string(1, next));
            },
            x, digit);
      }
      for (int i = 0; i < 2; ++i) fl.work(reads, x, length + 2);
    }
    std::string expected = "0";
    for (int round = 0; round < 50; ++round) expected += "ab";
    EXPECT_EQ(co_await x.get(), expected);
  });
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(met);
  EXPECT_FALSE(is_wrong);
}

TEST_P(FlowBackends, F2_tasks_that_commute_run_one_at_a_time) {
  reset();
  const int status = run(1, 4, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto x = fl.data(0);
    auto y = fl.data(0);
    for (int i = 0; i < 500; ++i) {
      fl.work(
          [](Commute<int> a, Commute<int> b) {
            notice();
            ++*a;
            ++*b;
          },
          i % 2 == 0 ? x : y, i % 2 == 0 ? y : x);
    }
    EXPECT_EQ(co_await x.get() + co_await y.get(), 1000);
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(met);
}

void add_up(Flow& fl, Handle<long> sum, Handle<const long> one, int depth) {
  if (depth == 0) {
    fl.work([](long& s, const long& o) { s += o; }, sum, one);
    return;
  }
  for (int i = 0; i < 3; ++i) fl.work<&add_up>(sum, one, depth - 1);
}

TEST_P(FlowBackends, F3_later_tasks_wait_for_the_children_of_earlier_ones) {
  for (const std::uint32_t window : {2U, 4096U}) {
    const int status = run(1, 2, window, [](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto one = fl.data(1L);
      std::vector<Handle<long>> sums;
      for (int i = 0; i < 4; ++i) sums.push_back(fl.data(0L));
      for (int round = 0; round < 3; ++round) {
        for (auto& sum : sums) fl.work<&add_up>(sum, one, 3);
        for (auto& sum : sums) fl.work([](long& s) { s *= 2; }, sum);
      }
      for (auto& sum : sums) EXPECT_EQ(co_await sum.get(), 27 * (2 + 4 + 8));
    });
    EXPECT_EQ(status, 0);
  }
}

using Values = std::vector<double>;

void add_neighbour(std::span<const double> neighbour, std::span<double> own) {
  own[0] += neighbour[0];
}
struct Longer {
  Values operator()(const Values& a, const Values& b) const { return a.size() < b.size() ? b : a; }
};
void expects(const Values& all, double first, double last) {
  EXPECT_EQ(all.front(), first);
  EXPECT_EQ(all.back(), last);
}

TEST_P(FlowBackends, F2_parts_and_the_whole_are_used_in_order) {
  for (const std::uint32_t window : {3U, 4096U}) {
    const int status = run(1, 3, window, [](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto u = fl.data(Values(8, 1.0));
      for (int round = 0; round < 20; ++round) {
        for (std::size_t i = 1; i < 8; ++i)
          fl.work<&add_neighbour>(u.part(i - 1, i), u.part(i, i + 1));
        fl.work<&expects>(u, 1.0, 8.0);
        fl.work([](std::span<const double> low, double last) { EXPECT_EQ(low[3], last); },
                u.part(0, 4), 4.0);
        fl.work(
            [](std::span<double> high) {
              for (double& one : high) one = 1;
            },
            u.part(1, 8));
        fl.work<&expects>(u, 1.0, 1.0);
        fl.work([](Accumulate<Values, Longer> sum,
                   std::span<const double> none) { sum(Values(none.size() + 9, 5.0)); },
                u, u.part(8, 8));
        fl.work<&expects>(u, 5.0, 5.0);
        fl.work([](Values& all) { all.assign(8, 1.0); }, u);
      }
      EXPECT_EQ((co_await u.get())[7], 1);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(FlowBackends, F2_tasks_that_use_overlapping_parts_do_not_run_beside_each_other) {
  reset();
  const int status = run(1, 4, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto u = fl.data(Values(100));
    for (std::size_t i = 0; i < 200; ++i) {
      fl.work(
          [](std::span<double> part) {
            notice();
            for (double& one : part) one += 1;
          },
          u.part(i % 40, 60 + i % 40));
    }
    EXPECT_EQ((co_await u.get())[50], 200);
  });
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(met);
}

void add_in_parts(Flow& fl, Handle<Values> u, int depth) {
  for (std::size_t i = 0; i < 3; ++i) {
    fl.work(
        [](std::span<double> part) {
          for (double& one : part) one += 1;
        },
        u.part(30 * i, 30 * (i + 1)));
  }
  if (depth > 0) fl.work<&add_in_parts>(u, depth - 1);
}

TEST_P(FlowBackends, F3_children_use_parts_of_what_their_parent_was_given) {
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto u = fl.data(Values(90));
    for (int round = 0; round < 10; ++round) {
      fl.work<&add_in_parts>(u, 2);
      fl.work(
          [](std::span<double> part, double expected) {
            EXPECT_EQ(part[0], expected);
            part[0] += 1;
          },
          u.part(45, 46), 4.0 * round + 3);
    }
    const Values all = co_await u.get();
    EXPECT_EQ(all[44], 30);
    EXPECT_EQ(all[45], 40);
  });
  EXPECT_EQ(status, 0);
}

TEST_P(FlowBackends, F5_a_failure_concerns_the_part_and_whoever_needs_it) {
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    for (int repeat = 0; repeat < 20; ++repeat) {
      auto u = fl.data(Values(10));
      auto low = fl.data(0.0);
      auto high = fl.data(0.0);
      auto all = fl.data(0.0);
      const auto first = [](std::span<const double> part, double& s) { s = part[0] + 1; };
      fl.work([](std::span<double>) { throw Error("too low"); }, u.part(0, 5));
      fl.work([](std::span<double> part) { part[0] = 4; }, u.part(5, 10));
      fl.work(first, u.part(4, 6), low);
      fl.work(first, u.part(5, 8), high);
      fl.work([](const Values& values, double& s) { s = values[9]; }, u, all);
      EXPECT_EQ(co_await high.get(), 5);
      const std::array<const Handle<double>*, 2> failed_ones{&low, &all};
      for (const Handle<double>* const one : failed_ones) {
        std::string words;
        try {
          (void)co_await one->get();
        } catch (const TaskFailed& failed) {
          words = failed.what();
        }
        EXPECT_THAT(words, HasSubstr("too low"));
      }
      fl.work([](Out<Values> v) { v->assign(10, 2.0); }, u);
      auto again = fl.data(0.0);  // `low` keeps its failure, since the task would read it
      fl.work(first, u.part(2, 3), again);
      EXPECT_EQ(co_await again.get(), 3);
      EXPECT_EQ((co_await u.get())[3], 2);
    }
  });
  EXPECT_EQ(status, 0);
}

TEST_P(FlowBackends, F4_parts_that_overlap_given_to_one_task_are_an_error) {
  std::string words;
  const int status = run(1, 2, 4096, [&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto u = fl.data(Values(10)).named("u");
    try {
      fl.work<&add_neighbour>(u.part(0, 6), u.part(5, 10));
    } catch (const Error& error) {
      words = error.what();
    }
    EXPECT_EQ((co_await u.get())[5], 0);
  });
  EXPECT_EQ(status, 0);
  EXPECT_THAT(words, HasSubstr("reads part [0, 6) of and modifies part [5, 10) of u ("));
}

TEST_P(FlowBackends, F2_what_readers_see_does_not_change_if_they_may_get_a_copy) {
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto u = fl.data(Values(50));
    u.copied_for_readers();
    for (int round = 1; round <= 100; ++round) {
      fl.work(
          [](Values& all) {
            for (double& one : all) one += 1;
          },
          u);
      for (int i = 0; i < 2; ++i) fl.work<&expects>(u, 1.0 * round, 1.0 * round);
    }
    EXPECT_EQ((co_await u.get())[49], 100);
  });
  EXPECT_EQ(status, 0);
}

void add_twelve(const int& a, const int& b, const int& c, const int& d, const int& e, const int& f,
                const int& g, const int& h, const int& i, const int& j, const int& k, int& sum) {
  sum += a + b + c + d + e + f + g + h + i + j + k;
}

TEST_P(FlowBackends, F1_a_task_may_use_many_data) {
  const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
    Flow fl(rt);
    std::vector<Handle<int>> x;
    for (int i = 0; i < 12; ++i) x.push_back(fl.data(i));
    for (int round = 0; round < 20; ++round) {
      for (auto& one : x) fl.work([](int& value) { ++value; }, one);
      fl.work<&add_twelve>(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8], x[9], x[10],
                           x[11]);
    }
    // Round r adds 0 + ... + 10 and 11 times r + 1, and the datum grows by one itself.
    EXPECT_EQ(co_await x[11].get(), 11 + 20 + 20 * 55 + 11 * 210);
  });
  EXPECT_EQ(status, 0);
}

TEST_P(FlowBackends, F7_operations_on_collections_have_the_bits_of_the_serial_run) {
  for (const std::int32_t ranks : {1, 2}) {
    const int status = run(ranks, 2, 50, [](Runtime& rt) -> Task<> {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        random_program::Shape shape;
        shape.seed = seed;
        shape.tasks = 15;
        shape.graphs = seed % 2 == 0 ? 0.3 : 0;
        shape.failures = seed % 3 == 0 ? 0.05 : 0;
        Flow serial(rt, at_once);
        const auto expected = co_await random_program::run_collections(serial, shape);
        Flow fl(rt);
        EXPECT_EQ(co_await random_program::run_collections(fl, shape), expected) << seed;
      }
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(FlowBackends, F10_keys_have_the_bits_of_the_serial_run) {
  if (is_serial()) GTEST_SKIP() << "it would be compared with itself";
  for (const std::int32_t ranks : {1, 2}) {
    const int status = run(ranks, 2, 4096, [](Runtime& rt) -> Task<> {
      for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        random_program::Shape shape;
        shape.seed = seed;
        shape.tasks = 12;
        shape.failures = seed % 3 == 0 ? 0.1 : 0;
        Flow serial(rt, at_once);
        const auto expected =
            co_await random_program::run_keys(serial, shape, rt.rank().value(), rt.size());
        Flow fl(rt);
        EXPECT_EQ(co_await random_program::run_keys(fl, shape, rt.rank().value(), rt.size()),
                  expected)
            << seed;
      }
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(FlowBackends, F10_what_is_fetched_may_be_published_later) {
  if (is_serial()) GTEST_SKIP() << "it runs tasks where they are issued";
  for (const std::uint32_t workers : {1U, 2U}) {
    const int status = run(1, workers, 4096, [](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto sum = fl.data(0);
      for (int i = 0; i < 20; ++i)
        fl.work([](const int& value, int& s) { s += value; }, fl.fetch<int>({"later", i}), sum);
      auto first = fl.data(1);
      for (int i = 0; i < 20; ++i) {
        fl.publish(first, {"later", i});
        fl.work([](int& value) { ++value; }, first);
      }
      EXPECT_EQ(co_await sum.get(), 210);
    });
    EXPECT_EQ(status, 0);
  }
}

// All fetches share one replica: its address is the same.
TEST_P(FlowBackends, F10_tasks_share_the_replica_of_a_frozen_value) {
  static std::mutex mutex;
  static std::set<const std::vector<int>*> seen;
  for (const std::uint32_t workers : {1U, 2U}) {
    seen.clear();
    const int status = run(1, workers, 4096, [](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto mesh = fl.data(std::vector<int>(1000, 3));
      fl.publish(mesh.freeze(), {"mesh"}, 12);
      fl.work([](std::vector<int>& all) { all.clear(); }, mesh);
      auto sum = fl.data(0);
      std::vector<Handle<const std::vector<int>>> replicas;
      for (int i = 0; i < 12; ++i) {
        replicas.push_back(fl.fetch<std::vector<int>>({"mesh"}));
        fl.work(
            [](const std::vector<int>& all, Accumulate<int, std::plus<>> s) {
              const std::lock_guard guard(mutex);
              seen.insert(&all);
              s(std::accumulate(all.begin(), all.end(), 0));
            },
            replicas.back(), sum);
      }
      EXPECT_EQ(co_await sum.get(), 12 * 3000);
    });
    EXPECT_EQ(status, 0);
    EXPECT_EQ(seen.size(), 1U);
  }
}

TEST_P(FlowBackends, F5_F11_failed_and_cancelled_data_become_sound_again) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int status = run(1, 2, 4096, [](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto x = fl.data(1);
      auto y = fl.data(2);
      fl.work([](int&) { throw Error("no such thing"); }, x);
      fl.work([](const int& a, int& b) { b += a; }, x, y);
      std::string words;
      try {
        (void)co_await y.get();
      } catch (const TaskFailed& failed) {
        words = failed.what();
      }
      EXPECT_THAT(words, HasSubstr("no such thing"));
      fl.work([](Out<int> out) { *out = 5; }, x);
      fl.work([](const int& a, Out<int> out) { *out = a + 1; }, x, y);
      EXPECT_EQ(co_await y.get(), 6);
      for (int i = 0; i < 200; ++i) fl.work([](int& value) { ++value; }, x);
      fl.cancel();
      try {
        EXPECT_EQ(co_await x.get(), 205);  // they may have run before
      } catch (const TaskFailed& failed) {
        EXPECT_THAT(failed.what(), HasSubstr("cancelled at"));
      }
      fl.work([](Out<int> out) { *out = 7; }, x);
      EXPECT_EQ(co_await x.get(), 7);
    });
    EXPECT_EQ(status, 0);
  }
}

TEST_P(FlowBackends, F5_a_program_that_fails_ends_the_job_with_tasks_on_their_way) {
  for (int repeat = 0; repeat < 5; ++repeat) {
    const int status = run(
        1, 2, 4096,
        [](Runtime& rt) -> Task<> {
          Flow fl(rt);
          auto x = fl.data(0L);
          auto one = fl.data(1L);
          for (int i = 0; i < 500; ++i) fl.work<&add_up>(x, one, 2);
          if (co_await one.get() == 1) throw Error("that was all");
        },
        true);
    EXPECT_NE(status, 0);
  }
}

TEST_P(FlowBackends, F10_a_value_that_nobody_publishes_is_reported) {
  if (is_serial()) GTEST_SKIP() << "it refuses at once";
  if (GetParam() == "starpu") GTEST_SKIP() << "ten seconds, by the same code as for openmp";
  const int status = run(
      1, 2, 4096,
      [](Runtime& rt) -> Task<> {
        Flow fl(rt);
        auto sum = fl.data(0);
        fl.work([](const int& value, int& s) { s += value; }, fl.fetch<int>({"never"}), sum);
        (void)co_await sum.get();
      },
      true);
  EXPECT_NE(status, 0);
}

INSTANTIATE_TEST_SUITE_P(All, FlowBackends, ::testing::ValuesIn(backends_to_test()),
                         [](const auto& one) { return one.param; });

TEST(FlowBackend, a_back_end_with_threads_of_its_own_refuses_virtual_time) {
  for (const std::string& name : backends_to_test()) {
    if (!has_own_threads(name)) continue;
    SimulatedJobOptions options = testing::simulated(1);
    options.options.edit<FlowOptions>().backend = name;
    SimulatedJob job(options);
    EXPECT_FALSE(job.run([](Runtime& rt) -> Task<> {
      const Flow fl(rt);
      co_return;
    }));
    EXPECT_THAT(job.error(), HasSubstr("know no virtual time")) << name;
  }
}

TEST(FlowBackend, one_that_was_not_built_in_says_what_to_install) {
  for (const auto& [name, words] :
       {std::pair{"tbb", "libtbb-dev"}, std::pair{"openmp", "libomp-dev"},
        std::pair{"starpu", "libstarpu-dev"}}) {
    const std::vector<std::string> all = backend_names();
    if (std::find(all.begin(), all.end(), name) != all.end()) continue;
    try {
      (void)find_backend(name, "here");
      ADD_FAILURE() << name;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr(words));
    }
  }
}

}  // namespace

}  // namespace roam::flow::backends_test
