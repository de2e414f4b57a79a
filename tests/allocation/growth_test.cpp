// SPDX-License-Identifier: Apache-2.0
// What all ranks of a job do together takes messages and memory in proportion to their number, but
// for a logarithm: counted on simulated machines of some hundred and of 10,000 ranks.
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>

#include "allocation/counting_new.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::allocation::growth_test {
namespace {

using tests::HeapUse;

/// What a program takes, for each rank.
struct PerRank {
  double messages = 0;
  double bytes_sent = 0;
  double allocations = 0;
  double allocated_bytes = 0;
};

/// Of `program`, without the job's own start and end.
PerRank costs(std::int32_t ranks, const Runtime::Program& program) {
  SimulatedJobOptions job;
  job.options.simulate.emplace();
  job.options.simulate->ranks = ranks;
  job.options.simulate->workers_per_rank = 1;
  SimulatedJob simulated(job);
  std::uint64_t allocations = 0;
  std::uint64_t allocated_bytes = 0;
  PerRank cost;
  EXPECT_TRUE(simulated.run([&](Runtime& rt) -> Task<> {
    co_await rt.quiescence();
    rt.begin_measurement();
    if (rt.rank() == 0) {
      allocations = HeapUse::allocations;
      allocated_bytes = HeapUse::bytes;
    }
    co_await program(rt);
    co_await rt.quiescence();
    rt.end_measurement();
    if (rt.rank() == 0) {
      allocations = HeapUse::allocations - allocations;
      allocated_bytes = HeapUse::bytes - allocated_bytes;
    }
    const RankStatistics statistics = rt.statistics();
    cost.messages += static_cast<double>(statistics.messages_sent);
    cost.bytes_sent += static_cast<double>(statistics.bytes_sent);
  })) << simulated.error();
  cost.messages /= ranks;
  cost.bytes_sent /= ranks;
  cost.allocations = static_cast<double>(allocations) / ranks;
  cost.allocated_bytes = static_cast<double>(allocated_bytes) / ranks;
  return cost;
}

/// A gathering sends each value up to log2(ranks) times.
void expect_linear(const Runtime::Program& program) {
  constexpr std::int32_t few = 625;
  constexpr std::int32_t many = 10'000;
  const double most = 1.1 * std::log2(many) / std::log2(few);
  const PerRank before = costs(few, program);
  const PerRank after = costs(many, program);
  EXPECT_LT(after.messages, most * before.messages + 1);
  EXPECT_LT(after.bytes_sent, most * before.bytes_sent + 100);
  EXPECT_LT(after.allocations, most * before.allocations + 1);
  EXPECT_LT(after.allocated_bytes, most * before.allocated_bytes + 1000);
}

TEST(Growth, statistics_asked_for_by_all_ranks) {
  expect_linear([](Runtime& rt) -> Task<> {
    const auto all = co_await rt.gather_statistics();
    EXPECT_EQ(all.size(), rt.rank() == 0 ? static_cast<std::size_t>(rt.size()) : 0U);
    rt.compute(std::chrono::microseconds(rt.rank().value()));
    co_await rt.barrier();
    const RunSummary summary = co_await rt.summarise_statistics();
    EXPECT_GE(summary.max_busy_seconds, 1e-6 * (rt.size() - 1));
  });
}

/// Bytes that a simulated job takes for each rank before it begins.
double bytes_of_a_rank(std::int32_t ranks) {
  SimulatedJobOptions job;
  job.options.simulate.emplace();
  job.options.simulate->ranks = ranks;
  job.options.simulate->workers_per_rank = 1;
  job.options.simulate->speeds.clear();
  for (std::int32_t r = 0; r < ranks; ++r) job.options.simulate->speeds.push_back(1 + r % 7);
  const std::uint64_t before = HeapUse::bytes;
  const SimulatedJob simulated(job);
  return static_cast<double>(HeapUse::bytes - before) / ranks;
}

TEST(Growth, a_machine_with_a_speed_of_each_rank) {
  EXPECT_LT(bytes_of_a_rank(10'000), 1.1 * bytes_of_a_rank(625));
}

}  // namespace
}  // namespace roam::allocation::growth_test
