// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "roam/roam.hpp"

namespace roam::programs {

/// One way to run a whole job; the test programs below have to behave alike on all of them.
struct JobKind {
  std::string name;
  /// Runs a program on all ranks; its exit status.
  std::function<int(const Runtime::Program&)> run;
};

/// Instantiated over in-process, simulated and MPI jobs.
class Programs : public ::testing::TestWithParam<JobKind> {
 protected:
  /// Runs and requires a regular end.
  void run(const Runtime::Program& program) { ASSERT_EQ(GetParam().run(program), 0); }
};

inline JobKind in_process(std::int32_t ranks, std::uint32_t workers,
                          ProgressMode mode = ProgressMode::shared) {
  const std::string mode_name =
      mode == ProgressMode::shared ? "" : "_" + std::string(to_string(mode));
  return {"in_process_" + std::to_string(ranks) + "x" + std::to_string(workers) + mode_name,
          [=](const Runtime::Program& program) {
            Options options;
            options.ranks = ranks;
            options.ranks_given = true;
            options.workers = workers;
            options.progress_mode = mode;
            options.transport = "in-process";
            return roam::run(options, program);
          }};
}

inline JobKind simulated(std::int32_t ranks, std::uint32_t workers) {
  return {"simulated_" + std::to_string(ranks) + "x" + std::to_string(workers),
          [=](const Runtime::Program& program) {
            Options options;
            options.simulate = Machine{};
            options.simulate->ranks = ranks;
            options.simulate->workers_per_rank = workers;
            return roam::run(options, program);
          }};
}

}  // namespace roam::programs
