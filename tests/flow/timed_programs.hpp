// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <string>

#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::flow::timed_programs {

constexpr int unit_us = 100;

inline void take(int units) { here().compute(std::chrono::microseconds(unit_us * units)); }

/// Runs a program on one simulated rank of four workers, and gives the time it took in units.
template <class Program>
double units_of(Program program, const std::function<void(FlowOptions&)>& edit = {}) {
  SimulatedJobOptions options = testing::simulated(1, 1, 4);
  if (edit) edit(options.options.edit<FlowOptions>());
  SimulatedJob job(options);
  double units = -1;
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    const Instant begin = rt.now();
    co_await program(fl);
    co_await fl.done();
    units = seconds(rt.now() - begin) / (unit_us * 1e-6);
  });
  EXPECT_TRUE(ok) << job.error();
  return units;
}

/// The error that ends the job.
template <class Program>
std::string error_of(Program program, const std::string& backend = "roam") {
  SimulatedJobOptions options = testing::simulated(1, 1, 2);
  options.options.edit<FlowOptions>().backend = backend;
  SimulatedJob job(options);
  const bool ok = job.run([&](Runtime& rt) -> Task<> {
    Flow fl(rt);
    co_await program(fl);
  });
  EXPECT_FALSE(ok);
  return job.error();
}

}  // namespace roam::flow::timed_programs
