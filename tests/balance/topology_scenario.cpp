// SPDX-License-Identifier: Apache-2.0
#include "balance/topology_scenario.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "roam/roam.hpp"
#include "roam/testing/check.hpp"

namespace roam::balance::topology_chaos {

/// Works, and sends its neighbours data.
class RingCell {
 public:
  explicit RingCell(double seconds = 0) : seconds_(seconds) {}
  void join(mobile_ptr<RingCell> next, mobile_ptr<RingCell> previous) {
    next_ = next;
    previous_ = previous;
  }
  void step() {
    here().compute(from_seconds(seconds_));
    next_.send<&RingCell::take>(edge_);
    previous_.send<&RingCell::take>(edge_);
  }
  void take(const std::vector<double>& edge) { received_ += edge.empty() ? 0 : 1; }
  [[nodiscard]] std::int32_t rank() const { return here().rank().value(); }
  [[nodiscard]] std::int64_t received() const { return received_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(next_, previous_, seconds_, edge_, received_);
  }

 private:
  mobile_ptr<RingCell> next_;
  mobile_ptr<RingCell> previous_;
  double seconds_ = 0;
  std::vector<double> edge_ = std::vector<double>(2500, 1.0);  // 20 kB
  std::int64_t received_ = 0;
};

namespace {

using testing::check;

constexpr int cells_per_rank = 4;
constexpr int phases = 3;
constexpr int steps = 3;
// Of the time of a rank, for the runtime's own work, which no cell stands for.
constexpr double tolerance = 1.05;

/// The ring, as all ranks draw it: where each cell is created, and what a step of it takes.
struct Ring {
  explicit Ring(std::uint64_t seed, std::int32_t ranks) {
    core::Random random(seed);
    const bool is_uneven = random.below(2) == 0;
    for (std::int32_t i = 0; i < ranks * cells_per_rank; ++i) {
      const bool stays_near = random.below(3) > 0;
      rank.push_back(
          stays_near ? i / cells_per_rank
                     : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks))));
      seconds.push_back(is_uneven ? 20e-6 + 200e-6 * random.unit() * i / ranks : 100e-6);
    }
  }
  [[nodiscard]] double max_seconds(const std::vector<std::int32_t>& places) const {
    std::vector<double> work(places.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      work[static_cast<std::size_t>(places[i])] += seconds[i];
    return std::ranges::max(work);
  }
  [[nodiscard]] double limit(std::int32_t ranks) const {
    double all = 0;
    for (const double one : seconds) all += one;
    return std::max(1.01 * all / ranks, std::ranges::max(seconds));
  }
  std::vector<std::int32_t> rank;
  std::vector<double> seconds;
};

Task<std::vector<std::int32_t>> places_of(std::vector<mobile_ptr<RingCell>> cells) {
  std::vector<std::int32_t> places;
  for (const auto& cell : cells) places.push_back(co_await cell.call<&RingCell::rank>());
  co_return places;
}

Task<> program(Runtime& rt, std::uint64_t seed) {
  const Ring ring(seed, rt.size());
  const std::size_t count = ring.rank.size();
  std::vector<mobile_ptr<RingCell>> mine;
  for (std::size_t i = 0; i < count; ++i) {
    if (ring.rank[i] == rt.rank().value()) mine.push_back(rt.create<RingCell>(ring.seconds[i]));
  }
  const auto gathered = co_await rt.allgather(mine);
  std::vector<std::size_t> next(gathered.size());
  std::vector<mobile_ptr<RingCell>> all;
  for (const std::int32_t rank : ring.rank) {
    const auto r = static_cast<std::size_t>(rank);
    all.push_back(gathered[r][next[r]++]);
  }
  for (std::size_t i = 0; i < count && rt.rank() == 0; ++i)
    all[i].send<&RingCell::join>(all[(i + 1) % count], all[(i + count - 1) % count]);
  co_await rt.quiescence();
  std::vector<std::int32_t> before = ring.rank;
  for (int phase = 0; phase < phases; ++phase) {
    for (int step = 0; step < steps; ++step) {
      for (const auto& cell : mine) cell.send<&RingCell::step>();
    }
    const PhaseReport report = co_await rt.phase();
    const std::uint64_t here = rt.objects().resident_count();
    check(co_await rt.allreduce<std::plus<>>(here) == count, "M1: every cell is there once");
    if (rt.rank() != 0) continue;
    const std::vector<std::int32_t> now = co_await places_of(all);
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < count; ++i) moved += now[i] != before[i] ? 1 : 0;
    check(moved == report.moved_objects,
          "B4: " + std::to_string(moved) + " cells have moved, and " +
              std::to_string(report.moved_objects) + " are reported");
    check(report.refused_objects == 0, "B4: every move that was decided can be made");
    check(moved == 0 || report.gain_seconds > report.cost_seconds,
          "B3: moves gain more than they cost");
    check(ring.max_seconds(now) <=
              tolerance * std::max(ring.limit(rt.size()), ring.max_seconds(before)),
          "B3: no rank gets more work than the limit, or than some rank had");
    before = now;
  }
  co_await rt.quiescence();
  if (rt.rank() != 0) co_return;
  for (const auto& cell : all) {
    check(co_await cell.call<&RingCell::received>() == 2 * phases * steps,
          "M2: each cell has got every message once");
  }
}

}  // namespace

testing::Scenario make_scenario(testing::Schedule& schedule) {
  const std::uint64_t seed = schedule.random();
  testing::Scenario scenario;
  scenario.program = [seed](Runtime& rt) { return program(rt, seed); };
  return scenario;
}

testing::ExploreOptions explore_options() {
  testing::ExploreOptions options;
  options.ranks = {5, 9};
  options.workers = {1, 1};
  options.balancers = {parse_plugin_choice("topology:group_ranks=2"),
                       parse_plugin_choice("topology:group_ranks=3")};
  options.configure = [](Options& job, core::Random& random) {
    Machine& machine = *job.simulate;
    NetworkLevel node = machine.network.back();
    node.name = "node";
    node.group_ranks = static_cast<std::int32_t>(1 + random.below(3));
    NetworkLevel all = machine.network.back();
    all.bandwidth_bytes_per_second = 0.1e9;
    machine.network = {node, all};
  };
  // Work takes what it takes, so that it is known who has how much; cells move by decision alone.
  for (testing::Disturbance* const none :
       {&options.late_steps, &options.slow_ranks, &options.preemptions, &options.migrations,
        &options.refusals})
    none->share = 0;
  return options;
}

}  // namespace roam::balance::topology_chaos
