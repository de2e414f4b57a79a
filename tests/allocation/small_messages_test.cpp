// SPDX-License-Identifier: Apache-2.0
// Small messages and calls take nothing from the heap: inside one process and simulated.
#include "allocation/allocation_programs.hpp"
#include "sanitizers.hpp"

namespace roam::allocation::small_messages_test {
namespace {

JobKind in_process(std::uint32_t workers) {
  return {"in_process_" + std::to_string(workers),
          [workers](const Runtime::Program& program) {
            Options options;
            options.ranks = 2;
            options.ranks_given = true;
            options.workers = workers;
            options.transport = "in-process";
            return roam::run(options, program);
          },
          false, false, workers == 1 && !tests::has_sanitizer};
}
JobKind simulated() {
  return {"simulated",
          [](const Runtime::Program& program) {
            Options options;
            options.simulate = Machine{};
            options.simulate->ranks = 2;
            return roam::run(options, program);
          },
          false, true};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Allocations,
                         ::testing::Values(in_process(1), in_process(2), simulated()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::allocation::small_messages_test
