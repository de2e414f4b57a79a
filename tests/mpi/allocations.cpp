// SPDX-License-Identifier: Apache-2.0
// Small messages and calls take nothing from the heap, over MPI. Start with mpiexec -n 2. What MPI
// itself takes is not counted: it is written in C.
#include <mpi.h>

#include "allocation/allocation_programs.hpp"
#include "roam/transport/mpi/mpi_network.hpp"

namespace roam::allocation {
namespace {

JobKind mpi(std::uint32_t workers) {
  return {"mpi_" + std::to_string(workers),
          [workers](const Runtime::Program& program) {
            const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
            Options options;
            options.workers = workers;
            return roam::run(*network, options, program);
          },
          workers > 1, false, workers == 1};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Allocations, ::testing::Values(mpi(1), mpi(2)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::allocation

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &roam::allocation::Findings::noting_rank);
  ::testing::InitGoogleTest(&argc, argv);
  int failed = RUN_ALL_TESTS();
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
