// SPDX-License-Identifier: Apache-2.0
// A job whose rank 0 has tasks computed by the others until rank 2 is killed inside one of them.
// All others must end then, and say whom they lost; but if rank 2 is a helper, the job goes on to
// its end with the right sums.
#include <csignal>
#include <cstdint>
#include <functional>
#include <roam/offload/offload.hpp>
#include <roam/roam.hpp>
#include <vector>

namespace {

// Enough that offloading has settled.
constexpr int tasks_before_the_end = 40;
constexpr int steps_after_the_loss = 5;  // in a job with helpers
constexpr int tasks_of_a_step = 100;

/// How many tasks of rank 0 this process has computed. Each rank has one worker.
int computed_for_others = 0;

// Long enough to be sent beside its message.
using Load = std::vector<int>;
constexpr std::size_t load_size = 10'000;

int task(int value, const Load& load) {
  roam::Runtime& here = roam::here();
  here.compute(std::chrono::microseconds(300));
  if (here.rank() != 0 && ++computed_for_others == tasks_before_the_end && here.rank() == 2)
    std::raise(SIGKILL);
  return value + load.back();
}

/// One step; returns the sum of its results.
roam::Task<std::int64_t> step(roam::Runtime& rt) {
  std::vector<roam::offload::Result<int>> results;
  for (int i = 0; i < (rt.rank() == 0 ? tasks_of_a_step : 0); ++i)
    results.push_back(roam::offload::spawn<&task>(rt, i, Load(load_size, 1)));
  std::int64_t sum = 0;
  for (const int value : co_await roam::offload::when_all(std::move(results))) sum += value;
  co_await rt.barrier();
  roam::offload::next_step(rt);
  co_return sum;
}

roam::Task<> main_program(roam::Runtime& rt) {
  const bool has_helpers = rt.options().helpers > 0;
  std::int64_t sum = 0;
  int steps = 0;
  int steps_left = 0;
  do {
    sum += co_await step(rt);
    ++steps;
    const bool is_lost = roam::offload::Offloader::of(rt).lost_helpers().count() > 0;
    const int losses = co_await rt.allreduce(is_lost ? 1 : 0, std::plus<>{});
    steps_left = has_helpers && losses > 0 ? steps_left - 1 : steps_after_the_loss;
  } while (steps_left > 0);
  constexpr std::int64_t in_each = tasks_of_a_step * (tasks_of_a_step - 1) / 2 + tasks_of_a_step;
  if (rt.rank() == 0 && sum != in_each * steps) throw roam::Error("the sum is wrong");
}

}  // namespace

int main(int argc, char** argv) { return roam::run(argc, argv, &main_program); }
