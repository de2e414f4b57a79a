// SPDX-License-Identifier: Apache-2.0
// Strategies of offloading and offloadable tasks that a shared library brings.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/offload/offload.hpp"
#include "roam/offload/strategy.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::offload::library_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string path_of(const std::string& kind) {
  return std::string(ROAM_TEST_PLUGINS) + "/libtest_plugin_" + kind + ".so";
}

int computed_at() {
  here().compute(std::chrono::microseconds(100));
  return here().rank().value();
}

/// Of 40 tasks of rank 0, how many each rank computed in the last of three steps.
std::vector<int> computed_with(const std::string& strategy) {
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = 2;
  options.options.simulate->workers_per_rank = 1;
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice(strategy);
  SimulatedJob job(options);
  std::vector<int> computed(2);
  const bool has_ended = job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 3; ++step) {
      std::vector<Result<int>> results;
      for (int i = 0; rt.rank() == 0 && i < 40; ++i) results.push_back(spawn<&computed_at>(rt));
      const std::vector<int> ranks = co_await when_all(std::move(results));
      if (rt.rank() == 0) {
        computed = {0, 0};
        for (const int rank : ranks) ++computed[static_cast<std::size_t>(rank)];
      }
      co_await rt.barrier();
      next_step(rt);
    }
  });
  EXPECT_TRUE(has_ended) << job.error();
  return computed;
}

TEST(OffloadLibrary, brings_a_strategy_that_decides_for_a_whole_program) {
  EXPECT_EQ(computed_with("none"), (std::vector<int>{40, 0}));
  EXPECT_EQ(computed_with(path_of("offloader")), (std::vector<int>{20, 20}));
}

TEST(OffloadLibrary, that_brings_none_is_refused_in_one_line) {
  for (const char* kind : {"empty", "other_interface", "no_symbol"}) {
    try {
      (void)make_strategy({path_of(kind), {}}, 2);
      ADD_FAILURE() << kind;
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), AllOf(StartsWith("--roam-offload: "), HasSubstr(path_of(kind))));
    }
  }
}

TEST(OffloadLibrary, that_is_loaded_while_the_job_runs_brings_tasks_that_all_ranks_compute) {
  using SpawnTasks = void (*)(Runtime&, int, std::vector<Result<int>>&);
  SimulatedJobOptions options;
  options.options.simulate = Machine{};
  options.options.simulate->ranks = 2;
  options.options.simulate->workers_per_rank = 1;
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice("ccp");
  SimulatedJob job(options);
  int elsewhere = 0;
  const bool has_ended = job.run([&](Runtime& rt) -> Task<> {
    co_await rt.barrier();
    // Stays loaded, as the tasks that it registers must.
    void* const library = dlopen(path_of("tasks").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw Error(dlerror());
    const auto spawn_tasks = reinterpret_cast<SpawnTasks>(dlsym(library, "spawn_tasks_of_library"));
    if (spawn_tasks == nullptr) throw Error(dlerror());
    for (int step = 0; step < 3; ++step) {
      std::vector<Result<int>> results;
      if (rt.rank() == 0) spawn_tasks(rt, 40, results);
      int number = 0;
      for (const int value : co_await when_all(std::move(results))) {
        if (value / 100 != number++) throw Error("a result of another task");
        elsewhere += value % 100;
      }
      co_await rt.barrier();
      next_step(rt);
    }
  });
  EXPECT_TRUE(has_ended) << job.error();
  EXPECT_EQ(elsewhere, 2 * 20);
}

}  // namespace
}  // namespace roam::offload::library_test
