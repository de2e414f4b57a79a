// SPDX-License-Identifier: Apache-2.0
// The strategy topology in simulated jobs: communicating objects are placed near each other on a
// machine whose nodes are connected by a slow network, although work is balanced from the start.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "roam/placement/strategy.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace roam::topology_test {

/// Sends its neighbour on a ring an amount of data that takes as long as a step computes.
class Cell {
 public:
  /// `ballast`: numbers that it carries along when it moves.
  void join(mobile_ptr<Cell> next, std::size_t ballast) {
    next_ = next;
    ballast_.resize(ballast);
  }
  void step() {
    here().compute(std::chrono::milliseconds(1));
    next_.send<&Cell::take>(edge_);
  }
  void take(const std::vector<double>& edge) { sum_ += edge.front(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, edge_, ballast_, sum_);
  }

 private:
  mobile_ptr<Cell> next_;
  std::vector<double> edge_ = std::vector<double>(12'500, 1.0);  // 100 kB
  std::vector<double> ballast_;
  double sum_ = 0;
};

/// One of two objects that send each other data and compute next to nothing.
class Partner {
 public:
  void join(mobile_ptr<Partner> other) { other_ = other; }
  void step() {
    here().compute(std::chrono::microseconds(1));
    other_.send<&Partner::take>(data_);
  }
  void take(const std::vector<double>& data) { sum_ += data.front(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other_, data_, sum_);
  }

 private:
  mobile_ptr<Partner> other_;
  std::vector<double> data_ = std::vector<double>(275, 1.0);  // 2.2 kB
  double sum_ = 0;
};

}  // namespace roam::topology_test

namespace roam::balance {
namespace {

using topology_test::Cell;
using topology_test::Partner;

constexpr std::int32_t ranks = 16;
constexpr int cells_per_rank = 2;

struct Shape {
  int phases = 12;
  std::size_t ballast = 0;  ///< of each cell
};

/// Nodes of 4 ranks; between them, the bytes of a step take 2 ms, twice as long as its work.
Machine cluster() {
  Machine machine;
  machine.ranks = ranks;
  machine.workers_per_rank = 1;
  machine.network = {NetworkLevel{.name = "node", .group_ranks = 4},
                     NetworkLevel{.name = "machine"}};
  machine.network[0].bandwidth_bytes_per_second = 20e9;
  machine.network[1].bandwidth_bytes_per_second = 0.05e9;
  return machine;
}

struct Outcome {
  std::vector<PhaseReport> reports;
  double seconds = 0;
  std::uint64_t moved = 0;
};

/// `stride` 1: neighbours on the ring are neighbours on the machine, too; 9: on other nodes.
Task<> program(Runtime& rt, int stride, const Shape& shape, Outcome& outcome) {
  std::vector<mobile_ptr<Cell>> mine;
  for (int i = 0; i < cells_per_rank; ++i) mine.push_back(rt.create<Cell>());
  // The cells of all ranks, in the order of ranks.
  std::vector<mobile_ptr<Cell>> all;
  const auto gathered = co_await rt.allgather(mine);
  for (const auto& part : gathered) all.insert(all.end(), part.begin(), part.end());
  const int count = ranks * cells_per_rank;
  for (int i = 0; i < cells_per_rank; ++i) {
    const int at = rt.rank().value() * cells_per_rank + i;
    mine[static_cast<std::size_t>(i)].send<&Cell::join>(
        all[static_cast<std::size_t>((at + stride) % count)], shape.ballast);
  }
  co_await rt.quiescence();
  for (int phase = 0; phase < shape.phases; ++phase) {
    for (int step = 0; step < 5; ++step) {
      for (const auto& cell : mine) cell.send<&Cell::step>();
    }
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) outcome.reports.push_back(report);
  }
}

/// `interval_seconds`: the strategy acts at this interval; 0: at the ends of phases.
Outcome run(const std::string& balancer, int stride, double interval_seconds = 0,
            const Shape& shape = {}) {
  Options options;
  options.balancer = parse_plugin_choice(balancer);
  options.phase_length_seconds = interval_seconds;
  options.simulate = cluster();
  SimulatedJob job({.options = options});
  Outcome outcome;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return program(rt, stride, shape, outcome); }))
      << job.error();
  for (std::int32_t r = 0; r < ranks; ++r) {
    const RankStatistics statistics = job.runtime(r).statistics();
    outcome.seconds = std::max(outcome.seconds, statistics.elapsed_seconds);
    outcome.moved += statistics.migrations_out;
  }
  return outcome;
}

TEST(TopologyStrategy, brings_together_objects_that_communicate_though_work_is_balanced) {
  const Outcome none = run("none", 9);
  const Outcome topology = run("topology", 9);
  EXPECT_GT(topology.moved, 0U);
  EXPECT_LT(topology.reports.back().seconds, 0.8 * none.reports.back().seconds);
  EXPECT_LT(topology.seconds, 0.9 * none.seconds);
  // A strategy that does not know the tree sees nothing to gain.
  EXPECT_EQ(run("refine_comm", 9).moved, 0U);
}

TEST(TopologyStrategy, moves_nothing_from_the_best_placement) {
  EXPECT_EQ(run("topology", 1).moved, 0U);
}

// One phase gains less than it costs to move cells of 1.6 MB; several phases gain more.
TEST(TopologyStrategy, B3_moves_for_gains_that_are_small_but_last) {
  const Shape heavy{.phases = 16, .ballast = 200'000};
  const Outcome none = run("none", 9, 0, heavy);
  const Outcome topology = run("topology", 9, 0, heavy);
  std::size_t first = 0;
  while (first < topology.reports.size() && topology.reports[first].moved_objects == 0) ++first;
  ASSERT_LT(first, topology.reports.size());
  const PhaseReport& report = topology.reports[first];
  EXPECT_GT(report.gain_phases, 1U);
  EXPECT_LE(report.gain_phases, first + 1);
  EXPECT_LT(report.gain_seconds / report.gain_phases, report.cost_seconds);
  EXPECT_GT(report.gain_seconds, report.cost_seconds);
  EXPECT_LT(topology.reports.back().seconds, 0.8 * none.reports.back().seconds);
  // What has been there for one phase is not expected to last.
  EXPECT_EQ(run("topology", 9, 0, {.phases = 1, .ballast = 200'000}).moved, 0U);
}

/// The two objects of each pair are on different nodes.
Task<> pairs(Runtime& rt, std::vector<PhaseReport>& reports) {
  constexpr int partners_per_rank = 50;
  std::vector<mobile_ptr<Partner>> mine;
  for (int i = 0; i < partners_per_rank; ++i) mine.push_back(rt.create<Partner>());
  const auto all = co_await rt.allgather(mine);
  const auto other = static_cast<std::size_t>((rt.rank().value() + ranks / 2) % ranks);
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i].send<&Partner::join>(all[other][i]);
  co_await rt.quiescence();
  for (int phase = 0; phase < 8; ++phase) {
    for (const auto& partner : mine) partner.send<&Partner::step>();
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

// Both objects of a pair report that they communicate; deciding takes as long as one pair does.
TEST(TopologyStrategy, is_asked_when_what_was_missed_exceeds_what_asking_takes) {
  Options options;
  options.balancer = parse_plugin_choice("topology");
  options.simulate = cluster();
  SimulatedJob job({.options = options});
  std::vector<PhaseReport> reports;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return pairs(rt, reports); })) << job.error();
  const auto asked = std::ranges::find_if(
      reports, [](const PhaseReport& report) { return report.decision_seconds > 0; });
  ASSERT_NE(asked, reports.end());
  double missed = 0;
  for (auto before = reports.begin(); before != asked; ++before)
    missed += before->seconds - before->mean_load_seconds;
  // As StrategyKind says: of all objects and pairs.
  const auto& kind = plugin::require<placement::StrategyKind>("topology");
  const double objects = 50.0 * ranks;
  const double computing = objects * kind.seconds_per_object + objects / 2 * kind.seconds_per_link;
  EXPECT_GE(asked->decision_seconds, computing);
  EXPECT_LT(missed, 1.25 * computing);
  EXPECT_GT(asked->moved_objects, 0U);
}

TEST(TopologyStrategy, is_used_by_auto_where_ranks_wait_for_messages) {
  const Outcome none = run("none", 9);
  const Outcome by_auto = run("auto", 9);
  EXPECT_LT(by_auto.reports.back().seconds, 0.8 * none.reports.back().seconds);
  std::uint64_t moved = 0;
  for (const PhaseReport& report : by_auto.reports) moved += report.moved_objects;
  EXPECT_GT(moved, 0U);
  // Who calls whom is not known in the first phase.
  EXPECT_EQ(by_auto.reports.front().moved_objects, 0U);
  EXPECT_EQ(run("auto", 1).moved, 0U);
}

// The messages of one interval are too few to move objects for them.
TEST(TopologyStrategy, moves_nothing_for_communication_alone_by_the_clock) {
  EXPECT_EQ(run("topology", 9, 0.02).moved, 0U);
}

}  // namespace
}  // namespace roam::balance
