// SPDX-License-Identifier: Apache-2.0
// Decisions in parts in simulated jobs whose messages take random times: the same objects go to the
// same ranks as if rank 0 decided alone, and sooner.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "roam/placement/strategy.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::parted_test {

/// Sends 100 kB to each of its neighbours on a ring.
class Cell {
 public:
  void join(mobile_ptr<Cell> next, mobile_ptr<Cell> previous) {
    next_ = next;
    previous_ = previous;
  }
  void step() {
    here().compute(std::chrono::microseconds(100));
    next_.send<&Cell::take>(edge_);
    previous_.send<&Cell::take>(edge_);
  }
  void take(const std::vector<double>& edge) { sum_ += edge.front(); }
  [[nodiscard]] std::int32_t rank() const { return here().rank().value(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, previous_, edge_, sum_);
  }

 private:
  mobile_ptr<Cell> next_;
  mobile_ptr<Cell> previous_;
  std::vector<double> edge_ = std::vector<double>(12'500, 1.0);
  double sum_ = 0;
};

}  // namespace roam::parted_test

namespace roam::balance {
namespace {

using parted_test::Cell;

/// Places as treematch_tree_based, all on rank 0.
class OnOneRank final : public placement::Strategy {
 public:
  [[nodiscard]] placement::Placement place(const placement::LoadGraph& graph,
                                           const Machine& machine) const override {
    return strategy_->place(graph, machine);
  }

 private:
  const std::unique_ptr<placement::Strategy> strategy_ =
      placement::make_strategy(parse_plugin_choice("treematch_tree_based:tries=10"));
};

const placement::StrategyRegistrar registrar{
    {.name = "tree_based_on_one_rank",
     .description = "as treematch_tree_based, but all of it on rank 0",
     .parameters = {},
     .create = [](const plugin::Parameters&) -> std::unique_ptr<placement::Strategy> {
       return std::make_unique<OnOneRank>();
     },
     .seconds_per_object = 50e-6,
     .uses_links = true,
     .gains_by_communication = true}};

constexpr std::int32_t ranks = 16;
constexpr int cells_per_rank = 8;
constexpr int cells = ranks * cells_per_rank;

struct Outcome {
  std::vector<std::int32_t> rank_of;  // of each cell, at the end
  PhaseReport first;
};

/// Neighbours on the ring are on different nodes at first.
Task<> program(Runtime& rt, Outcome& outcome) {
  std::vector<mobile_ptr<Cell>> mine;
  for (int i = 0; i < cells_per_rank; ++i) mine.push_back(rt.create<Cell>());
  std::vector<mobile_ptr<Cell>> all;
  const auto gathered = co_await rt.allgather(mine);
  for (int i = 0; i < cells; ++i) {
    const int rank = (i / cells_per_rank * 5) % ranks;
    all.push_back(
        gathered[static_cast<std::size_t>(rank)][static_cast<std::size_t>(i % cells_per_rank)]);
  }
  if (rt.rank() == 0) {
    for (int i = 0; i < cells; ++i) {
      all[static_cast<std::size_t>(i)].send<&Cell::join>(
          all[static_cast<std::size_t>((i + 1) % cells)],
          all[static_cast<std::size_t>((i + cells - 1) % cells)]);
    }
  }
  co_await rt.quiescence();
  for (int phase = 0; phase < 3; ++phase) {
    for (int step = 0; step < 5; ++step) {
      for (const auto& cell : mine) cell.send<&Cell::step>();
    }
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0 && phase == 0) outcome.first = report;
  }
  if (rt.rank() != 0) co_return;
  for (const auto& cell : all) outcome.rank_of.push_back(co_await cell.call<&Cell::rank>());
}

Outcome run(const std::string& balancer, std::uint64_t seed) {
  Options options;
  options.balancer = parse_plugin_choice(balancer);
  options.seed = seed;
  Machine& machine = options.simulate.emplace();
  machine.ranks = ranks;
  machine.workers_per_rank = 1;
  machine.network = {NetworkLevel{.name = "node", .group_ranks = 4},
                     NetworkLevel{.name = "machine"}};
  machine.network[0].bandwidth_bytes_per_second = 20e9;
  machine.network[1].bandwidth_bytes_per_second = 0.1e9;
  for (NetworkLevel& level : machine.network) level.jitter = 3;
  SimulatedJob job({.options = options});
  Outcome outcome;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return program(rt, outcome); })) << job.error();
  return outcome;
}

TEST(PartedStrategy, decides_as_one_rank_would_whatever_time_messages_take) {
  int moved = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Outcome in_parts = run("treematch_tree_based:tries=10", seed);
    const Outcome on_one_rank = run("tree_based_on_one_rank", seed);
    ASSERT_EQ(in_parts.rank_of.size(), static_cast<std::size_t>(cells));
    ASSERT_EQ(in_parts.rank_of, on_one_rank.rank_of);
    ASSERT_EQ(in_parts.first.moved_objects, on_one_rank.first.moved_objects);
    // 128 objects on one rank; 16 ranks as wholes on rank 0, then 32 objects on one rank of each
    // node.
    ASSERT_LT(in_parts.first.decision_seconds, on_one_rank.first.decision_seconds - 3e-3);
    moved += in_parts.first.moved_objects > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 15);
}

}  // namespace
}  // namespace roam::balance
