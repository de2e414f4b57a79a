// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "transport/ucx/closing_tree.hpp"
#include "transport/ucx/process_watch.hpp"

namespace roam::transport::parts_test {
namespace {

TEST(ClosingTree, sums_over_any_number_of_ranks) {
  for (std::int32_t size = 1; size <= 20; ++size) {
    std::vector<ClosingTree> trees;
    for (std::int32_t rank = 0; rank < size; ++rank) trees.emplace_back(rank, size);
    for (std::int32_t rank = size - 1; rank >= 0; --rank) {
      ClosingTree& tree = trees[Rank(rank).index()];
      ClosingTree::Numbers mine(Rank(size).index(), rank);
      mine[Rank(rank).index()] = 1000;
      tree.add(0, mine);
      ASSERT_TRUE(tree.is_complete(0));  // the children have the higher numbers
      const auto parent = tree.parent();
      ASSERT_EQ(parent.has_value(), rank != 0);
      if (!parent) continue;
      EXPECT_EQ(tree.result(0), nullptr);
      const core::Buffer data = ClosingTree::pack(0, tree.sum(0));
      EXPECT_TRUE(trees[parent->index()].take(rank, data.data(), data.size()));
    }
    for (std::int32_t rank = 0; rank < size; ++rank) {
      const ClosingTree::Numbers* sum = trees[Rank(rank).index()].result(0);
      ASSERT_NE(sum, nullptr);
      EXPECT_EQ((*sum)[Rank(rank).index()], 1000 + size * (size - 1) / 2 - rank);
      for (const Rank child : trees[Rank(rank).index()].children()) {
        const core::Buffer data = ClosingTree::pack(0, *sum);
        EXPECT_TRUE(trees[child.index()].take(rank, data.data(), data.size()));
      }
    }
  }
}

TEST(ClosingTree, A7_takes_only_what_fits) {
  ClosingTree tree(1, 8);  // parent 0, children 3 and 4
  const core::Buffer good = ClosingTree::pack(0, ClosingTree::Numbers(8));
  for (const std::int32_t stranger : {1, 2, 5, 7})
    EXPECT_FALSE(tree.take(stranger, good.data(), good.size()));
  for (std::size_t bytes = 0; bytes < good.size(); ++bytes)
    EXPECT_FALSE(tree.take(3, good.data(), bytes));
  for (const std::size_t count : {0U, 7U, 9U}) {
    const core::Buffer other = ClosingTree::pack(0, ClosingTree::Numbers(count));
    EXPECT_FALSE(tree.take(3, other.data(), other.size()));
  }
  const core::Buffer no_round = ClosingTree::pack(2, {});
  EXPECT_FALSE(tree.take(3, no_round.data(), no_round.size()));
  EXPECT_TRUE(tree.take(3, good.data(), good.size()));
}

TEST(ProcessWatch, tells_once_that_a_process_has_ended) {
  const ProcessPlace here = place_of_this_process();
  EXPECT_EQ(here.process, getpid());
  // Watching takes pidfd_open, which older kernels and some sandboxes do not have.
  if (here.processes.empty()) GTEST_SKIP() << "this system cannot watch processes";
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  ProcessWatch watch;
  EXPECT_TRUE(watch.add(0, getpid()));
  EXPECT_TRUE(watch.add(7, child));
  EXPECT_FALSE(watch.ended());
  kill(child, SIGKILL);
  std::optional<Rank> ended;
  for (int i = 0; i < 500 && !ended; ++i) {
    ended = watch.ended();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(ended, Rank(7));
  EXPECT_FALSE(watch.ended());
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(watch.add(8, child)) << "it is gone";
}

}  // namespace
}  // namespace roam::transport::parts_test
