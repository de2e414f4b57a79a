// SPDX-License-Identifier: Apache-2.0
// Offloading in real time, on threads: several ranks and workers in one process.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "sanitizers.hpp"

namespace roam::offload::threads_test {

namespace {

std::vector<double> smoothed(const std::vector<double>& values, int rounds) {
  std::vector<double> result(values);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 1; i + 1 < result.size(); ++i)
      result[i] = (result[i - 1] + result[i] + result[i + 1]) / 3;
  }
  return result;
}

struct Outcome {
  std::atomic<std::uint64_t> spawned{0};
  std::atomic<std::uint64_t> wrong{0};
  std::atomic<std::uint64_t> completed{0};
  std::atomic<std::uint64_t> elsewhere{0};
};

constexpr int usual_steps = 4;
constexpr int most_steps = 200;

/// Whether a further step is needed: where threads share cores, a rank may have computed all of its
/// tasks in the usual ones before others have begun any. `elsewhere`: tasks of this rank so far.
Task<bool> goes_on(Runtime& rt, int steps, std::uint64_t elsewhere) {
  if (steps < usual_steps) co_return true;
  const auto all = co_await rt.allreduce<std::plus<>>(elsewhere);
  co_return all == 0 && steps < most_steps;
}

Task<> work_off(Runtime& rt, Outcome& outcome) {
  std::vector<double> input(rt.rank() == 1 ? 9000 : 90);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<double>(i));
  const std::vector<double> expected = smoothed(input, 4);
  const auto elsewhere = [&] { return Offloader::of(rt).tasks().counts().returned; };
  for (int step = 0; co_await goes_on(rt, step, elsewhere()); ++step) {
    // Quotas larger than those of `auto`, and in both directions.
    for (std::int32_t to = 0; to < rt.size(); ++to) {
      const Quota quota{rt.rank().value(), to, 6};
      if (to != rt.rank().value()) Offloader::of(rt).tasks().set_quotas({&quota, 1});
    }
    std::vector<Result<void>> done;
    for (int i = 0; i < 30; ++i) {
      ++outcome.spawned;
      done.push_back(spawn_then<&smoothed>(
          rt,
          [&](const std::vector<double>& result) {
            if (result != expected) ++outcome.wrong;
            ++outcome.completed;
          },
          input, 4));
    }
    co_await when_all(std::move(done));
    co_await rt.barrier();
    next_step(rt);
  }
  co_await rt.quiescence();
  outcome.elsewhere += elsewhere();
}

// Three ranks, and helpers, with one and with two workers: `program` completes all of its tasks,
// some of them elsewhere, with the same bits.
template <class Program>
void expect_one_completion_each(const Program& program, std::int32_t helpers = 0) {
  for (const std::uint32_t workers : {1U, 2U}) {
    Options options;
    options.ranks = 3 + helpers;
    options.ranks_given = true;
    options.helpers = helpers;
    options.workers = workers;
    Outcome outcome;
    EXPECT_EQ(run(options, [&](Runtime& rt) { return program(rt, outcome); }), 0);
    EXPECT_EQ(outcome.wrong.load(), 0U);
    EXPECT_GT(outcome.spawned.load(), 0U);
    EXPECT_EQ(outcome.completed.load(), outcome.spawned.load());
    EXPECT_GT(outcome.elsewhere.load(), 0U);
  }
}

TEST(OffloadInThreads, O1_each_task_has_one_completion_with_the_same_bits) {
  expect_one_completion_each(&work_off);
}

// The last of four ranks is a helper. Once it has computed tasks, it is lost while others are on
// their way to it, there, and on their way back; then come two steps without it.
Task<> work_with_a_helper(Runtime& rt, Outcome& outcome) {
  const std::vector<double> input(rt.rank() == 1 ? 9000 : 90, 0.5);
  const std::vector<double> expected = smoothed(input, 4);
  const Rank helper = 3;
  HomeTasks& tasks = Offloader::of(rt).tasks();
  const auto work = [&](bool is_lost_now) -> Task<> {
    const Quota quota{rt.rank().value(), helper.value(), 20};
    tasks.set_quotas({&quota, 1});
    std::vector<Result<std::vector<double>>> results;
    for (int i = 0; i < 30; ++i) {
      if (is_lost_now && i == 10 + rt.rank().value()) tasks.on_lost(helper);
      ++outcome.spawned;
      results.push_back(spawn<&smoothed>(rt, input, 4));
    }
    for (const std::vector<double>& result : co_await when_all(std::move(results))) {
      if (result != expected) ++outcome.wrong;
      ++outcome.completed;
    }
    co_await rt.barrier();
    next_step(rt);
  };
  for (int step = 0; co_await goes_on(rt, step, tasks.counts().returned); ++step)
    co_await work(false);
  co_await work(true);
  for (int step = 0; step < 2; ++step) co_await work(false);
  co_await rt.quiescence();
  outcome.elsewhere += tasks.counts().returned;
}

TEST(OffloadInThreads, O1_tasks_of_a_lost_helper_have_one_completion_with_the_same_bits) {
  expect_one_completion_each(&work_with_a_helper, 1);
}

// Long tasks on one of the ranks: the others ask for them again and again, and have no quotas.
Task<> work_on_request(Runtime& rt, Outcome& outcome) {
  constexpr int sweeps = tests::has_sanitizer ? 10 : 40;  // longer than a task travels
  std::vector<double> input(6000);
  for (std::size_t i = 0; i < input.size(); ++i) input[i] = std::sin(static_cast<double>(i));
  const std::vector<double> expected = smoothed(input, sweeps);
  const auto elsewhere = [&] { return Offloader::of(rt).tasks().counts().given; };
  for (int step = 0; co_await goes_on(rt, step, elsewhere()); ++step) {
    Offloader::of(rt).tasks().set_quotas({}, 8);
    Offloader::of(rt).requests().allow(true);
    std::vector<Result<std::vector<double>>> results;
    for (int i = 0; i < (rt.rank() == step % 3 ? 24 : 2); ++i) {
      ++outcome.spawned;
      results.push_back(spawn<&smoothed>(rt, input, sweeps));
    }
    for (const std::vector<double>& result : co_await when_all(std::move(results))) {
      if (result != expected) ++outcome.wrong;
      ++outcome.completed;
    }
    co_await rt.barrier();
    Offloader::of(rt).requests().begin_step();
  }
  co_await rt.quiescence();
  outcome.elsewhere += elsewhere();
}

TEST(OffloadInThreads, O1_tasks_given_on_request_have_one_completion_with_the_same_bits) {
  expect_one_completion_each(&work_on_request);
}

}  // namespace

}  // namespace roam::offload::threads_test
