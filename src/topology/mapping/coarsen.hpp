// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// The cluster of each object, numbered from 0 without gaps.
struct Clusters {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};

/// Puts objects together that communicate much for their size (amount^2 / product of loads), as
/// long as a cluster's load is within `cap`. Objects of different `parts` are not put together
/// (empty: there are no parts).
[[nodiscard]] Clusters cluster(const CommunicationGraph& graph, double cap, core::Random& random,
                               std::span<const std::uint32_t> parts = {});

/// Puts each object that communicates with only one or two others, a satellite, into the cluster of
/// one of these, a hub, if that has many neighbours: for example, the computations of a pair of
/// cells to one of the cells. The hub with less load takes it, and none grows much beyond `cap`. In
/// most cases the hubs get equal loads.
[[nodiscard]] Clusters absorb_satellites(const CommunicationGraph& graph, double cap,
                                         core::Random& random);

/// The graph of the clusters, with loads and communication added up.
[[nodiscard]] CommunicationGraph contract(const CommunicationGraph& graph,
                                          const Clusters& clusters);

}  // namespace roam::topology
