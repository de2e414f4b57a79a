// SPDX-License-Identifier: Apache-2.0
// F1: a flow program gives the bits of the program run line by line, whatever runs its tasks.
// Programs are random ones (random_program.hpp) of tasks of all kinds, nested and failing ones too.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flow/backends.hpp"
#include "flow/random_program.hpp"
#include "roam/roam.hpp"
#include "sanitizers.hpp"
#include "support/simulated.hpp"

namespace roam::flow::equivalence_test {

namespace {

using random_program::Shape;
using Words = std::vector<std::string>;

Shape shape_of(std::uint64_t seed) {
  Shape shape;
  shape.seed = seed;
  shape.data = 4 + static_cast<std::uint32_t>(seed % 5);
  shape.tasks = 20 + static_cast<std::uint32_t>(seed % 60);
  shape.depth = static_cast<std::uint32_t>(seed % 4);
  shape.failures = seed % 3 == 0 ? 0.02 : 0;
  shape.graphs = seed % 2 == 0 ? 0.3 : 0;
  return shape;
}

/// Runs programs one after the other in one job on threads.
std::vector<Words> on_threads(const std::string& backend, std::uint32_t workers,
                              std::uint32_t window, std::uint64_t programs) {
  Options options;
  options.ranks = 1;
  options.ranks_given = true;
  options.workers = workers;
  options.edit<FlowOptions>().backend = backend;
  options.edit<FlowOptions>().window = window;
  std::vector<Words> all;
  const int status = roam::run(options, [&](Runtime& rt) -> Task<> {
    // Tasks that nobody awaits may fail, too.
    rt.on_error([](const std::string&) {});
    for (std::uint64_t seed = 1; seed <= programs; ++seed) {
      Flow fl(rt);
      all.push_back(co_await random_program::run(fl, shape_of(seed)));
    }
  });
  EXPECT_EQ(status, 0);
  return all;
}

class Backends : public ::testing::TestWithParam<std::string> {};

TEST_P(Backends, F1_random_programs_have_the_bits_of_the_serial_run) {
  // On a busy machine, threads beside Roam's wait for each other for milliseconds. What
  // ordering_test has looks at all unfinished tasks for each.
  const bool is_slow = has_own_threads(GetParam()) || GetParam().starts_with("by_uses");
  const std::uint64_t programs = is_slow ? 12 : tests::has_sanitizer ? 60 : 200;
  const std::vector<Words> expected = on_threads("serial", 1, 4096, programs);
  for (const std::uint32_t workers : {1U, 2U, 4U}) {
    for (const std::uint32_t window : {1U, 7U, 4096U}) {
      if (is_slow && (workers != 2 || window == 1)) continue;
      EXPECT_EQ(on_threads(GetParam(), workers, window, programs), expected)
          << workers << " workers, window " << window;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Backends, ::testing::ValuesIn(backends_to_test()),
                         [](const auto& one) { return one.param; });

}  // namespace

}  // namespace roam::flow::equivalence_test
