// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// The cluster of each object, numbered from 0 without gaps.
struct Clusters {
  std::vector<std::uint32_t> of;
  std::uint32_t count = 0;
};

/// Puts objects together that talk much for their size (amount^2 / product of loads), as long as a
/// cluster's load stays within `cap`; objects of different `parts` stay apart (empty: none do).
[[nodiscard]] Clusters cluster(const TalkGraph& graph, double cap, core::Random& random,
                               std::span<const std::uint32_t> parts = {});

/// Puts objects that talk to one or two others beside one of these, a hub, where that talks to
/// many: the computations of a pair of cells to a cell. The lighter hub takes an object, and none
/// grows much beyond `cap`. Most often the hubs come out alike.
[[nodiscard]] Clusters absorb_satellites(const TalkGraph& graph, double cap, core::Random& random);

/// The graph of the clusters: loads and talk added up.
[[nodiscard]] TalkGraph contract(const TalkGraph& graph, const Clusters& clusters);

}  // namespace roam::topology
