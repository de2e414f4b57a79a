// SPDX-License-Identifier: Apache-2.0
// The test programs of tests/runtime over MPI: start with mpiexec -n <ranks>. The program keeps MPI
// to itself; every job runs on a duplicate of its communicator.
#include <mpi.h>

#include <string_view>

#include "roam/transport/mpi/mpi_network.hpp"
#include "runtime/job_kinds.hpp"

namespace roam::programs {
namespace {

JobKind mpi(std::uint32_t workers, ProgressMode mode) {
  return {"mpi_" + std::to_string(workers) + "_" + std::string(to_string(mode)),
          [=](const Runtime::Program& program) {
            const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
            Options options;
            options.workers = workers;
            options.progress_mode = mode;
            return roam::run(*network, options, program);
          }};
}

INSTANTIATE_TEST_SUITE_P(Jobs, Programs,
                         ::testing::Values(mpi(1, ProgressMode::shared),
                                           mpi(2, ProgressMode::shared),
                                           mpi(1, ProgressMode::dedicated),
                                           mpi(1, ProgressMode::polling)),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace roam::programs

int main(int argc, char** argv) {
  // With an argument "funneled": an MPI that only the main thread may call.
  const bool is_funneled = argc > 1 && std::string_view(argv[1]) == "funneled";
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, is_funneled ? MPI_THREAD_FUNNELED : MPI_THREAD_SERIALIZED, &level);
  ::testing::InitGoogleTest(&argc, argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) {
    delete ::testing::UnitTest::GetInstance()->listeners().Release(
        ::testing::UnitTest::GetInstance()->listeners().default_result_printer());
  }
  int failed = RUN_ALL_TESTS();
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  MPI_Finalize();
  return anywhere;
}
