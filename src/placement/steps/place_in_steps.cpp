// SPDX-License-Identifier: Apache-2.0
#include "roam/placement/detail/place_in_steps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "roam/core/error.hpp"
#include "roam/placement/detail/rank_places.hpp"

namespace roam::placement {

namespace {

/// Runs the steps of all ranks, one after the other.
class OneThread final : public StepHost {
 public:
  OneThread(std::size_t ranks, std::uint64_t seed) : sent_(ranks) {
    for (std::size_t r = 0; r < ranks; ++r) {
      random_.push_back(random_of(seed, static_cast<std::int32_t>(r)));
    }
  }
  [[nodiscard]] core::Packer message() override { return core::Packer(core::Buffer::allocate(64)); }
  void send(Rank to, core::Packer&& message) override {
    const core::Buffer buffer = message.take();
    sent_.at(to.index()).push_back({rank_, {buffer.bytes().begin(), buffer.bytes().end()}});
  }
  [[nodiscard]] core::Random& random() override { return random_[rank_.index()]; }
  void charge(double) override {}

  void set_rank(Rank rank) { rank_ = rank; }
  /// What has been sent to each rank, sorted by source, since ranks run in order.
  [[nodiscard]] std::vector<std::vector<StepMessage>> take_sent() {
    return std::exchange(sent_, std::vector<std::vector<StepMessage>>(sent_.size()));
  }

 private:
  Rank rank_ = 0;
  std::vector<core::Random> random_;
  std::vector<std::vector<StepMessage>> sent_;
};

}  // namespace

core::Random random_of(std::uint64_t seed, Rank rank) {
  core::Random mixed(seed ^ (0x5bd1e995ULL * static_cast<std::uint64_t>(rank.value() + 1)));
  return core::Random(mixed());
}

std::vector<RankShare> shares_of(const LoadGraph& graph, const Machine& machine) {
  std::vector<RankShare> shares(static_cast<std::size_t>(machine.ranks));
  for (std::size_t r = 0; r < shares.size(); ++r) {
    shares[r].rank = static_cast<std::int32_t>(r);
    shares[r].size = machine.ranks;
    shares[r].capacity = capacity(machine, r);
    shares[r].fixed_seconds = graph.background(r);
  }
  for (std::size_t i = 0; i < graph.size(); ++i) {
    RankShare& share = shares[static_cast<std::size_t>(graph.rank[i])];
    if (graph.is_pinned(i)) {
      share.fixed_seconds += graph.seconds[i];
    } else {
      share.objects.push_back({i, graph.seconds[i], graph.bytes.empty() ? 0 : graph.bytes[i],
                               graph.rank[i], graph.rank[i]});
    }
  }
  for (const Link& link : graph.links) {
    shares[static_cast<std::size_t>(graph.rank[link.a])].calls.push_back(
        {link.a, link.b, static_cast<std::uint64_t>(std::llround(link.messages)),
         static_cast<std::uint64_t>(std::llround(link.bytes))});
  }
  return shares;
}

LoadTotals totals_of(std::span<const RankShare> shares) {
  LoadTotals totals;
  for (const RankShare& share : shares) {
    double work = share.fixed_seconds;
    for (const ObjectNote& note : share.objects) work += note.seconds;
    totals.objects += share.objects.size();
    totals.work_seconds += work;
    totals.capacity += share.capacity;
    totals.max_seconds = std::max(totals.max_seconds, work / share.capacity);
  }
  return totals;
}

void run_steps(std::span<const std::unique_ptr<DistributedStrategy>> ranks, std::uint64_t seed) {
  OneThread host(ranks.size(), seed);
  auto received = host.take_sent();
  bool more = true;
  while (more) {
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      host.set_rank(static_cast<std::int32_t>(r));
      const bool goes_on = ranks[r]->step(host, received[r]);
      if (r > 0 && goes_on != more) {
        throw Error("ranks of a distributed strategy take different numbers of steps");
      }
      more = goes_on;
    }
    received = host.take_sent();
  }
}

Placement place_in_steps(const LoadGraph& graph, const Machine& machine, std::uint64_t seed,
                         const MakeDistributed& make) {
  std::vector<RankShare> shares = shares_of(graph, machine);
  const LoadTotals totals = totals_of(shares);
  const RankPlaces places{machine.network, {}};
  std::vector<std::unique_ptr<DistributedStrategy>> ranks;
  for (RankShare& share : shares) {
    share.totals = totals;
    share.places = &places;
    ranks.push_back(make(std::move(share)));
  }
  run_steps(ranks, seed);
  Placement placement = graph.rank;
  for (const auto& rank : ranks) {
    for (const ObjectNote& move : rank->result().moves) placement[move.object] = move.to;
  }
  return placement;
}

}  // namespace roam::placement
