// SPDX-License-Identifier: Apache-2.0
#include "roam/exec/detail/spare_blocks.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <thread>
#include <vector>

#include "roam/exec/context.hpp"
#include "sanitizers.hpp"

namespace roam::exec::spare_blocks_test {
namespace {

/// Makes this thread a worker with spare blocks of its own.
struct Worker {
  SpareBlocks blocks;
  Context context;
  Scope scope{&context};
  Worker() { context.spare_blocks = &blocks; }
};

TEST(SpareBlocks, what_a_worker_gives_back_it_takes_again_for_the_same_size) {
  if (tests::has_sanitizer) GTEST_SKIP() << "sanitizers see every block";
  const Worker worker;
  void* const small = SpareBlocks::take(40);
  void* const large = SpareBlocks::take(300);
  SpareBlocks::give_back(small, 40);
  SpareBlocks::give_back(large, 300);
  EXPECT_EQ(SpareBlocks::take(310), large);
  EXPECT_EQ(SpareBlocks::take(64), small);
  void* const another = SpareBlocks::take(64);
  EXPECT_NE(another, small);
  for (void* const block : {small, another}) SpareBlocks::give_back(block, 64);
  SpareBlocks::give_back(large, 310);
}

TEST(SpareBlocks, a_worker_keeps_a_bounded_number) {
  if (tests::has_sanitizer) GTEST_SKIP() << "sanitizers see every block";
  const Worker worker;
  constexpr std::size_t count = 3 * SpareBlocks::most_of_a_size;
  std::vector<void*> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back(SpareBlocks::take(512));
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), count);
  for (void* const block : blocks) SpareBlocks::give_back(block, 512);
  EXPECT_EQ(worker.blocks.kept(), SpareBlocks::most_of_a_size);
}

TEST(SpareBlocks, any_size_may_be_taken_and_written) {
  const Worker worker;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t bytes = 0; bytes < 2 * SpareBlocks::largest; bytes += 8) {
      auto* const block = static_cast<char*>(SpareBlocks::take(bytes));
      std::fill_n(block, bytes, 'x');
      SpareBlocks::give_back(block, bytes);
    }
  }
}

TEST(SpareBlocks,
     are_taken_and_given_back_by_different_threads_and_by_threads_that_are_no_workers) {
  std::vector<void*> blocks(1000);
  const auto on_a_worker = [](auto work) {
    std::thread([&] {
      const Worker worker;
      work();
    }).join();
  };
  on_a_worker([&] {
    for (void*& block : blocks) block = SpareBlocks::take(100);
  });
  on_a_worker([&] {
    for (std::size_t i = 0; i < 500; ++i) SpareBlocks::give_back(blocks[i], 100);
    for (std::size_t i = 0; i < 10; ++i) blocks[i] = SpareBlocks::take(100);
  });
  for (std::size_t i = 0; i < 10; ++i) SpareBlocks::give_back(blocks[i], 100);
  for (std::size_t i = 500; i < blocks.size(); ++i) SpareBlocks::give_back(blocks[i], 100);
}

}  // namespace
}  // namespace roam::exec::spare_blocks_test
