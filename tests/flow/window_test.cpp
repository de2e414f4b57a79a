// SPDX-License-Identifier: Apache-2.0
// F6: what unfinished tasks hold is bounded in bytes, too, and nothing waits for itself because of
// it.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <string>
#include <vector>

#include "flow/backends.hpp"
#include "flow/flow_part.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::window_test {

namespace {

/// A megabyte, as far as the window is concerned, and a count of those that exist.
struct Large {
  static constexpr std::size_t bytes = std::size_t{1} << 20;
  static std::atomic<int> alive;
  static std::atomic<int> most;
  struct Count {
    Count() {
      const int now = alive.fetch_add(1) + 1;
      int before = most.load();
      while (before < now && !most.compare_exchange_weak(before, now)) {
      }
    }
    Count(const Count& /*other*/) : Count() {}
    Count& operator=(const Count&) = default;
    ~Count() { alive.fetch_sub(1); }
  };
  Count count;
  long value = 0;
  [[nodiscard]] std::size_t memory_bytes() const { return bytes; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
std::atomic<int> Large::alive{0};
std::atomic<int> Large::most{0};

struct Block {
  std::vector<float> values;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

constexpr std::uint64_t limit_in_values = 16;

Options options_of(const std::string& backend, std::uint32_t workers) {
  Options options;
  options.ranks = 1;
  options.ranks_given = true;
  options.workers = workers;
  options.edit<FlowOptions>().backend = backend;
  options.edit<FlowOptions>().window_bytes = limit_in_values * Large::bytes;
  return options;
}

/// The number of values that there are at most while one creator issues 2,000 tasks that make or
/// use one each. Less those of tasks that were issued into a full window because for over 10 ms
/// nothing went on: on a busy machine, a back end's own threads may not get a core for that long.
/// With Roam's workers that does not happen.
template <class Program>
int most_values(const Options& options, Program program) {
  Large::most = 0;
  int overruns = 0;
  EXPECT_EQ(roam::run(options,
                      [&](Runtime& rt) -> Task<> {
                        co_await program(rt);
                        overruns = static_cast<int>(FlowPart::of(rt).counts().overruns);
                      }),
            0);
  EXPECT_EQ(Large::alive, 0);
  if (!has_own_threads(options.of<FlowOptions>().backend)) {
    EXPECT_EQ(overruns, 0);
  }
  return Large::most - overruns;
}

class ByteWindow : public ::testing::TestWithParam<std::string> {};

// Those that tasks run with, and those beyond the limit between two looks at it.
constexpr int slack = 8;

TEST_P(ByteWindow, F6_data_with_values_of_which_one_creator_makes_many) {
  for (const std::uint32_t workers : {1U, 3U}) {
    long sum = 0;
    const int most = most_values(options_of(GetParam(), workers), [&](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto total = fl.data(0L);
      for (long i = 0; i < 2000; ++i) {
        Large large;
        large.value = i;
        auto x = fl.data(std::move(large));
        fl.work([](const Large& a, long& t) { t += a.value; }, x, total);
      }
      sum = co_await total.get();
    });
    EXPECT_EQ(sum, 1999L * 1000);
    EXPECT_LE(most, static_cast<int>(limit_in_values) + slack) << workers;
  }
}

TEST_P(ByteWindow, F6_data_that_tasks_give_their_values) {
  for (const std::uint32_t workers : {1U, 3U}) {
    long sum = 0;
    const int most = most_values(options_of(GetParam(), workers), [&](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto total = fl.data(0L);
      for (long i = 0; i < 2000; ++i) {
        auto x = fl.data<Large>();
        fl.work([](Out<Large> a, long value) { a->value = value; }, x, i);
        // In the order of the program, so that values wait for each other.
        fl.work([](const Large& a, long& t) { t += a.value; }, x, total);
      }
      sum = co_await total.get();
    });
    EXPECT_EQ(sum, 1999L * 1000);
    EXPECT_LE(most, static_cast<int>(limit_in_values) + slack) << workers;
  }
}

TEST_P(ByteWindow, F6_arguments_versions_and_contributions) {
  long sum = 0;
  const int most = most_values(options_of(GetParam(), 3), [&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    auto total = fl.data(0L);
    auto x = fl.data<Large>();
    for (long i = 0; i < 500; ++i) {
      Large large;
      large.value = i;
      fl.work([](long& t, const Large& a) { t += a.value; }, total, std::move(large));
      fl.work([](Out<Large> a, long value) { a->value = value; }, x, i);
      fl.work([](const Large& a, long& t) { t += a.value; }, x, total);
    }
    sum = co_await total.get();
  });
  EXPECT_EQ(sum, 499L * 500);
  EXPECT_LE(most, static_cast<int>(limit_in_values) + slack);
}

TEST_P(ByteWindow, F6_data_that_the_program_keeps_do_not_fill_the_window) {
  EXPECT_EQ(roam::run(options_of(GetParam(), 2),
                      [&](Runtime& rt) -> Task<> {
                        Flow fl(rt);
                        std::vector<Handle<Large>> data;
                        for (int i = 0; i < 40; ++i) data.push_back(fl.data(Large{}));
                        for (int i = 0; i < 4000; ++i) {
                          fl.work([](Large& a) { ++a.value; },
                                  data[static_cast<std::size_t>(i % 40)]);
                        }
                        co_await fl.done();
                        EXPECT_EQ(fl.scope().core().counts().byte_stalls, 0U);
                        EXPECT_EQ(fl.scope().core().held_bytes(), 0U);
                        EXPECT_EQ((co_await data[7].get()).value, 100);
                      }),
            0);
}

std::vector<std::string> backends() {
  std::vector<std::string> names = backends_to_test();
  std::erase(names, "serial");  // has no window
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, ByteWindow, ::testing::ValuesIn(backends()),
                         [](const auto& one) { return one.param; });

// A parent whose children need more than the window has, and values that all wait for one that is
// issued last.
TEST(FlowWindow, F6_a_window_full_of_bytes_never_stops_what_its_tasks_need) {
  for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{5000}, Large::bytes * 4}) {
    SimulatedJobOptions options = testing::simulated(1, 1, 3);
    options.options.edit<FlowOptions>().window_bytes = bytes;
    SimulatedJob job(options);
    const bool ok = job.run([](Runtime& rt) -> Task<> {
      Flow fl(rt);
      auto total = fl.data(0L);
      fl.work(
          [](Flow& inner, Handle<long> sum) {
            for (long i = 0; i < 50; ++i) {
              auto x = inner.data<std::vector<long>>();
              inner.work([](Out<std::vector<long>> v, long n) { v->assign(1000, n); }, x, i);
              inner.work(
                  [](Flow& deeper, Handle<const std::vector<long>> v, Handle<long> s) {
                    deeper.work([](const std::vector<long>& all, long& t) { t += all[999]; }, v, s);
                  },
                  x, sum);
            }
          },
          total);
      EXPECT_EQ(co_await total.get(), 49 * 25);
      co_await fl.done();
      EXPECT_EQ(fl.scope().core().held_bytes(), 0U);
    });
    EXPECT_TRUE(ok) << job.error();
  }
}

TEST(FlowWindow, F6_a_value_is_measured_with_all_that_it_owns) {
  EXPECT_EQ(detail::memory_of(std::vector<double>(100)), sizeof(std::vector<double>) + 800);
  EXPECT_EQ(detail::memory_of(std::vector<std::vector<char>>(3, std::vector<char>(10))),
            4 * sizeof(std::vector<char>) + 30);
  EXPECT_EQ(detail::memory_of(Large{}), sizeof(Large) + Large::bytes);
  EXPECT_GE(detail::memory_of(Block{std::vector<float>(50)}), sizeof(Block) + 200);
  EXPECT_FALSE(detail::is_counted<double>);
  EXPECT_TRUE((detail::is_counted<std::array<double, 100>>));
}

}  // namespace

}  // namespace roam::flow::window_test
