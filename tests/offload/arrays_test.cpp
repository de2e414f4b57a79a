// SPDX-License-Identifier: Apache-2.0
// Large arrays among the arguments and results of tasks travel from where they lie, although the
// task may still be computed on its own rank.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "support/until.hpp"

namespace roam::offload::arrays_test {

namespace {

constexpr std::size_t large = 12'500;  // elements: 100 kB
constexpr std::size_t small = 100;

/// Where a task found its argument, and on which rank it was computed.
struct Place {
  std::uintptr_t address = 0;
  std::int32_t rank = -1;
  double sum = 0;
};
template <class Values>
Place place_of(const Values& values) {
  return {reinterpret_cast<std::uintptr_t>(values.data()), here().rank().value(),
          std::accumulate(values.begin(), values.end(), 0.0)};
}
Place read(std::span<const double> values) { return place_of(values); }
Place read_behind(int /*before*/, std::span<const double> values, double /*behind*/) {
  return place_of(values);
}
Place write(std::span<double> values) {
  const Place place = place_of(values);
  for (double& value : values) value = 0;
  return place;
}
Place keep(Array<double> values) { return place_of(values); }
Place copy(const std::vector<double>& values) { return place_of(values); }

Array<double> values_of(std::size_t count) {
  Array<double> values(count);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}
double sum_of(std::size_t count) {
  const auto n = static_cast<double>(count);
  return n * (n - 1) / 2;
}

/// Two ranks of this process; the first may send all of its tasks but one to the second. `program`
/// runs on the first.
template <class Program>
void run_on_first(const Program& program, std::uint64_t guest_memory_bytes = 64 << 20) {
  Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  auto& offloading = options.edit<OffloadOptions>();
  offloading.guest_memory_bytes = guest_memory_bytes;
  offloading.recompute = false;
  EXPECT_EQ(run(options,
                [&](Runtime& rt) -> Task<> {
                  if (rt.rank() != 0) co_return;
                  const Quota quota{0, 1, 1000};
                  Offloader::of(rt).tasks().set_quotas({&quota, 1});
                  co_await program(rt);
                }),
            0);
}

/// True if tasks that went elsewhere found their argument where it was when they were spawned.
template <class Spawn>
bool are_sent_from_where_they_lie(std::size_t count, const Spawn& spawn_one) {
  std::size_t elsewhere = 0;
  std::size_t in_place = 0;
  run_on_first([&](Runtime& rt) -> Task<> {
    std::vector<std::uintptr_t> addresses;
    std::vector<Result<Place>> results;
    for (int i = 0; i < 8; ++i) {
      Array<double> values = values_of(count);
      addresses.push_back(reinterpret_cast<std::uintptr_t>(values.data()));
      results.push_back(spawn_one(rt, std::move(values)));
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      const Place place = co_await results[i];
      EXPECT_EQ(place.sum, sum_of(count));
      if (place.rank == 0) continue;
      ++elsewhere;
      if (place.address == addresses[i]) ++in_place;
    }
  });
  EXPECT_GT(elsewhere, 3U);
  EXPECT_TRUE(in_place == 0 || in_place == elsewhere);
  return in_place > 0;
}

TEST(ArraysOfTasks, are_sent_from_where_they_lie_if_they_are_large_and_only_read) {
  const auto spawn_read = [](Runtime& rt, Array<double>&& values) {
    return spawn<&read>(rt, std::move(values));
  };
  EXPECT_TRUE(are_sent_from_where_they_lie(large, spawn_read));
  EXPECT_FALSE(are_sent_from_where_they_lie(small, spawn_read));
  EXPECT_TRUE(are_sent_from_where_they_lie(large, [](Runtime& rt, Array<double>&& values) {
    return spawn<&read_behind>(rt, 7, std::move(values), 0.5);
  }));
}

// Ranks of one process hand memory over: what a task may write into is a copy.
TEST(ArraysOfTasks, are_copied_where_another_rank_takes_them_over) {
  EXPECT_FALSE(are_sent_from_where_they_lie(large, [](Runtime& rt, Array<double>&& values) {
    return spawn<&write>(rt, std::move(values));
  }));
  EXPECT_FALSE(are_sent_from_where_they_lie(large, [](Runtime& rt, Array<double>&& values) {
    return spawn<&keep>(rt, std::move(values));
  }));
  EXPECT_FALSE(are_sent_from_where_they_lie(
      large, [](Runtime& rt, Array<double>&& values) { return spawn<&copy>(rt, values); }));
}

/// Elements that know how many such containers there are.
class Counted {
 public:
  explicit Counted(std::atomic<int>& alive) : alive_(&alive), values_(large, 1.0) { ++*alive_; }
  Counted(Counted&& other) noexcept : alive_(other.alive_), values_(std::move(other.values_)) {
    ++*alive_;
  }
  Counted& operator=(Counted&&) = delete;
  ~Counted() { --*alive_; }
  [[nodiscard]] double* begin() { return values_.data(); }
  [[nodiscard]] double* end() { return values_.data() + values_.size(); }
  [[nodiscard]] const double* begin() const { return values_.data(); }
  [[nodiscard]] const double* end() const { return values_.data() + values_.size(); }

 private:
  std::atomic<int>* alive_;
  std::vector<double> values_;
};

/// On the second rank, tasks end when this is set, or after a minute, so that those behind them
/// find no memory there.
std::atomic<bool> may_end{false};
double sum_once_it_may(std::span<const double> values) {
  const Instant latest = here().now() + std::chrono::minutes(1);
  while (here().rank() == 1 && !may_end && here().now() < latest) std::this_thread::yield();
  return std::accumulate(values.begin(), values.end(), 0.0);
}

// Memory for no more than one task that waits: the others come back and are computed here.
TEST(ArraysOfTasks, live_no_longer_than_their_task_wherever_it_went) {
  std::atomic<int> alive{0};
  may_end = false;
  run_on_first(
      [&](Runtime& rt) -> Task<> {
        const HomeTasks& tasks = Offloader::of(rt).tasks();
        {
          std::vector<Result<double>> results;
          for (int i = 0; i < 12; ++i)
            results.push_back(spawn<&sum_once_it_may>(rt, Counted(alive)));
          EXPECT_EQ(alive.load(), 12);
          co_await testing::until([&] { return tasks.counts().refused > 0; });
          may_end = true;
          for (Result<double>& result : results) EXPECT_EQ(co_await result, 12'500);
        }
        EXPECT_GT(tasks.counts().returned, 0U);
        // A result may be here before the thread that sent or received it has let go of its task.
        co_await testing::until([&] { return alive == 0; });
      },
      64 << 10);
  EXPECT_EQ(alive.load(), 0);
}

std::uintptr_t address_of_result = 0;
Array<double> gives(std::size_t count) {
  Array<double> values = values_of(count);
  if (here().rank() == 1) address_of_result = reinterpret_cast<std::uintptr_t>(values.data());
  return values;
}

TEST(ArraysOfTasks, that_are_results_arrive_in_the_memory_in_which_they_were_made) {
  run_on_first([](Runtime& rt) -> Task<> {
    auto stays = spawn<&gives>(rt, large);
    auto goes = spawn<&gives>(rt, large);
    const Array<double> values = co_await goes;
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(values.data()), address_of_result);
    EXPECT_EQ(std::accumulate(values.begin(), values.end(), 0.0), sum_of(large));
    static_cast<void>(co_await stays);
  });
}

}  // namespace

}  // namespace roam::offload::arrays_test
