// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/in_process.hpp"
#include "runtime/job_kinds.hpp"
#include "transport/reordering_network.hpp"

namespace roam::programs::programs_test {

namespace {
// Order restored over real threads, by ranks of one and of two workers.
JobKind reordered(std::int32_t ranks, std::uint32_t workers) {
  return {"reordered_" + std::to_string(ranks) + "x" + std::to_string(workers),
          [=](const Runtime::Program& program) {
            transport::testing::ReorderingNetwork network(
                std::make_unique<transport::InProcessNetwork>(ranks),
                {.seed = workers, .batch_bytes = 2048});
            Options options;
            options.workers = workers;
            return roam::run(network, options, program);
          }};
}
}  // namespace

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(in_process(1, 1), in_process(2, 1), in_process(3, 2),
                                           in_process(4, 2),
                                           in_process(2, 2, ProgressMode::dedicated),
                                           in_process(3, 1, ProgressMode::polling), reordered(2, 1),
                                           reordered(3, 2), simulated(1, 1), simulated(4, 2),
                                           simulated(13, 3)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace roam::programs::programs_test
