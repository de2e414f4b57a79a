// SPDX-License-Identifier: Apache-2.0
// A job whose rank 0 has tasks computed by the others until rank 2 is killed inside one of them.
// All others must end then, and say whom they lost.
#include <csignal>
#include <roam/offload/offload.hpp>
#include <roam/roam.hpp>
#include <vector>

namespace {

// Enough that offloading has settled.
constexpr int tasks_before_the_end = 40;

/// How many tasks of rank 0 this process has computed. Each rank has one worker.
int computed_for_others = 0;

int task(int value) {
  roam::Runtime& here = roam::here();
  here.compute(std::chrono::microseconds(300));
  if (here.rank() != 0 && ++computed_for_others == tasks_before_the_end && here.rank() == 2)
    std::raise(SIGKILL);
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  return roam::run(argc, argv, [](roam::Runtime& rt) -> roam::Task<> {
    for (;;) {
      std::vector<roam::offload::Result<int>> results;
      for (int i = 0; i < (rt.rank() == 0 ? 100 : 0); ++i)
        results.push_back(roam::offload::spawn<&task>(rt, i));
      co_await roam::offload::when_all(std::move(results));
      co_await rt.barrier();
      roam::offload::next_step(rt);
    }
  });
}
