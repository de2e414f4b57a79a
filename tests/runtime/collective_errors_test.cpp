// SPDX-License-Identifier: Apache-2.0
// Collective calls that do not match stop the job with a report, also where nobody hears of the
// difference by a message.
#include <gmock/gmock.h>

#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace roam::collective_errors_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The error with which a simulated job of that many ranks ends.
std::string error_of(std::int32_t ranks, const Runtime::Program& program, std::uint64_t seed = 1) {
  SimulatedJobOptions options = testing::simulated(ranks, seed, 2);
  options.shuffle_ties = true;
  options.message_delay = std::chrono::microseconds(30);
  options.reorder = true;
  SimulatedJob job(options);
  EXPECT_FALSE(job.run(program));
  return job.error();
}

TEST(CollectiveErrors, ranks_that_wait_for_each_other_in_different_calls_are_stuck_and_named) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const std::string report = error_of(
        2,
        [](Runtime& rt) -> Task<> {
          co_await rt.barrier();
          // Each waits for a part of the other that never comes.
          if (rt.rank() == 0) (void)co_await rt.reduce<std::plus<>>(0, 1);
          if (rt.rank() == 1) (void)co_await rt.broadcast(0, 1);
        },
        seed);
    EXPECT_THAT(report, AllOf(HasSubstr("no progress is possible"),
                              HasSubstr("rank 0: main program waits for collective call 2, reduce "
                                        "to rank 0 of int by std::plus<"),  // Clang: no "void"
                              HasSubstr(">: the part of rank 1"),
                              HasSubstr("rank 1: main program waits for collective call 2, "
                                        "broadcast from rank 0 of int: the part of rank 0")));
  }
}

TEST(CollectiveErrors, a_call_that_one_rank_never_makes_is_named) {
  const std::string report = error_of(3, [](Runtime& rt) -> Task<> {
    if (rt.rank() != 1) (void)co_await rt.broadcast(0, 1.5);
  });
  EXPECT_THAT(report, HasSubstr("rank 1: the part of rank 0 waits for collective call 1, broadcast "
                                "from rank 0 of double, which this rank has not called"));
}

TEST(CollectiveErrors, a_different_call_stops_the_whole_job_on_any_number_of_ranks) {
  for (const int ranks : {2, 3, 8, 17, 100}) {
    const std::string report = error_of(ranks, [](Runtime& rt) -> Task<> {
      (void)co_await rt.allreduce<Max>(1);
      if (rt.rank() == rt.size() / 2) {
        (void)co_await rt.allgather(1);
      } else {
        co_await rt.barrier();
      }
      co_await rt.quiescence();
      ADD_FAILURE() << "went on";
    });
    EXPECT_THAT(report, AllOf(HasSubstr("collective call 2 is"), HasSubstr("barrier on rank"),
                              HasSubstr("allgather of int on rank " + std::to_string(ranks / 2))));
  }
}

TEST(CollectiveErrors, an_abort_elsewhere_ends_the_waits) {
  const std::string report = error_of(4, [](Runtime& rt) -> Task<> {
    if (rt.rank() == 2) throw std::runtime_error("out of fuel");
    co_await rt.barrier();
    ADD_FAILURE() << "went on";
  });
  EXPECT_THAT(report, AllOf(HasSubstr("rank 2, main program"), HasSubstr("out of fuel")));
}

// In virtual time, what a handler does after compute() happens later.
TEST(CollectiveCalls, begin_when_the_computing_before_them_has_passed) {
  SimulatedJob job(testing::simulated(4));
  const bool ended = job.run([](Runtime& rt) -> Task<> {
    rt.compute(std::chrono::milliseconds(rt.rank() == 3 ? 50 : 1));
    const int sum = co_await rt.allreduce<std::plus<>>(1);
    EXPECT_EQ(sum, 4);
    EXPECT_GE(rt.now(), std::chrono::milliseconds(50));
    EXPECT_LT(rt.now(), std::chrono::milliseconds(51));
  });
  EXPECT_TRUE(ended) << job.error();
}

}  // namespace
}  // namespace roam::collective_errors_test
