// SPDX-License-Identifier: Apache-2.0
// Refinement that takes communication into account: an overloaded rank gives away the objects that
// communicate least with its own, each to that rank with enough slack which it communicates with
// most. If ranks are still above the limit then, plain refinement follows.
#include "refine_comm.hpp"

#include <algorithm>

#include "adjacency.hpp"
#include "rank_work.hpp"
#include "refine.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::placement {
namespace {

class CommRefiner {
 public:
  CommRefiner(const LoadGraph& graph, const Machine& machine, double limit)
      : graph_(graph),
        work_(current_seconds(graph, machine), machine),
        adjacency_(graph),
        affinity_(adjacency_, work_.ranks()),
        placement_(graph.rank) {
    work_.set_limit(limit);
  }

  Placement run() {
    const std::vector<ObjectIndex> order = movable_by_size(graph_);
    const ObjectLists lists(work_.ranks(), order, graph_.rank);
    for (std::size_t r = 0; r < work_.ranks(); ++r) {
      if (work_.slack(r) < 0) relieve(r, lists[r]);
    }
    return placement_;
  }

 private:
  struct Offer {
    double loss;  // bytes that become remote, minus bytes that become local, per second of work
    ObjectIndex object;
  };

  [[nodiscard]] double loss(std::size_t r, ObjectIndex object) {
    affinity_.look_at(object, placement_);
    double elsewhere = 0;
    for (const std::int32_t rank : affinity_.ranks()) {
      if (static_cast<std::size_t>(rank) == r) continue;
      elsewhere = affinity_.bytes(static_cast<std::size_t>(rank));
      break;
    }
    return (affinity_.bytes(r) - elsewhere) / graph_.seconds[object];
  }

  void relieve(std::size_t r, std::span<const ObjectIndex> objects) {
    std::vector<Offer> offers;
    for (const ObjectIndex object : objects) {
      if (graph_.seconds[object] > 0) offers.push_back({loss(r, object), object});
    }
    std::ranges::sort(offers, [](const Offer& a, const Offer& b) {
      return a.loss < b.loss || (a.loss == b.loss && a.object < b.object);
    });
    for (const auto& [loss, object] : offers) {
      if (work_.slack(r) >= 0) return;
      const std::size_t to = partner_with_slack(r, object);
      if (to == SIZE_MAX) continue;
      work_.move(graph_.seconds[object], r, to);
      placement_[object] = static_cast<std::int32_t>(to);
    }
  }

  [[nodiscard]] std::size_t partner_with_slack(std::size_t r, ObjectIndex object) {
    affinity_.look_at(object, placement_);
    for (const std::int32_t rank : affinity_.ranks()) {
      const auto to = static_cast<std::size_t>(rank);
      if (to != r && work_.slack(to) >= graph_.seconds[object]) return to;
    }
    return SIZE_MAX;
  }

  const LoadGraph& graph_;
  RankWork work_;
  const Adjacency adjacency_;
  RankAffinity affinity_;
  Placement placement_;
};

class RefineComm final : public Strategy {
 public:
  explicit RefineComm(double imbalance) : imbalance_(imbalance) {}

  [[nodiscard]] Placement place(const LoadGraph& graph, const Machine& machine) const override {
    return refine_comm(graph, machine, {.imbalance = imbalance_});
  }

 private:
  const double imbalance_;
};

const StrategyRegistrar refine_comm_registrar{
    {.name = "refine_comm",
     .description = "overloaded ranks give the objects that communicate least at home to those "
                    "they communicate with",
     .parameters = {{"imbalance", "aim for max / mean - 1 of the ranks' loads", "0.02", 0, 1e6}},
     .create = [](const plugin::Parameters& parameters) -> std::unique_ptr<Strategy> {
       return std::make_unique<RefineComm>(parameters.number("imbalance"));
     },
     .uses_links = true}};

}  // namespace

Placement refine_comm(const LoadGraph& graph, const Machine& machine,
                      const RefineSettings& settings) {
  const RankWork work(current_seconds(graph, machine), machine);
  const double limit =
      std::max(work.mean_seconds() * (1 + settings.imbalance), lower_bound_seconds(graph, machine));
  if (work.max_seconds() <= limit) return graph.rank;
  LoadGraph rest = graph;
  rest.rank = CommRefiner(graph, machine, limit).run();
  return refine(rest, machine, settings);
}

}  // namespace roam::placement
