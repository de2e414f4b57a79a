// SPDX-License-Identifier: Apache-2.0
// B2: iterative programs of which the operating system takes a core away for a while.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::balance::interrupted_program_test {

/// A part of a grid: large data, and work without announced costs.
struct Part {
  std::vector<double> cells;
  Part() : cells(16'000) {}
  void step(double seconds) { roam::here().compute(roam::from_seconds(seconds)); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells);
  }
};

namespace {

constexpr int parts_each = 16;
constexpr double work_of_a_step = 20e-6;  // seconds
constexpr double interruption = 50e-3;
constexpr int sent_away = 6;

struct Program {
  int steps = 0;
  int interrupted = -1;  // the step in which rank 0 is interrupted
  int unbalanced = -1;   // the step before which rank 0 sends some of its parts away
};

Task<> iterate(Runtime& rt, const Program& program) {
  std::vector<mobile_ptr<Part>> mine;
  for (int i = 0; i < parts_each; ++i) mine.push_back(rt.create<Part>());
  for (int step = 0; step < program.steps; ++step) {
    const bool is_first = rt.rank() == 0;
    for (int i = 0; i < sent_away && is_first && step == program.unbalanced; ++i)
      mine[static_cast<std::size_t>(i)].migrate(1);
    co_await rt.quiescence();
    for (std::size_t i = 0; i < mine.size(); ++i) {
      const bool waits = is_first && step == program.interrupted && i == 7;
      mine[i].send<&Part::step>(waits ? interruption : work_of_a_step);
    }
    co_await rt.quiescence();
  }
}

struct Outcome {
  std::uint64_t moved = 0;  // by the policy
  std::uint64_t left_on_rank_0 = 0;
};

Outcome run(const std::string& policy, std::uint64_t seed, const Program& program) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = 2;
  options.simulate->workers_per_rank = 1;
  options.simulate->noise = 0.04;
  options.balancer = parse_plugin_choice(policy);
  options.seed = seed;
  SimulatedJob job({.options = options});
  EXPECT_TRUE(job.run([&](Runtime& rt) { return iterate(rt, program); })) << job.error();
  Outcome outcome;
  for (std::int32_t rank = 0; rank < 2; ++rank)
    outcome.moved += job.runtime(rank).balancer().stats().migrations_started;
  outcome.left_on_rank_0 = job.runtime(0).statistics().objects;
  return outcome;
}

class Interruption : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(B2, Interruption,
                         testing::Values("auto", "diffusion", "diffusion:initiation=both",
                                         "predictive", "grapevine", "work_stealing"),
                         [](const auto& chosen) { return std::to_string(chosen.index); });

// Rank 0 answers all the while, as a rank of threads does: work that waits may be given away, but
// not permanently.
TEST_P(Interruption, leaves_the_program_in_balance) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const Outcome outcome = run(GetParam(), seed, {.steps = 600, .interrupted = 300});
    EXPECT_LE(outcome.moved, 4U) << seed;
    EXPECT_GE(outcome.left_on_rank_0, parts_each - 2U) << seed;
  }
}

// Without grapevine, in which ranks with work give by rumours, which takes longer.
class Unbalanced : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(B2, Unbalanced,
                         testing::Values("auto", "diffusion", "diffusion:initiation=both",
                                         "predictive", "work_stealing"),
                         [](const auto& chosen) { return std::to_string(chosen.index); });

TEST_P(Unbalanced, program_is_put_right_soon) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    // Balanced for a second and a half, after which all ranks are silent; then unbalanced for a
    // quarter of a second.
    const Outcome outcome = run(GetParam(), seed, {.steps = 4'500, .unbalanced = 4'000});
    EXPECT_GE(outcome.left_on_rank_0, parts_each - 2U) << seed << ": " << outcome.moved;
  }
}

}  // namespace
}  // namespace roam::balance::interrupted_program_test
