// SPDX-License-Identifier: Apache-2.0
// The schedules of collectives, without a network: every message that is sent is awaited, every
// rank's result is in the order of ranks, and the depth is logarithmic.
#include "am/collective_schedule.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <map>
#include <string>

namespace roam::am::collective_schedule_test {
namespace {

using Action = CollectiveStep::Action;
using Ranks = std::vector<int>;

/// The ranks whose values are in a message, and the length of the longest chain of messages that
/// leads to it.
struct Part {
  Ranks ranks;
  int depth = 0;
};

struct State {
  std::vector<CollectiveStep> steps;
  std::size_t next = 0;
  Part value;
};

/// Plays all ranks' schedules; a value is the list of ranks that went into it, in order.
class Play {
 public:
  Play(CollectiveKind kind, int size, int root) {
    for (int r = 0; r < size; ++r)
      ranks.push_back({collective_schedule(kind, r, size, root), 0, {{r}, 0}});
    bool moved = true;
    while (moved) {
      moved = false;
      for (int r = 0; r < size; ++r) moved = turn(r) || moved;
    }
    for (const State& state : ranks) {
      EXPECT_EQ(state.next, state.steps.size()) << "waits for ever";
      depth = std::max(depth, state.value.depth);
    }
    EXPECT_TRUE(messages.empty()) << "nobody waits for it";
  }

  std::vector<State> ranks;
  int depth = 0;

 private:
  bool turn(int rank) {
    State& state = ranks[static_cast<std::size_t>(rank)];
    bool moved = false;
    for (; state.next < state.steps.size(); ++state.next, moved = true) {
      const CollectiveStep& step = state.steps[state.next];
      const int peer = step.peer.value();
      if (step.action == Action::send) {
        Part part = state.value;
        if (step.count > 0) part.ranks.resize(static_cast<std::size_t>(step.count));
        ++part.depth;
        EXPECT_NE(peer, rank);
        EXPECT_TRUE(messages.emplace(std::pair(rank, peer), part).second) << "a second message";
        continue;
      }
      const auto found = messages.find({peer, rank});
      if (found == messages.end()) return moved;
      take(state.value, found->second, step);
      messages.erase(found);
    }
    return moved;
  }
  static void take(Part& value, const Part& part, const CollectiveStep& step) {
    value.depth = std::max(value.depth, part.depth);
    if (step.count > 0) {
      EXPECT_EQ(part.ranks.size(), static_cast<std::size_t>(step.count));
    }
    if (step.action == Action::replace) value.ranks.clear();
    value.ranks.insert(
        step.action == Action::combine_before ? value.ranks.begin() : value.ranks.end(),
        part.ranks.begin(), part.ranks.end());
  }
  std::map<std::pair<int, int>, Part> messages;
};

int rounds(int size) { return static_cast<int>(std::bit_width(static_cast<unsigned>(size - 1))); }

Ranks all_from(int first, int size) {
  Ranks ranks;
  for (int i = 0; i < size; ++i) ranks.push_back((first + i) % size);
  return ranks;
}

class Schedules : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Schedules,
                         ::testing::Values(1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100));

TEST_P(Schedules, broadcast_reaches_all_in_logarithmic_depth) {
  for (int root = 0; root < GetParam(); ++root) {
    const Play play(CollectiveKind::broadcast, GetParam(), root);
    for (const State& state : play.ranks) EXPECT_EQ(state.value.ranks, Ranks{root});
    EXPECT_LE(play.depth, rounds(GetParam()));
  }
}

TEST_P(Schedules, reduce_combines_in_the_order_of_ranks_for_every_root) {
  for (int root = 0; root < GetParam(); ++root) {
    const Play play(CollectiveKind::reduce, GetParam(), root);
    EXPECT_EQ(play.ranks[static_cast<std::size_t>(root)].value.ranks, all_from(0, GetParam()));
    EXPECT_LE(play.depth, rounds(GetParam()) + (root == 0 ? 0 : 1));
  }
}

TEST_P(Schedules, allreduce_combines_in_the_order_of_ranks_everywhere) {
  const Play play(CollectiveKind::allreduce, GetParam(), 0);
  for (const State& state : play.ranks) EXPECT_EQ(state.value.ranks, all_from(0, GetParam()));
  EXPECT_LE(play.depth, rounds(GetParam()) + 1);
}

TEST_P(Schedules, gather_brings_every_rank_once_from_the_root_upwards) {
  for (int root = 0; root < GetParam(); ++root) {
    const Play play(CollectiveKind::gather, GetParam(), root);
    EXPECT_EQ(play.ranks[static_cast<std::size_t>(root)].value.ranks, all_from(root, GetParam()));
    EXPECT_LE(play.depth, rounds(GetParam()));
  }
}

TEST_P(Schedules, allgather_brings_every_rank_once_everywhere) {
  const Play play(CollectiveKind::allgather, GetParam(), 0);
  for (int r = 0; r < GetParam(); ++r)
    EXPECT_EQ(play.ranks[static_cast<std::size_t>(r)].value.ranks, all_from(r, GetParam()));
  EXPECT_LE(play.depth, rounds(GetParam()));
}

TEST_P(Schedules, nobody_leaves_a_barrier_before_all_have_come_to_it) {
  // Dissemination: after its last round a rank has heard of all ranks, if each message contains
  // what its sender has heard.
  const int size = GetParam();
  std::vector<std::vector<bool>> heard(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) {
    heard[static_cast<std::size_t>(r)].assign(static_cast<std::size_t>(size), false);
    heard[static_cast<std::size_t>(r)][static_cast<std::size_t>(r)] = true;
  }
  for (std::size_t round = 0; round < static_cast<std::size_t>(rounds(size)); ++round) {
    const auto before = heard;
    for (int r = 0; r < size; ++r) {
      const auto steps = collective_schedule(CollectiveKind::barrier, r, size, 0);
      ASSERT_EQ(steps.size(), 2 * static_cast<std::size_t>(rounds(size)));
      const CollectiveStep& receive = steps[2 * round + 1];
      for (std::size_t i = 0; i < heard.size(); ++i)
        if (before[receive.peer.index()][i]) heard[static_cast<std::size_t>(r)][i] = true;
    }
  }
  for (const auto& each : heard) EXPECT_THAT(each, ::testing::Each(true));
}

}  // namespace
}  // namespace roam::am::collective_schedule_test
