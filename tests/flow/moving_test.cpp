// SPDX-License-Identifier: Apache-2.0
// F9: where a policy moves elements within a phase, their tasks run on the rank that they have been
// moved to, and everything else is as if they had stayed.
#include <gmock/gmock.h>

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::moving_test {

namespace {

using ::testing::HasSubstr;

SimulatedJobOptions on(std::int32_t ranks, const std::string& balancer) {
  SimulatedJobOptions options = testing::simulated(ranks);
  options.options.balancer.name = balancer;
  return options;
}

/// The first quarter of the elements, which is that of rank 0, takes ten times as long.
void relax(std::vector<double>& own, const double& left, const double& right, Index<1> at,
           Reduce<double, std::plus<>> sum) {
  here().compute(std::chrono::microseconds(at[0] < 16 ? 2000 : 200));
  for (double& x : own) x += (left - right) / 3;
  sum(own.front());
}
void edge(const std::vector<double>& own, Out<double> out) { *out = own.back() * 0.5; }

struct Outcome {
  std::vector<double> sums;
  double seconds = 0;
  std::vector<std::int64_t> ran;  // tasks, by rank
  std::uint64_t moves = 0;
};

Outcome outcome_of(const SimulatedJobOptions& options, int steps) {
  SimulatedJob job(options);
  Outcome outcome;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    {
      Flow fl(rt);
      auto blocks = fl.collection<std::vector<double>>(Index<1>{64});
      auto edges = fl.collection<double>(Index<1>{64});
      auto sum = fl.data<double>();
      fl.for_each([](Out<std::vector<double>> own,
                     Index<1> at) { own->assign(100, static_cast<double>(at[0])); },
                  blocks.own(), blocks.index());
      for (int step = 0; step < steps; ++step) {
        fl.for_each<&edge>(blocks.own(), edges.own());
        fl.for_each<&relax>(blocks.own(), edges.at(-1), edges.at(1), blocks.index(), sum);
        const double now = co_await sum.get();
        if (rt.rank() == 0) outcome.sums.push_back(now);
      }
      co_await fl.done();
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().resident_count(), 0U);
    if (rt.rank() == 0) outcome.seconds = seconds(rt.engine().now());
    outcome.moves += rt.balancer().stats().migrations_moved;
  });
  EXPECT_TRUE(ok) << job.error();
  return outcome;
}

TEST(FlowMoving, F9_tasks_run_where_a_policy_has_moved_their_elements) {
  const int steps = std::getenv("STEPS") ? std::atoi(std::getenv("STEPS")) : 30;
  const Outcome without = outcome_of(on(4, "none"), steps);
  EXPECT_EQ(without.moves, 0U);
  for (const char* balancer : {"diffusion", "work_stealing"}) {
    const Outcome with = outcome_of(on(4, balancer), steps);
    EXPECT_EQ(with.sums, without.sums) << balancer;
    EXPECT_GT(with.moves, 8U) << balancer;
    EXPECT_LT(with.seconds, without.seconds * 0.6) << balancer;
    std::printf("%s: %.4f of %.4f, %lu moves\n", balancer, with.seconds, without.seconds, static_cast<unsigned long>(with.moves));
  }
}

}  // namespace

}  // namespace roam::flow::moving_test
