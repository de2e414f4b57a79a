// SPDX-License-Identifier: Apache-2.0
// A rank that ends while something of its program is still queued (run it with the address
// sanitizer).
#include <gtest/gtest.h>

#include <string>

#include "roam/core/detail/clock.hpp"
#include "roam/roam.hpp"
#include "roam/transport/in_process.hpp"

namespace roam::rank_end_test {
namespace {

struct Witness {
  explicit Witness(int& c) : count(c) { ++count; }
  Witness(const Witness&) = delete;
  Witness& operator=(const Witness&) = delete;
  ~Witness() { --count; }
  int& count;
};

TEST(RankEnd, before_its_main_program_ran) {
  core::SteadyClock clock;
  transport::InProcessNetwork network(1);
  const auto endpoint = network.endpoint(0);
  Runtime runtime(*endpoint, clock, {});
  runtime.start([](Runtime&) -> Task<> { co_return; }, [] {});
}

TEST(RankEnd, with_coroutines_that_an_abort_has_made_ready) {
  core::SteadyClock clock;
  transport::InProcessNetwork network(2);
  const auto endpoint = network.endpoint(0);
  int alive = 0;
  {
    Runtime runtime(*endpoint, clock, {});
    runtime.start(
        [&alive](Runtime& rt) -> Task<> {
          const Witness witness(alive);
          co_await rt.barrier();  // rank 1 never comes
        },
        [] {});
    for (int i = 0; i < 10; ++i) (void)runtime.poll();
    EXPECT_EQ(alive, 1);
    runtime.abort("the test says so");
  }
  EXPECT_EQ(alive, 0);
}

}  // namespace
}  // namespace roam::rank_end_test
