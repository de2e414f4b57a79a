// SPDX-License-Identifier: Apache-2.0
// The test programs of tests/runtime over UCX, one job after the other in the same processes.
#include "roam/transport/ucx/ucx_network.hpp"
#include "runtime/job_kinds.hpp"
#include "transport/ucx/quiet_ranks.hpp"

namespace roam::programs {
namespace {

JobKind ucx(std::uint32_t workers, ProgressMode mode) {
  return {"ucx_" + std::to_string(workers) + "_" + std::string(to_string(mode)),
          [=](const Runtime::Program& program) {
            const auto network = transport::make_ucx_network(transport::make_bootstrap());
            Options options;
            options.workers = workers;
            options.progress_mode = mode;
            return roam::run(*network, options, program);
          }};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(ucx(1, ProgressMode::shared),
                                           ucx(2, ProgressMode::shared),
                                           ucx(1, ProgressMode::dedicated),
                                           ucx(1, ProgressMode::polling)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::programs

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  roam::tests::only_rank_0_reports();
  return RUN_ALL_TESTS();
}
