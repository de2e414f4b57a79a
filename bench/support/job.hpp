// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <roam/roam.hpp>

namespace bench {

/// Runs a Roam job over `network` in which rank 0 awaits `measure(runtime)`, a Task<double>, and
/// gives back its result (0 on other processes). An error ends all processes.
template <class Measure>
double measure_on_rank_0(roam::transport::Network& network, const roam::Options& options,
                         Measure measure) {
  double result = 0;
  const auto program = [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) result = co_await measure(rt);
  };
  if (roam::run(network, options, program) != 0) {
    network.abort(1);
    std::exit(1);
  }
  return result;
}

}  // namespace bench
