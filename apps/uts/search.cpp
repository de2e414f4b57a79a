// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <chrono>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "batch.hpp"

namespace uts {

namespace {

/// Seconds of this thread for the tree without Roam.
double plain_seconds(const Tree& tree) {
  const auto begin = std::chrono::steady_clock::now();
  if (count_nodes(tree) == 0) throw roam::Error("a tree without nodes");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// The average over all workers of the job, each of which traverses the whole tree at the same
/// time, so that shared hardware and other load slow both measurements down alike. On rank 0.
roam::Task<double> mean_plain_seconds(roam::Runtime& rt, const Tree& tree) {
  std::vector<double> seconds(rt.workers());
  co_await rt.barrier();
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < seconds.size(); ++i)
      others.emplace_back([&tree, &mine = seconds[i]] { mine = plain_seconds(tree); });
    seconds[0] = plain_seconds(tree);
  }
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  const auto of_all = co_await rt.reduce<std::plus<>>(0, sum);
  const auto workers = co_await rt.reduce<std::plus<>>(0, seconds.size());
  co_return rt.rank() == 0 ? *of_all / static_cast<double>(*workers) : 0.0;
}

}  // namespace

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
  const bool compares = settings.compares && !rt.is_simulated();
  const double before = compares ? co_await mean_plain_seconds(rt, settings.tree) : 0.0;
  co_await rt.quiescence();
  rt.begin_measurement();
  co_await rt.barrier();  // all ranks measure
  if (rt.rank() == 0) rt.create<Batch>(std::vector{settings.tree.root()}).send<&Batch::expand>();
  co_await rt.quiescence();
  rt.end_measurement();
  const roam::RankStatistics statistics = rt.statistics();
  const double after = compares ? co_await mean_plain_seconds(rt, settings.tree) : 0.0;
  auto of_all = co_await rt.gather(0, statistics);
  const auto nodes = co_await rt.reduce<std::plus<>>(0, mine.nodes.load());
  const auto calls = co_await rt.reduce<std::plus<>>(0, mine.calls.load());
  if (rt.rank() != 0) co_return;
  result.ranks = std::move(of_all);
  result.nodes = *nodes;
  result.calls = *calls;
  result.plain_seconds = (before + after) / 2;
  if (rt.is_simulated()) result.plain_seconds = settings.node_seconds * static_cast<double>(*nodes);
  result.balancer = rt.options().balancer.name;
}

}  // namespace uts
