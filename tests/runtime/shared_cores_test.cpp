// SPDX-License-Identifier: Apache-2.0
// Workers that are bound to one core are named in one line.
#include "runtime/shared_cores.hpp"

#include <gtest/gtest.h>

namespace roam::shared_cores_test {
namespace {

using Cores = std::vector<std::int32_t>;

TEST(SharedCores, are_reported_once_all_ranks_are_known) {
  SharedCores shared(3);
  shared.take(7, {0, 1});
  shared.take(7, {1});
  EXPECT_FALSE(shared.report()) << "one rank is missing";
  shared.take(7, {4});
  EXPECT_EQ(shared.report(), "--roam-pin binds 4 workers to 3 cores: some share one");
}

TEST(SharedCores, of_different_hosts_are_different_cores) {
  SharedCores shared(2);
  shared.take(7, {0, 1});
  shared.take(8, {0, 1});
  EXPECT_FALSE(shared.report());
}

TEST(SharedCores, on_several_hosts_are_one_line) {
  SharedCores shared(3);
  for (const std::uint64_t host : {7U, 8U, 9U})
    shared.take(host, host == 8 ? Cores{0} : Cores{2, 2});
  EXPECT_EQ(shared.report(),
            "--roam-pin binds 2 workers to 1 core on one host, and some on 1 more: some share one");
}

TEST(SharedCores, are_none_where_no_worker_is_bound) {
  SharedCores shared(1);
  shared.take(7, {});
  EXPECT_FALSE(shared.report());
}

}  // namespace
}  // namespace roam::shared_cores_test
