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

#include "roam/topology/detail/pinning.hpp"
#include "roam/topology/detail/this_machine.hpp"
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

/// Lets every processor be used that control groups allow, which a launcher may have forbidden.
class AllProcessors {
 public:
  AllProcessors() : before_(processors()) {
    cpu_set_t all;
    CPU_ZERO(&all);
    for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_CONF); ++cpu) CPU_SET(cpu, &all);
    EXPECT_EQ(sched_setaffinity(0, sizeof all, &all), 0);
  }
  AllProcessors(const AllProcessors&) = delete;
  AllProcessors& operator=(const AllProcessors&) = delete;
  ~AllProcessors() { EXPECT_EQ(sched_setaffinity(0, sizeof before_, &before_), 0); }

 private:
  const cpu_set_t before_;
};

/// The processor of each rank's worker, by rank; what rank 0 says is in `said`.
std::vector<int> bound_processors(const Pinning& pinning, std::string& said) {
  const auto network = transport::make_mpi_network(MPI_COMM_WORLD);
  Options options;
  options.workers = 1;
  options.pin = pinning;
  std::vector<int> of_all;
  ::testing::internal::CaptureStderr();
  const int status = roam::run(*network, options, [&](Runtime& rt) -> Task<> {
    of_all = co_await rt.allgather(the_one_processor());
  });
  said = ::testing::internal::GetCapturedStderr();
  EXPECT_EQ(status, 0) << said;
  return of_all;
}

// The launcher may have bound nobody: every process then counts its processors from the same one.
TEST(Pinning, workers_of_all_processes_of_a_machine_share_no_processor) {
  const AllProcessors all;
  const cpu_set_t may_use = processors();
  for (const auto policy : {Pinning::Policy::compact, Pinning::Policy::scatter}) {
    std::string said;
    const std::vector<int> of_all = bound_processors({policy, {}}, said);
    const std::set<int> different(of_all.begin(), of_all.end());
    EXPECT_EQ(different.size(), std::min(of_all.size(), std::size_t(CPU_COUNT(&may_use))));
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank != 0) continue;
    EXPECT_EQ(said.find("some share one") != said.npos, different.size() < of_all.size()) << said;
  }
}

bool are_two_ranks_on_two_cores() {
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const cpu_set_t may_use = processors();
  return ranks == 2 && topology::knows_this_machine() && CPU_COUNT(&may_use) > 1 &&
         topology::cores_in_order(topology::this_machine()).size() > 1;
}

TEST(Pinning, workers_are_on_the_cores_that_are_listed) {
  const AllProcessors all;
  if (!are_two_ranks_on_two_cores()) GTEST_SKIP() << "needs 2 ranks, 2 cores and hwloc";
  std::string said;
  const std::vector<int> in_order = bound_processors({Pinning::Policy::cores, {0, 1}}, said);
  EXPECT_EQ(said, "");
  EXPECT_NE(in_order[0], in_order[1]);
  const std::vector<int> other_order = bound_processors({Pinning::Policy::cores, {1, 0}}, said);
  EXPECT_EQ(said, "");
  EXPECT_EQ(other_order, (std::vector<int>{in_order[1], in_order[0]}));
}

TEST(Pinning, ranks_that_share_a_core_are_told_of_in_one_line) {
  const AllProcessors all;
  if (!are_two_ranks_on_two_cores()) GTEST_SKIP() << "needs 2 ranks, 2 cores and hwloc";
  std::string said;
  const std::vector<int> of_all = bound_processors({Pinning::Policy::cores, {1}}, said);
  EXPECT_EQ(of_all[0], of_all[1]);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  EXPECT_EQ(said, rank == 0 ? "roam: --roam-pin binds 2 workers to 1 core: some share one\n" : "");
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
