// SPDX-License-Identifier: Apache-2.0
// The test programs of tests/runtime over MPI: start with mpiexec -n <ranks>. The program keeps MPI
// to itself; every job runs on a duplicate of its communicator.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

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

/// This thread's processors.
cpu_set_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(sched_getaffinity(0, sizeof set, &set), 0);
  return set;
}

int the_one_processor() {
  const cpu_set_t set = processors();
  EXPECT_EQ(CPU_COUNT(&set), 1);
  int cpu = 0;
  while (cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

// The launcher may have bound nobody: every process then counts its processors from the same one.
TEST(Pinning, workers_of_all_processes_of_a_machine_share_no_processor) {
  const cpu_set_t before = processors();
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) CPU_SET(cpu, &all);
  ASSERT_EQ(sched_setaffinity(0, sizeof all, &all), 0);  // what control groups allow of these
  const cpu_set_t may_use = processors();
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  Options options;
  options.workers = 1;
  options.pin = true;
  const int status = roam::run(*network, options, [&](Runtime& rt) -> Task<> {
    const std::vector<int> of_all = co_await rt.allgather(the_one_processor());
    const std::set<int> different(of_all.begin(), of_all.end());
    EXPECT_EQ(different.size(), static_cast<std::size_t>(std::min(rt.size(), CPU_COUNT(&may_use))));
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

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
