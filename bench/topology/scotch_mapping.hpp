// SPDX-License-Identifier: Apache-2.0
#pragma once

// The competitor: Scotch's mapping onto a tree of leaves. scotch.h needs these headers before it.
#ifdef BENCH_HAS_SCOTCH
#include <cstdint>
#include <cstdio>

#include <scotch.h>
#endif

#include <optional>
#include <roam/topology/detail/mapping/communication_graph.hpp>
#include <roam/topology/detail/mapping/measures.hpp>
#include <vector>

namespace bench {

#ifdef BENCH_HAS_SCOTCH

/// Scotch's mapping, with the option to respect the balance; only for trees with one arity for each
/// level.
inline std::optional<roam::topology::Mapping> map_by_scotch(
    const roam::topology::CommunicationGraph& graph, const roam::MachineTree& tree,
    double imbalance) {
  if (!tree.is_regular()) return std::nullopt;
  std::vector<SCOTCH_Num> begin{0}, neighbours, amounts, loads, sizes, links;
  for (std::uint32_t v = 0; v < graph.size(); ++v) {
    loads.push_back(static_cast<SCOTCH_Num>(graph.load(v)));
    for (const auto& [u, amount] : graph.of(v)) {
      neighbours.push_back(static_cast<SCOTCH_Num>(u));
      amounts.push_back(static_cast<SCOTCH_Num>(amount));
    }
    begin.push_back(static_cast<SCOTCH_Num>(neighbours.size()));
  }
  for (std::size_t level = 0; level < tree.depth(); ++level) {
    sizes.push_back(*tree.arity(level));
    links.push_back(static_cast<SCOTCH_Num>(tree.distance_at(level)));
  }
  SCOTCH_Graph handle;
  SCOTCH_Arch architecture;
  SCOTCH_Strat strategy;
  SCOTCH_randomReset();
  SCOTCH_graphInit(&handle);
  SCOTCH_archInit(&architecture);
  SCOTCH_stratInit(&strategy);
  std::vector<SCOTCH_Num> leaf(graph.size());
  const bool done =
      SCOTCH_graphBuild(&handle, 0, static_cast<SCOTCH_Num>(graph.size()), begin.data(), nullptr,
                        loads.data(), nullptr, static_cast<SCOTCH_Num>(neighbours.size()),
                        neighbours.data(), amounts.data()) == 0 &&
      SCOTCH_archTleaf(&architecture, static_cast<SCOTCH_Num>(sizes.size()), sizes.data(),
                       links.data()) == 0 &&
      SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATBALANCE, tree.leaves(),
                                imbalance > 0 ? imbalance : 0.01) == 0 &&
      SCOTCH_graphMap(&handle, &architecture, &strategy, leaf.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&architecture);
  SCOTCH_graphExit(&handle);
  if (!done) return std::nullopt;
  return roam::topology::Mapping(leaf.begin(), leaf.end());
}

#else

inline std::optional<roam::topology::Mapping> map_by_scotch(
    const roam::topology::CommunicationGraph&, const roam::MachineTree&, double) {
  return std::nullopt;
}

#endif

}  // namespace bench
