// SPDX-License-Identifier: Apache-2.0
// R2: jobs that fail while remote memory is busy.
#include <gtest/gtest.h>

#include <vector>

#include "job_kinds.hpp"
#include "roam/core/error.hpp"

namespace roam::programs::memory_errors_test {
namespace {

class BusyMemory : public ::testing::TestWithParam<JobKind> {};
INSTANTIATE_TEST_SUITE_P(Jobs, BusyMemory,
                         ::testing::Values(in_process(3, 1), in_process(2, 2), simulated(3, 2)),
                         [](const auto& tested) { return tested.param.name; });

Task<> transfer_for_ever(Runtime& rt) {
  constexpr std::size_t count = 200'000;
  const Rank next((rt.rank().value() + 1) % rt.size());
  const auto there = co_await rt.memory().remote_alloc<std::int64_t>(next, count);
  for (;;) {
    const std::vector<std::int64_t> source(count, 1);
    std::vector<std::int64_t> target(count);
    auto put = rt.memory().put(there, source);
    auto get = rt.memory().get(target, there);
    co_await put;
    co_await get;
  }
}

TEST_P(BusyMemory, R2_an_error_elsewhere_ends_the_job_amid_transfers) {
  for (int time = 0; time < 4; ++time) {
    const int status = GetParam().run([time](Runtime& rt) -> Task<> {
      if (rt.rank() != 0) co_await transfer_for_ever(rt);
      const auto there = co_await rt.memory().remote_alloc<std::int64_t>(1, 10);
      for (int i = 0; i < 20 + 10 * time; ++i) co_await rt.memory().fetch_add(there, 1);
      throw std::runtime_error("enough");
    });
    EXPECT_EQ(status, 1);
  }
}

TEST_P(BusyMemory, R2_a_refusal_that_nobody_awaits_ends_the_job) {
  const int status = GetParam().run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto there = co_await rt.memory().remote_alloc<std::int64_t>(1, 10);
    (void)rt.memory().put(there + 10, std::int64_t{1});
    co_await rt.quiescence();
  });
  EXPECT_EQ(status, 1);
}

TEST_P(BusyMemory, memory_and_exposures_left_at_the_end_do_no_harm) {
  const int status = GetParam().run([](Runtime& rt) -> Task<> {
    std::vector<double> field(100);
    auto exposed = rt.memory().expose(std::span(field));
    const auto there = co_await rt.memory().remote_alloc<double>(rt.size() - 1, 1000);
    co_await rt.memory().put(there, field);
    co_await rt.memory().put(exposed.get(), 1.0);
    EXPECT_EQ(field[0], 1.0);
  });
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace roam::programs::memory_errors_test
