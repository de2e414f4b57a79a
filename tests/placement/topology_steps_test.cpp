// SPDX-License-Identifier: Apache-2.0
// The strategy topology in groups of ranks: the groups, the flows between them, what leaders know
// of objects that change groups, and placements beside those of one rank that sees everything.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "load_instances.hpp"
#include "placement/communication_time.hpp"
#include "placement/steps/group_objects.hpp"
#include "placement/steps/quotient_flows.hpp"
#include "placement/steps/rank_groups.hpp"
#include "placement/steps/size_mix.hpp"
#include "placement/steps/topology_steps.hpp"
#include "roam/placement/detail/place_in_steps.hpp"
#include "roam/placement/detail/rank_places.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement::topology_steps_test {
namespace {

using testing::draw_instance;
using ::testing::ElementsAre;
using testing::Instance;

constexpr double rounding = 1 + 1e-9;

/// Packages of 4 ranks, nodes of 8, switches of 32.
Machine machine_of(std::int32_t ranks) {
  Machine machine;
  machine.ranks = ranks;
  machine.workers_per_rank = 1;
  machine.network = {NetworkLevel{.name = "package", .group_ranks = 4},
                     NetworkLevel{.name = "node", .group_ranks = 8},
                     NetworkLevel{.name = "switch", .group_ranks = 32},
                     NetworkLevel{.name = "machine"}};
  double bandwidth = 100e9;
  for (NetworkLevel& level : machine.network) {
    level.overhead_seconds = level.gap_seconds = 0;
    level.bandwidth_bytes_per_second = bandwidth;
    bandwidth /= 4;
  }
  return machine;
}

/// Groups of unequal sizes: packages of 1 to 4 ranks, nodes of 1 to 3 packages.
void make_unequal(Machine& machine, core::Random& random) {
  NetworkLevel package{.name = "package"};
  NetworkLevel node{.name = "node"};
  const auto groups = [&](std::size_t items, std::uint64_t most) {
    std::vector<std::int32_t> parents;
    for (std::int32_t group = 0; parents.size() < items; ++group) {
      const std::size_t size =
          std::min<std::size_t>(1 + random.below(most), items - parents.size());
      parents.insert(parents.end(), size, group);
    }
    return parents;
  };
  package.parents = groups(static_cast<std::size_t>(machine.ranks), 4);
  node.parents = groups(static_cast<std::size_t>(package.parents.back()) + 1, 3);
  machine.network = {package, node, NetworkLevel{.name = "machine"}};
  roam::check(machine, "machine");
}

Placement in_groups(const Instance& instance, std::int32_t most_ranks, std::uint64_t seed = 1) {
  return place_in_steps(instance.graph, instance.machine, seed, [&](RankShare share) {
    return make_topology_steps({.most_ranks = most_ranks}, std::move(share));
  });
}

Placement centrally(const Instance& instance) {
  return make_strategy(parse_plugin_choice("topology"))->place(instance.graph, instance.machine);
}

BusyTimes busy(const Instance& instance, const Placement& placement) {
  return busy_times(instance.graph, instance.machine, placement);
}

std::vector<std::int32_t> sizes(const RankGroups& groups) {
  std::vector<std::int32_t> sizes;
  for (std::int32_t g = 0; g < groups.count(); ++g) sizes.push_back(groups.ranks_of(g).size());
  return sizes;
}

TEST(RankGroups, are_subtrees_or_several_of_one) {
  EXPECT_THAT(sizes(RankGroups(machine_of(64), 64)), ElementsAre(64));
  EXPECT_THAT(sizes(RankGroups(machine_of(64), 63)), ElementsAre(32, 32));
  EXPECT_THAT(sizes(RankGroups(machine_of(64), 31)), ElementsAre(16, 16, 16, 16));
  EXPECT_THAT(sizes(RankGroups(machine_of(44), 24)), ElementsAre(16, 16, 12));
  EXPECT_THAT(sizes(RankGroups(machine_of(12), 7)), ElementsAre(4, 4, 4));
  EXPECT_THAT(sizes(RankGroups(machine_of(10), 3)), ElementsAre(2, 2, 2, 2, 2));
  Machine flat;
  flat.ranks = 10;
  EXPECT_THAT(sizes(RankGroups(flat, 4)), ElementsAre(3, 3, 4));
}

// Each rank is in one group, none has more ranks than are allowed, and a part of the machine has
// the levels of the whole.
TEST(RankGroups, keep_the_levels_on_which_ranks_meet) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    Machine machine = machine_of(static_cast<std::int32_t>(1 + random.below(80)));
    if (seed % 2 == 0) make_unequal(machine, random);
    const RankGroups groups(machine, static_cast<std::int32_t>(1 + random.below(40)));
    std::map<std::pair<std::int32_t, std::int32_t>, std::size_t> levels;
    std::int32_t next = 0;
    for (std::int32_t g = 0; g < groups.count(); ++g) {
      const TreeRange ranks = groups.ranks_of(g);
      ASSERT_EQ(ranks.first, next);
      next = ranks.last;
      ASSERT_GT(ranks.size(), 0);
      const Machine part = machine_of_ranks(
          machine, ranks, std::vector<double>(static_cast<std::size_t>(ranks.size()), 1));
      for (std::int32_t a = ranks.first; a < ranks.last; ++a) {
        ASSERT_EQ(groups.group_of(a), g);
        for (std::int32_t b = ranks.first; b < a; ++b) {
          ASSERT_EQ(part.level_between(a - ranks.first, b - ranks.first),
                    machine.level_between(a, b));
        }
        for (std::int32_t b = 0; b < ranks.first; ++b) {
          const std::size_t level = machine.level_between(a, b);
          const auto [known, is_new] = levels.emplace(std::pair(g, groups.group_of(b)), level);
          ASSERT_EQ(known->second, level);
        }
      }
    }
    ASSERT_EQ(next, machine.ranks);
  }
}

TEST(QuotientFlows, leave_no_group_with_more_than_its_share) {
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    core::Random random(seed);
    std::vector<GroupWork> groups(2 + random.below(30));
    GroupWork all{0, 0};
    for (GroupWork& group : groups) {
      group = {random.unit(), 1 + static_cast<double>(random.below(3))};
      all.seconds += group.seconds;
      all.capacity += group.capacity;
    }
    std::vector<QuotientEdge> edges;
    for (std::int32_t g = 1; g < std::ssize(groups); ++g) {
      const auto other = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(g)));
      edges.push_back({other, g, 1 + random.unit()});
    }
    std::vector<double> after;
    for (const GroupWork& group : groups) after.push_back(group.seconds);
    for (const Flow& flow : plan_quotient_flows(groups, edges, {.may_jump = true})) {
      ASSERT_GT(flow.seconds, 0);
      after[static_cast<std::size_t>(flow.from)] -= flow.seconds;
      after[static_cast<std::size_t>(flow.to)] += flow.seconds;
    }
    for (std::size_t g = 0; g < groups.size(); ++g)
      ASSERT_NEAR(after[g], all.seconds * groups[g].capacity / all.capacity, 1e-7) << g;
  }
}

TEST(QuotientFlows, take_the_cheapest_way_and_pass_work_on) {
  const std::vector<GroupWork> groups = {{6, 1}, {4, 1}, {4, 1}, {2, 1}};
  const std::vector<QuotientEdge> edges = {{0, 1, 1}, {1, 3, 1}, {0, 2, 2}, {2, 3, 1}, {0, 3, 8}};
  std::vector<std::pair<std::int32_t, std::int32_t>> pairs;
  for (const Flow& flow : plan_quotient_flows(groups, edges, {})) {
    EXPECT_DOUBLE_EQ(flow.seconds, 2);
    pairs.emplace_back(flow.from, flow.to);
  }
  EXPECT_THAT(pairs, ElementsAre(std::pair(0, 1), std::pair(1, 3)));
  EXPECT_TRUE(plan_quotient_flows(groups, edges, {.imbalance = 0.5}).empty());
  EXPECT_TRUE(plan_quotient_flows(groups, {}, {}).empty()) << "without edges";
  const auto jumps = plan_quotient_flows(groups, {}, {.may_jump = true});
  ASSERT_EQ(jumps.size(), 1U);
  EXPECT_EQ(std::pair(jumps[0].from, jumps[0].to), std::pair(0, 3));
}

TEST(QuotientFlows, let_no_group_pass_on_more_than_half_of_its_work) {
  const std::vector<GroupWork> groups = {{10, 1}, {2, 1}, {0, 1}};
  const std::vector<QuotientEdge> edges = {{0, 1, 1}, {1, 2, 1}};
  double to_last = 0;
  for (const Flow& flow : plan_quotient_flows(groups, edges, {})) {
    if (flow.to == 2) to_last += flow.seconds;
  }
  EXPECT_DOUBLE_EQ(to_last, 1);
}

/// Groups of two ranks with random objects and ties, which exchange objects for some rounds, with
/// all that is sent on the way.
class Exchange {
 public:
  explicit Exchange(std::uint64_t seed) : random_(seed), at_(5 + random_.below(40)) {
    for (std::int64_t g = 0; g < static_cast<std::int64_t>(count); ++g) {
      const auto first = static_cast<std::int32_t>(2 * g);
      groups_.emplace_back(g, TreeRange{first, first + 2});
    }
    for (std::uint64_t i = 0; i < at_.size(); ++i) {
      at_[i] = static_cast<std::int64_t>(random_.below(count));
      const auto rank =
          static_cast<std::int32_t>(2 * at_[i]) + static_cast<std::int32_t>(random_.below(2));
      group(at_[i]).add(ObjectNote{i, 1 + random_.unit(), 1, rank, rank});
      for (int k = 0; k < 4 && i > 0; ++k) links_.push_back({i, random_.below(i)});
    }
    for (const auto& [a, b] : links_) {
      group(at_[a]).add(Tie{a, b, 1, 1, at_[b]});
      group(at_[b]).add(Tie{b, a, 1, 1, at_[a]});
    }
    for (GroupObjects& one : groups_) one.sort();
  }

  void round() {
    std::vector<std::vector<Travellers>> travellers(count);
    std::vector<std::vector<ObjectGroup>> news(count);
    std::vector<std::vector<ObjectGroup>> forwarded(count);
    for (std::int32_t g = 0; g < static_cast<std::int32_t>(count); ++g) {
      std::vector<SizedFlow> flows;
      for (std::int32_t to = 0; to < static_cast<std::int32_t>(count); ++to) {
        if (to != g && random_.below(2) == 0) flows.push_back({{g, to, 4 * random_.unit()}});
      }
      auto given = group(g).give(flows);
      for (const SizedFlow& flow : flows) {
        double seconds = 0;
        for (const ObjectNote& note : given[flow.to].objects) {
          seconds += note.seconds;
          at_[note.object] = flow.to;
          ++moved;
        }
        EXPECT_LE(seconds, flow.seconds);
        travellers[static_cast<std::size_t>(flow.to)].push_back(given[flow.to]);
      }
      for (const News& one : group(g).news())
        news[static_cast<std::size_t>(one.to)].push_back(one.what);
    }
    for (std::size_t g = 0; g < count; ++g) {
      for (const News& one : groups_[g].arrive(travellers[g], news[g]))
        forwarded[static_cast<std::size_t>(one.to)].push_back(one.what);
    }
    for (std::size_t g = 0; g < count; ++g) groups_[g].hear(forwarded[g]);
  }

  /// Each object is in one group, and each group knows what it communicates with which other.
  void check() {
    std::map<std::pair<std::int64_t, std::int64_t>, double> bytes;
    for (const auto& [a, b] : links_) {
      if (at_[a] == at_[b]) continue;
      bytes[{at_[a], at_[b]}] += 1;
      bytes[{at_[b], at_[a]}] += 1;
    }
    std::map<std::pair<std::int64_t, std::int64_t>, double> known;
    std::vector<int> seen(at_.size());
    for (std::int64_t g = 0; g < static_cast<std::int64_t>(count); ++g) {
      for (const auto& [other, amount] : group(g).bytes_to_groups()) known[{g, other}] = amount;
      for (const ObjectNote& note : group(g).objects()) {
        EXPECT_EQ(at_[note.object], g);
        ++seen[note.object];
      }
    }
    EXPECT_EQ(known, bytes);
    EXPECT_THAT(seen, ::testing::Each(1));
  }
  int moved = 0;

 private:
  static constexpr std::uint64_t count = 4;
  GroupObjects& group(std::int64_t number) { return groups_[static_cast<std::size_t>(number)]; }

  core::Random random_;
  std::vector<std::int64_t> at_;  // the group of each object
  std::vector<std::pair<std::uint64_t, std::uint64_t>> links_;
  std::vector<GroupObjects> groups_;
};

TEST(GroupObjects, know_where_all_partners_are_however_many_move_at_the_same_time) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Exchange exchange(seed);
    exchange.check();
    for (int round = 0; round < 3; ++round) {
      exchange.round();
      exchange.check();
    }
    if (HasFailure()) return;
    moved += exchange.moved;
  }
  EXPECT_GT(moved, 3000);
}

TEST(SizeMix, knows_how_evenly_ranks_can_share_objects) {
  Machine machine;
  machine.ranks = 2;
  machine.workers_per_rank = 1;
  const auto reached = [&](const std::vector<double>& seconds, double limit) {
    return size_report(seconds, {0, 1}, machine, limit).reached_seconds;
  };
  EXPECT_EQ(reached({2, 2, 1}, 3), 3);            // 2 + 1 beside 1 + 2
  EXPECT_NEAR(reached({3, 3}, 3.5), 4, 0.03);     // 3 beside 1 + 3
  EXPECT_NEAR(reached({2, 2, 2}, 3.5), 4, 0.03);  // 2 + 2 beside 1 + 2
  const SizeReport report = size_report({4, 2.5, 2, 0.001, 0}, {0, 0}, machine, 4);
  EXPECT_EQ(report.work[0], 4);
  EXPECT_EQ(report.work[1], 2.5);
  EXPECT_EQ(report.work[2], 2);
  EXPECT_EQ(report.work.back(), 0.001);
}

// Afterwards each class has the same part of the work in all groups that take part, and no group
// has more work than before.
TEST(SizeMix, gives_each_group_its_part_of_every_class) {
  std::vector<SizeReport> reports(6);
  core::Random random(3);
  for (SizeReport& report : reports) {
    report.reached_seconds = 1;
    for (double& work : report.work) work = random.unit();
  }
  EXPECT_TRUE(plan_size_mix(reports, {.limit_seconds = 1}).empty());
  reports[1].reached_seconds = 1.2;
  const auto totals = [&] {
    std::vector<double> seconds;
    for (const SizeReport& report : reports)
      seconds.push_back(std::accumulate(report.work.begin(), report.work.end(), 0.0));
    return seconds;
  };
  const std::vector<double> before = totals();
  for (const SizedFlow& flow :
       plan_size_mix(reports, {.limit_seconds = 1, .least_difference = 0.1})) {
    ASSERT_LT(std::max(flow.from, flow.to), 4);  // the others are no neighbours of group 1
    std::size_t k = 0;
    while (flow.above < largest_of_class(k + 1, 1) && k + 1 < size_classes) ++k;
    reports[static_cast<std::size_t>(flow.from)].work[k] -= flow.seconds;
    reports[static_cast<std::size_t>(flow.to)].work[k] += flow.seconds;
  }
  for (std::size_t g = 0; g < reports.size(); ++g) {
    EXPECT_NEAR(totals()[g], before[g], 1e-6);
    if (g >= 4) continue;
    for (std::size_t k = 0; k < size_classes; ++k)
      EXPECT_NEAR(reports[g].work[k] / before[g], reports[0].work[k] / before[0], 1e-6);
  }
}

/// A random problem on a tree.
Instance draw(std::uint64_t seed) {
  Instance instance = draw_instance(seed, 120, 24);
  instance.machine.workers_per_rank = 1;
  core::Random random(seed);
  if (seed % 3 == 0) {
    instance.machine.network = machine_of(instance.machine.ranks).network;
  } else if (seed % 3 == 1) {
    make_unequal(instance.machine, random);
  }
  return instance;
}

// Where the limit is exceeded, it is so already, and by no more afterwards.
TEST(TopologySteps, never_exceed_the_limit_of_work) {
  int moved = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Instance instance = draw(seed);
    const Placement placement = in_groups(instance, static_cast<std::int32_t>(1 + seed % 7), seed);
    ASSERT_NO_THROW(check(placement, instance.graph, instance.machine));
    const Quality before = assess(instance.graph, instance.machine, instance.graph.rank);
    const Quality after = assess(instance.graph, instance.machine, placement);
    const double limit = std::max(after.mean_seconds * 1.01, after.bound_seconds);
    ASSERT_LE(after.max_seconds, rounding * std::max(limit, before.max_seconds));
    moved += after.moved_objects > 0 ? 1 : 0;
  }
  EXPECT_GT(moved, 40);
}

// Groups together keep the limit that one rank keeps, not each one of its own.
TEST(TopologySteps, keep_the_limit_of_all_ranks_where_objects_are_small) {
  Instance instance;
  instance.machine = machine_of(48);
  core::Random random(5);
  for (std::uint32_t i = 0; i < 48 * 30; ++i) {
    instance.graph.rank.push_back(static_cast<std::int32_t>(i / 30));
    instance.graph.seconds.push_back(1e-3 * (1 + i / 500.0) * (0.5 + random.unit()));
    if (i > 0) instance.graph.links.push_back({i, i - 1, 1e5, 1});
  }
  for (const std::int32_t ranks : {4, 8, 16}) {
    const Quality quality = assess(instance.graph, instance.machine, in_groups(instance, ranks));
    EXPECT_LE(quality.imbalance, 0.01 * rounding) << ranks;
  }
}

/// A cube of blocks that exchange faces with their six neighbours, periodic; eight blocks on each
/// of 64 ranks.
Instance cube(bool is_gradient) {
  constexpr std::uint32_t side = 8;
  Instance instance;
  instance.machine = machine_of(64);
  const auto number = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    return (x % side * side + y % side) * side + z % side;
  };
  for (std::uint32_t i = 0; i < side * side * side; ++i) {
    const std::uint32_t x = i / (side * side);
    const std::uint32_t y = i / side % side;
    const std::uint32_t z = i % side;
    // Bits of the blocks' coordinates in turn: halves of the cube are halves of the machine.
    std::int32_t rank = 0;
    for (std::uint32_t bit = 4; bit > 1; bit /= 2) {
      for (const std::uint32_t c : {x, y, z}) rank = 2 * rank + ((c & bit) != 0 ? 1 : 0);
    }
    instance.graph.rank.push_back(rank);
    instance.graph.seconds.push_back(1e-3 * (is_gradient ? 1 + 0.1 * x : 1));
    instance.graph.bytes.push_back(1000);
    for (const std::uint32_t other :
         {number(x + 1, y, z), number(x, y + 1, z), number(x, y, z + 1)})
      instance.graph.links.push_back({i, other, 1e5, 1});
  }
  return instance;
}

TEST(TopologySteps, move_nothing_from_the_best_placement) {
  const Instance instance = cube(false);
  EXPECT_EQ(centrally(instance), instance.graph.rank);
  for (const std::int32_t ranks : {4, 8, 16, 32}) {
    EXPECT_EQ(in_groups(instance, ranks), instance.graph.rank) << ranks;
  }
}

// From a start in which groups have the right objects, up to a surplus of some, groups place nearly
// as well as one rank that sees everything.
TEST(TopologySteps, are_nearly_as_good_as_one_rank_that_sees_everything) {
  Instance instance = cube(true);
  for (const std::int32_t ranks : {8, 32}) {
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      SCOPED_TRACE(std::to_string(ranks) + " ranks, seed " + std::to_string(seed));
      Instance shuffled = instance;
      core::Random random(seed);
      for (std::int32_t& rank : shuffled.graph.rank)  // somewhere in the same node
        rank = rank / 8 * 8 + static_cast<std::int32_t>(random.below(8));
      const Placement placement = in_groups(shuffled, ranks);
      const BusyTimes its = busy(shuffled, placement);
      const BusyTimes central = busy(shuffled, centrally(shuffled));
      const BusyTimes before = busy(shuffled, shuffled.graph.rank);
      EXPECT_LE(its.max_seconds, 1.05 * central.max_seconds);
      EXPECT_LE(its.communication_seconds, 1.25 * central.communication_seconds);
      EXPECT_LT(its.max_seconds, 0.8 * before.max_seconds);
    }
  }
}

// One part of the cube has small blocks, the other ones larger and larger ones, of which two fit on
// a rank and three do not: groups have to exchange large for small ones.
TEST(TopologySteps, exchange_large_objects_for_small_ones) {
  Instance instance = cube(false);
  LoadGraph& graph = instance.graph;
  for (std::uint32_t i = 0; i < graph.size(); ++i) {
    graph.rank[i] = static_cast<std::int32_t>(i * 64 / graph.size());
    const bool is_small = 5 * i < graph.size() || 5 * i >= 4 * graph.size();
    graph.seconds[i] = is_small ? 0.01 : 0.005 + 0.2 * i / static_cast<double>(graph.size());
  }
  instance.machine.ranks = 128;
  for (std::int32_t& rank : graph.rank) rank *= 2;
  const Quality start = assess(graph, instance.machine, graph.rank);
  const Quality its = assess(graph, instance.machine, in_groups(instance, 32));
  EXPECT_GT(start.imbalance, 1);
  EXPECT_LE(its.imbalance, 0.025);
}

/// Changes a byte of one of the messages that a rank receives.
class Damaged final : public DistributedStrategy {
 public:
  Damaged(std::unique_ptr<DistributedStrategy> rank, std::uint64_t seed)
      : rank_(std::move(rank)), random_(seed), at_(1 + random_.below(15)) {}
  [[nodiscard]] bool step(StepHost& host, std::span<const StepMessage> received) override {
    std::vector<StepMessage> changed(received.begin(), received.end());
    if (next_++ == at_ && !changed.empty()) {
      std::vector<std::byte>& bytes = changed[random_.below(changed.size())].bytes;
      bytes[random_.below(bytes.size())] ^= static_cast<std::byte>(1 + random_.below(255));
    }
    return rank_->step(host, changed);
  }
  [[nodiscard]] Result result() override { return rank_->result(); }

 private:
  std::unique_ptr<DistributedStrategy> rank_;
  core::Random random_;
  std::uint64_t at_;
  std::uint64_t next_ = 0;
};

// Whatever a message says, it is refused or leads to some decision.
TEST(TopologySteps, check_what_other_ranks_send) {
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Instance instance = draw(3 * (seed % 20));
    const auto damaged = static_cast<std::int32_t>(seed % 2 == 0 ? 0 : seed % 3);
    try {
      (void)place_in_steps(instance.graph, instance.machine, 1, [&](RankShare share) {
        const bool is_damaged = share.rank.value() == damaged;
        std::unique_ptr<DistributedStrategy> rank =
            make_topology_steps({.most_ranks = 3}, std::move(share));
        if (is_damaged) rank = std::make_unique<Damaged>(std::move(rank), seed);
        return rank;
      });
    } catch (const MalformedMessage&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 8);
}

// The order of the machine's tree is another than that of the ranks; all is as if it were the same.
TEST(TopologySteps, go_by_the_places_of_the_ranks) {
  const Instance instance = cube(true);
  const Placement expected = in_groups(instance, 16);
  std::vector<RankShare> shares = shares_of(instance.graph, instance.machine);
  RankPlaces places{instance.machine.network, {}};
  for (std::int32_t place = 0; place < 64; ++place) places.rank_at.push_back((place * 5 + 3) % 64);
  const LoadTotals totals = totals_of(shares);
  std::vector<std::unique_ptr<DistributedStrategy>> ranks(shares.size());
  for (std::size_t place = 0; place < shares.size(); ++place) {
    RankShare& share = shares[place];
    const std::int32_t rank = places.rank_at[place];
    share.rank = rank;
    share.totals = totals;
    share.places = &places;
    for (ObjectNote& note : share.objects) note.rank = note.to = rank;
    ranks[static_cast<std::size_t>(rank)] =
        make_topology_steps({.most_ranks = 16}, std::move(share));
  }
  run_steps(ranks, 1);
  Placement placement = instance.graph.rank;
  for (std::size_t place = 0; place < shares.size(); ++place) {
    const auto rank = places.rank_at[place];
    for (const ObjectNote& move : ranks[static_cast<std::size_t>(rank)]->result().moves) {
      ASSERT_EQ(move.rank, rank);
      placement[move.object] = static_cast<std::int32_t>(
          std::ranges::find(places.rank_at, move.to) - places.rank_at.begin());
    }
  }
  EXPECT_NE(placement, instance.graph.rank);
  EXPECT_EQ(placement, expected);
}

}  // namespace
}  // namespace roam::placement::topology_steps_test
