// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "batch.hpp"

namespace uts {

double plain_seconds(const Tree& tree) {
  const auto begin = std::chrono::steady_clock::now();
  if (count_nodes(tree) == 0) throw roam::Error("a tree without nodes");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void check_nodes(const Settings& settings, const Result& result) {
  if (settings.known_nodes == 0 || result.nodes == settings.known_nodes) return;
  throw roam::Error("tree " + settings.name + " has " + std::to_string(settings.known_nodes) +
                    " nodes, and " + std::to_string(result.nodes) + " were counted");
}

roam::Task<> search(roam::Runtime& rt, const Settings& settings, Result& result) {
  Search all{settings.tree, settings.nodes_per_call, settings.keep, settings.node_seconds, {}};
  if (rt.rank() == 0) {
    if (settings.compares) result.plain_seconds = plain_seconds(settings.tree);
    all.tallies = co_await rt.create_collection<Tally, 1>({rt.size()}, roam::Placement::block());
  }
  co_await rt.quiescence();
  rt.begin_measurement();
  co_await rt.barrier();  // all ranks measure
  if (rt.rank() == 0) {
    const auto root = rt.create<Batch>(Batch{{settings.tree.root()}, 0, 0});
    root.send<&Batch::expand>(all, root);
  }
  co_await rt.quiescence();
  rt.end_measurement();
  const roam::RankStatistics mine = rt.statistics();
  auto statistics = co_await rt.gather(0, mine);
  if (rt.rank() != 0) co_return;
  result.ranks = std::move(statistics);
  result.nodes = co_await all.tallies.reduce<&Tally::all_nodes, std::plus<>>();
  result.calls = co_await all.tallies.reduce<&Tally::all_calls, std::plus<>>();
  if (rt.is_simulated())
    result.plain_seconds = settings.node_seconds * static_cast<double>(result.nodes);
  result.balancer = rt.options().balancer.name;
}

}  // namespace uts
