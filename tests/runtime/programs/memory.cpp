// SPDX-License-Identifier: Apache-2.0
// Programs that check remote memory (A4, A5) on whole jobs.
#include <gmock/gmock.h>

#include <numeric>
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::memory {

inline std::vector<std::int64_t> numbers_of(Rank rank, std::size_t count) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), 1000 * std::int64_t{rank.value()});
  return values;
}

/// One region on every rank, `count` elements per rank of the job, allocated by the caller.
inline Task<std::vector<remote_ptr<std::int64_t>>> allocate_everywhere(Runtime& rt,
                                                                       std::size_t count) {
  std::vector<remote_ptr<std::int64_t>> all;
  for (std::int32_t r = 0; r < rt.size(); ++r) {
    const auto there = co_await rt.memory().remote_alloc<std::int64_t>(
        r, count * static_cast<std::size_t>(rt.size()));
    all.push_back(there);
  }
  co_return all;
}

TEST_P(Programs, A5_M10_quiescence_comes_after_puts_that_nobody_awaits) {
  run([](Runtime& rt) -> Task<> {
    for (const std::size_t count : {std::size_t{3}, std::size_t{40'000}}) {
      const auto regions = co_await allocate_everywhere(rt, count);
      const auto values = numbers_of(rt.rank(), count);
      for (const auto& region : regions) (void)rt.memory().put(region, values);
      co_await rt.quiescence();
      for (const auto& region : regions) {
        std::vector<std::int64_t> back(count);
        co_await rt.memory().get(back, region);
        EXPECT_EQ(back, values);
        if (region.rank() == rt.rank()) {
          const auto here = rt.memory().local(region, count);
          EXPECT_TRUE(std::ranges::equal(here, values));
        }
        co_await rt.memory().remote_free(region);
      }
      co_await rt.quiescence();
    }
  });
}

inline void add_to_landed(std::span<std::int64_t> landed, std::int64_t number) {
  for (std::int64_t& v : landed) v += number;
}

TEST_P(Programs, A4_M10_quiescence_comes_after_the_handlers_of_put_op_and_get_op) {
  run([](Runtime& rt) -> Task<> {
    const std::size_t count = 20'000;
    const auto regions = co_await allocate_everywhere(rt, count);
    const auto values = numbers_of(rt.rank(), count);
    for (const auto& region : regions) {
      const std::span large = std::span(values).first(count - 10);
      (void)rt.memory().put_op<&add_to_landed>(region, large, 5);
      // On another place, since the first handler may still be at work.
      const auto behind = region + static_cast<std::int64_t>(count - 10);
      (void)rt.memory().put_op<&add_to_landed>(behind, std::span(values).first(10), 7);
    }
    co_await rt.quiescence();
    std::vector<std::vector<std::int64_t>> back(regions.size(), std::vector<std::int64_t>(40));
    for (std::size_t i = 0; i < regions.size(); ++i)
      (void)rt.memory().get_op<&add_to_landed>(back[i], regions[i], -5);
    co_await rt.quiescence();
    for (const auto& got : back) {
      for (std::size_t i = 0; i < 30; ++i) EXPECT_EQ(got[i], values[i]);
    }
  });
}

TEST_P(Programs, A5_a_large_put_costs_an_announcement_and_an_answer) {
  run([](Runtime& rt) -> Task<> {
    remote_ptr<std::int64_t> there;
    constexpr std::size_t count = (1 << 20) / 8;
    if (rt.rank() == 0)
      there = co_await rt.memory().remote_alloc<std::int64_t>(rt.size() - 1, count);
    co_await rt.quiescence();
    const auto before = rt.messenger().stats();
    if (rt.rank() == 0) {
      const auto values = numbers_of(3, count);
      co_await rt.memory().put(there, values);
      const auto after = rt.messenger().stats();
      const bool to_itself = rt.size() == 1;
      // Probes of the next quiescence may be among them.
      EXPECT_LE(after.messages_sent - before.messages_sent, to_itself ? 2U : 8U);
      EXPECT_LE(after.bytes_sent - before.bytes_sent, (std::uint64_t{1} << 20) + 1000);
      std::vector<std::int64_t> back(count);
      co_await rt.memory().get(back, there);
      EXPECT_EQ(back, values);
    }
    co_await rt.quiescence();
  });
}

inline Task<> add_often(remote_ptr<std::int64_t> counter, remote_ptr<double> sum, int times) {
  for (int i = 0; i < times; ++i) {
    co_await here().memory().fetch_add(counter, 1);
    co_await here().memory().fetch_add(sum, 0.5);
  }
}

TEST_P(Programs, atomics_of_all_ranks_and_workers_lose_nothing) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Rank last(rt.size() - 1);
    const auto counter = co_await rt.memory().remote_alloc<std::int64_t>(last, 1);
    const auto sum = co_await rt.memory().remote_alloc<double>(last, 1);
    std::vector<am::Reply<void>> all;
    for (std::int32_t r = 0; r < rt.size(); ++r) {
      for (int task = 0; task < 4; ++task)
        all.push_back(rt.request<&add_often>(r, counter, sum, 25));
    }
    for (auto& each : all) co_await each;
    EXPECT_EQ(co_await rt.memory().get(counter), 100 * rt.size());
    EXPECT_EQ(co_await rt.memory().get(sum), 50.0 * rt.size());
  });
}

TEST_P(Programs, A4_a_refused_access_names_what_was_wrong) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto there = co_await rt.memory().remote_alloc<std::int64_t>(rt.size() - 1, 8000);
    const std::vector<std::int64_t> values(8000, 1);
    std::string text;
    try {
      co_await rt.memory().put(there + 1, values);
    } catch (const RemoteMemoryError& error) {
      text = error.what();
    }
    EXPECT_THAT(text, ::testing::HasSubstr("put at rank " + std::to_string(rt.size() - 1)));
    EXPECT_THAT(text, ::testing::HasSubstr("offset 8, length 64000 bytes, region of 64000 bytes"));
    EXPECT_EQ(co_await rt.memory().get(there + 5), 0);
  });
}

}  // namespace roam::programs::memory
