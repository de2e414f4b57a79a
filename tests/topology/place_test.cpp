// SPDX-License-Identifier: Apache-2.0
// Where this process runs.
#include "roam/topology/detail/place.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "topology/this_machine.hpp"

namespace roam::topology::place_test {
namespace {

TEST(Place, of_a_thread_bound_to_one_processor_is_known_to_the_core) {
  if (!knows_this_machine()) GTEST_SKIP() << "built without hwloc";
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    std::thread([cpu] {
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(cpu, &one);
      ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
      const Place place = place_of_this_thread();
      EXPECT_NE(place.core, Place::unknown);
      EXPECT_LE(place.core, cpu) << "the lowest processor of the core";
      EXPECT_LE(place.package, place.core);
      EXPECT_NE(place.package, Place::unknown);
      EXPECT_EQ(place.host, place_of_this_process().host);
    }).join();
  }
}

TEST(Place, of_all_of_a_machine_with_several_cores_is_in_none_of_them) {
  if (!knows_this_machine()) GTEST_SKIP() << "built without hwloc";
  cpu_set_t allowed;
  ASSERT_EQ(sched_getaffinity(0, sizeof allowed, &allowed), 0);
  const Place place = place_of_this_process();
  EXPECT_NE(place.host, 0U);
  if (this_machine().ending_at(*this_machine().level_named("core")).leaves() > 1) {
    EXPECT_EQ(place.core, Place::unknown);
  }
}

}  // namespace
}  // namespace roam::topology::place_test
