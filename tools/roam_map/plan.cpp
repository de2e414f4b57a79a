// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "exchanges.hpp"
#include "roam/core/error.hpp"
#include "roam/topology/detail/mapping/map_to_tree.hpp"
#include "support/tree_choice.hpp"

namespace roam_map {

using roam::MachineTree;
using roam::topology::CommunicationGraph;
using roam::topology::Mapping;

namespace {

/// Costs with a smaller relative difference are equal except for rounding.
constexpr double least_gain = 1e-9;
/// Limit of ranks times leaves: beyond it, exchanges from the present placement would take seconds.
constexpr std::size_t most_pairs = 4'194'304;
/// The largest number of leaves that are filled up with ranks that do not communicate.
constexpr std::size_t most_padded = 65'536;

/// A placement, what it costs, and how many ranks change place for it.
struct Candidate {
  Mapping placement;
  double cost = 0;
  std::uint32_t moved = 0;
};

/// Moves ranks back to where they were if that costs nothing.
Candidate candidate(const CommunicationGraph& graph, const MachineTree& tree, Mapping mapping,
                    const Mapping& now) {
  Exchanges exchanges(graph, tree, std::move(mapping));
  exchanges.go_home(now);
  Candidate result{exchanges.placement(), 0, 0};
  result.cost = roam::topology::communication_cost(graph, tree, result.placement);
  for (std::size_t rank = 0; rank < now.size(); ++rank)
    if (now[rank] != result.placement[rank]) ++result.moved;
  return result;
}

bool is_better(const Candidate& a, const Candidate& b) {
  const double margin = least_gain * std::max(a.cost, b.cost);
  if (a.cost < b.cost - margin) return true;
  return a.cost <= b.cost + margin && a.moved < b.moved;
}

Mapping mapped(const CommunicationGraph& graph, const MachineTree& tree, const Mapping& now) {
  roam::topology::MapOptions options;
  options.imbalance = 0;  // loads are all 1: one rank on a leaf
  options.effort = roam::topology::MappingEffort::thorough;
  options.home = now;
  return roam::topology::map_to_tree(graph, tree, options);
}

bool has_one_rank_each(const Mapping& mapping, std::int32_t leaves) {
  std::vector<bool> is_taken(static_cast<std::size_t>(leaves));
  for (const std::int32_t leaf : mapping) {
    if (is_taken[static_cast<std::size_t>(leaf)]) return false;
    is_taken[static_cast<std::size_t>(leaf)] = true;
  }
  return true;
}

}  // namespace

Mapping present_placement(const std::string& list, std::uint32_t ranks, const MachineTree& tree) {
  const std::span<const std::int32_t> usable = tree.usable_leaves();
  const std::string leaf_name = tree.levels().back().name;
  if (usable.size() < ranks) {
    throw roam::ConfigError(
        "--topology: found " + std::to_string(ranks) + " ranks, allowed is one on each " +
        leaf_name + " that may be used, of which there are " + std::to_string(usable.size()));
  }
  if (list.empty()) return {usable.begin(), usable.begin() + ranks};
  Mapping now = roam_tools::read_leaves_of_ranks(list, tree, "--ranks-on");
  if (now.size() != ranks) {
    throw roam::ConfigError("--ranks-on: found " + std::to_string(now.size()) +
                            " leaves, allowed is one for each of " + std::to_string(ranks) +
                            " ranks");
  }
  std::vector<std::int32_t> rank_on(static_cast<std::size_t>(tree.leaves()), -1);
  for (std::size_t rank = 0; rank < now.size(); ++rank) {
    std::int32_t& other = rank_on[static_cast<std::size_t>(now[rank])];
    if (other >= 0) {
      throw roam::ConfigError("--ranks-on: ranks " + std::to_string(other) + " and " +
                              std::to_string(rank) + " are put on leaf " +
                              std::to_string(now[rank]) + ", allowed is one rank on a leaf");
    }
    other = static_cast<std::int32_t>(rank);
  }
  return now;
}

Plan make_plan(const RankCommunication& communication, const MachineTree& tree, Mapping now,
               Places places) {
  const MachineTree allowed = places == Places::all ? tree : tree.with_usable(now);
  const roam::topology::CommunicationGraph graph(communication.ranks, communication.communications);
  Candidate best = candidate(graph, allowed, now, now);
  const auto consider = [&](Mapping mapping) {
    if (!has_one_rank_each(mapping, tree.leaves())) return;
    Candidate other = candidate(graph, allowed, std::move(mapping), now);
    if (is_better(other, best)) best = std::move(other);
  };
  consider(mapped(graph, allowed, now));
  const std::size_t leaves = allowed.usable_leaves().size();
  if (now.size() < leaves && leaves <= most_padded) {
    const CommunicationGraph full(static_cast<std::uint32_t>(leaves), communication.communications);
    Mapping homes = now;
    homes.resize(leaves, -1);
    Mapping mapping = mapped(full, allowed, homes);
    mapping.resize(now.size());
    consider(std::move(mapping));
  }
  if (now.size() * allowed.usable_leaves().size() <= most_pairs) {
    Exchanges from_now(graph, allowed, now);
    from_now.descend();
    consider(from_now.placement());
  }
  Plan plan;
  plan.before = roam::topology::measure(communication.communications, tree, now);
  plan.after = roam::topology::measure(communication.communications, tree, best.placement);
  plan.now = std::move(now);
  plan.proposed = std::move(best.placement);
  plan.moved = best.moved;
  return plan;
}

}  // namespace roam_map
