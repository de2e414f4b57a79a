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
  auto& mine = rt.local<Search>();
  mine.tree = settings.tree;
  mine.nodes_per_call = settings.nodes_per_call;
  mine.keep = settings.keep;
  mine.node_seconds = settings.node_seconds;
  if (rt.rank() == 0 && settings.compares) result.plain_seconds = plain_seconds(settings.tree);
  co_await rt.quiescence();
  rt.begin_measurement();
  co_await rt.barrier();  // all ranks measure
  if (rt.rank() == 0) rt.create<Batch>(std::vector{settings.tree.root()}).send<&Batch::expand>();
  co_await rt.quiescence();
  rt.end_measurement();
  const roam::RankStatistics statistics = rt.statistics();
  auto of_all = co_await rt.gather(0, statistics);
  const auto nodes = co_await rt.reduce<std::plus<>>(0, mine.nodes.load());
  const auto calls = co_await rt.reduce<std::plus<>>(0, mine.calls.load());
  if (rt.rank() != 0) co_return;
  result.ranks = std::move(of_all);
  result.nodes = *nodes;
  result.calls = *calls;
  if (rt.is_simulated()) result.plain_seconds = settings.node_seconds * static_cast<double>(*nodes);
  result.balancer = rt.options().balancer.name;
}

}  // namespace uts
