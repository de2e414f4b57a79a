// SPDX-License-Identifier: Apache-2.0
// B6: what strategies know about a running program: work besides the objects, and who calls whom;
// and the same in recorded loads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "roam/balance/detail/phases.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/temporary_folder.hpp"

namespace roam::balance::phase_loads_test {

/// Works, and calls its partner.
struct Node {
  roam::mobile_ptr<Node> partner;
  std::vector<double> data;
  void set_partner(roam::mobile_ptr<Node> other) { partner = other; }
  void work(double seconds) {
    roam::here().compute(roam::from_seconds(seconds));
    if (partner) partner.send<&Node::hear>(std::vector<double>(100));
  }
  void hear(const std::vector<double>& values) { data = values; }
  [[nodiscard]] std::int32_t where() const { return roam::here().rank().value(); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(partner, data);
  }
};

/// A handler of the rank: work that belongs to no object.
void toil(double seconds) { roam::here().compute(roam::from_seconds(seconds)); }

namespace {

using ::testing::ElementsAre;
namespace fs = std::filesystem;

Options options_of(const std::string& balancer, std::int32_t ranks) {
  Options options;
  options.simulate.emplace();
  options.simulate->ranks = ranks;
  options.simulate->workers_per_rank = 1;
  options.balancer = parse_plugin_choice(balancer);
  return options;
}

/// All ranks have ten objects of 10 ms; rank 0 also works without objects, for as long as these
/// take.
Task<> toiling(Runtime& rt, std::vector<PhaseReport>& reports) {
  std::vector<mobile_ptr<Node>> mine;
  for (int i = 0; i < 10; ++i) mine.push_back(rt.create<Node>());
  for (int phase = 0; phase < 3; ++phase) {
    if (rt.rank() == 0) rt.send<&toil>(0, 0.1);
    for (const auto& node : mine) node.send<&Node::work>(0.01);
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) reports.push_back(report);
  }
}

class Background : public ::testing::TestWithParam<const char*> {};

TEST_P(Background, of_a_rank_counts_as_its_load) {
  SimulatedJob job({.options = options_of(GetParam(), 4)});
  std::vector<PhaseReport> reports;
  ASSERT_TRUE(job.run([&](Runtime& rt) { return toiling(rt, reports); })) << job.error();
  // 0.5 s of work on four ranks, 0.2 of them on the first.
  EXPECT_NEAR(reports[0].imbalance(), 0.6, 0.01);
  EXPECT_GT(reports[0].moved_objects, 5U);
  EXPECT_LT(reports[2].imbalance(), 0.15);
  EXPECT_LT(reports[2].seconds, 0.145);
}

INSTANTIATE_TEST_SUITE_P(Strategies, Background,
                         ::testing::Values("greedy", "refine", "hierarchical", "hybrid"));

/// Pairs of objects, the two of each on different ranks; there is no other communication.
Task<> in_pairs(Runtime& rt, std::vector<std::int32_t>& places) {
  constexpr int each = 8;
  std::vector<mobile_ptr<Node>> nodes;
  for (int i = 0; rt.rank() == 0 && i < 4 * each; ++i) {
    nodes.push_back(rt.create<Node>());
    nodes.back().migrate(i % 4);
  }
  co_await rt.quiescence();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    nodes[i].send<&Node::set_partner>(nodes[i ^ 1]);
  }
  for (int phase = 0; phase < 2; ++phase) {
    // Uneven loads, so that moves can gain anything.
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      nodes[i].send<&Node::work>(i % 4 < 2 ? 0.03 : 0.01);
    }
    (void)co_await rt.phase();
  }
  for (const auto& node : nodes) {
    places.push_back(co_await node.call<&Node::where>());
  }
}

int pairs_together(const std::string& balancer) {
  SimulatedJob job({.options = options_of(balancer, 4)});
  std::vector<std::int32_t> places;
  EXPECT_TRUE(job.run([&](Runtime& rt) { return in_pairs(rt, places); })) << job.error();
  int together = 0;
  for (std::size_t i = 0; i < places.size(); i += 2) together += places[i] == places[i + 1] ? 1 : 0;
  return together;
}

TEST(Links, of_a_running_program_are_counted_for_strategies_that_heed_them) {
  EXPECT_GE(pairs_together("greedy_comm"), 12);  // of 16
  EXPECT_LE(pairs_together("greedy"), 8);
}

placement::LbData recorded(const std::string& balancer, const Runtime::Program& program) {
  const roam::testing::TemporaryFolder folder;
  Options options = options_of(balancer, 4);
  options.lb_data = folder.path().string();
  SimulatedJob job({.options = options});
  EXPECT_TRUE(job.run(program)) << job.error();
  std::vector<std::string> files;
  for (int r = 0; r < 4; ++r) {
    files.push_back(folder.file("data." + std::to_string(r) + ".json"));
  }
  return placement::read_lb_data(files);
}

TEST(LbRecorder, writes_each_phase_with_its_loads_and_links) {
  std::vector<std::int32_t> places;
  const placement::LbData data =
      recorded("greedy", [&](Runtime& rt) { return in_pairs(rt, places); });
  EXPECT_EQ(data.ranks, 4);
  ASSERT_EQ(data.phases.size(), 2U);
  const placement::LbData::Phase& first = data.phases[0];
  ASSERT_EQ(first.objects.size(), 32U);
  EXPECT_EQ(first.graph.links.size(), 32U) << "each direction by itself";
  double work = 0;
  for (const double s : first.graph.seconds) work += s;
  EXPECT_NEAR(work, 16 * 0.04, 0.001);
  for (const placement::Link& link : first.graph.links) {
    EXPECT_EQ(link.messages, 1);
    EXPECT_EQ(link.bytes, 800);
    EXPECT_NE(first.graph.rank[link.a], first.graph.rank[link.b]);
  }
  const auto on_rank_0 = [](const placement::LbData::Phase& phase) {
    std::set<std::uint64_t> ids;
    for (std::size_t i = 0; i < phase.objects.size(); ++i) {
      if (phase.graph.rank[i] == 0) ids.insert(phase.objects[i].id);
    }
    return ids;
  };
  EXPECT_NE(on_rank_0(first), on_rank_0(data.phases[1])) << "greedy has moved some";
}

TEST(LbRecorder, takes_a_program_without_phases_as_one) {
  const placement::LbData data = recorded("none", [](Runtime& rt) -> Task<> {
    rt.create<Node>().send<&Node::work>(0.5);
    co_await rt.quiescence();
  });
  ASSERT_EQ(data.phases.size(), 1U);
  EXPECT_THAT(data.phases[0].graph.rank, ::testing::UnorderedElementsAre(0, 1, 2, 3));
  EXPECT_NEAR(data.phases[0].graph.seconds[0], 0.5, 1e-4);
}

}  // namespace
}  // namespace roam::balance::phase_loads_test
