// SPDX-License-Identifier: Apache-2.0
// A1, A2: the test programs of tests/runtime over an MPI whose messages overtake each other, so
// that the order has to be restored. Start with mpiexec -n <ranks>.
#include <mpi.h>

#include "roam/transport/mpi/mpi_network.hpp"
#include "runtime/job_kinds.hpp"
#include "transport/reordering_network.hpp"

namespace roam::programs {
namespace {

JobKind reordered_mpi(std::uint32_t workers, std::size_t batch_bytes) {
  return {"mpi_" + std::to_string(workers) + (batch_bytes > 0 ? "_batches" : ""),
          [=](const Runtime::Program& program) {
            transport::testing::ReorderingNetwork network(
                transport::make_mpi_network(MPI_COMM_WORLD),
                {.seed = 3, .batch_bytes = batch_bytes});
            Options options;
            options.workers = workers;
            return roam::run(network, options, program);
          }};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(reordered_mpi(1, 4096), reordered_mpi(2, 0)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::programs

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  ::testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
