// SPDX-License-Identifier: Apache-2.0
// A1, A2: the test programs of tests/runtime over a UCX whose messages overtake each other, so that
// the order has to be restored.
#include "roam/transport/ucx/ucx_network.hpp"
#include "runtime/job_kinds.hpp"
#include "transport/reordering_network.hpp"
#include "transport/ucx/quiet_ranks.hpp"

namespace roam::programs {
namespace {

JobKind reordered_ucx(std::uint32_t workers, std::size_t batch_bytes) {
  return {"ucx_" + std::to_string(workers) + (batch_bytes > 0 ? "_batches" : ""),
          [=](const Runtime::Program& program) {
            transport::testing::ReorderingNetwork network(
                transport::make_ucx_network(transport::make_bootstrap()),
                {.seed = 4, .batch_bytes = batch_bytes});
            Options options;
            options.workers = workers;
            return roam::run(network, options, program);
          }};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(reordered_ucx(1, 4096), reordered_ucx(2, 0)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::programs

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  roam::tests::only_rank_0_reports();
  return RUN_ALL_TESTS();
}
