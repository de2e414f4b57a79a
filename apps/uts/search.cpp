// SPDX-License-Identifier: Apache-2.0
#include "search.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "batch.hpp"
#include "report.hpp"

namespace uts {

namespace {

/// How long one thread takes for the tree without Roam.
double plain_seconds(const Tree& tree) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Node> stack{tree.root()};
  while (expand(tree, stack, 1'000'000) > 0) {
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void check(const Settings& settings, const Figures& figures, double efficiency) {
  if (settings.known_nodes != 0 && figures.nodes != settings.known_nodes) {
    throw roam::Error("tree " + settings.name + " has " + std::to_string(settings.known_nodes) +
                      " nodes, and " + std::to_string(figures.nodes) + " were counted");
  }
  if (efficiency < settings.least_efficiency) {
    throw roam::Error("the efficiency is " + std::to_string(efficiency) + ", less than " +
                      std::to_string(settings.least_efficiency));
  }
}

}  // namespace

roam::Task<> search(roam::Runtime& rt, const Settings& settings) {
  Figures figures;
  Search all{settings.tree, settings.nodes_per_call, settings.keep, settings.node_seconds, {}};
  if (rt.rank() == 0) {
    if (settings.compares) figures.plain_seconds = plain_seconds(settings.tree);
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
  const auto statistics = co_await rt.gather(0, mine);
  if (rt.rank() != 0) co_return;
  figures.nodes = co_await all.tallies.reduce<&Tally::all_nodes, std::plus<>>();
  figures.calls = co_await all.tallies.reduce<&Tally::all_calls, std::plus<>>();
  if (rt.is_simulated())
    figures.plain_seconds = settings.node_seconds * static_cast<double>(figures.nodes);
  figures.balancer = rt.options().balancer.name;
  check(settings, figures, print_report(settings, figures, statistics));
}

}  // namespace uts
