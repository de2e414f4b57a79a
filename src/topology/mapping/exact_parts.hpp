// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

struct ExactPartsOptions {
  std::uint64_t seed = 1;
  /// The number of exchanges of a tabu search at the end, for up to 512 objects; 0: none.
  std::uint64_t exchanges = 2000;
};

/// Cuts a graph into parts of exactly these numbers of objects, which add up to the graph's size,
/// so that parts communicate little. Placement under constraints needs unequal sizes (Jeannot et
/// al. 2013, section IV), and no graph partitioner guarantees them. Therefore a partition without
/// exact sizes is made first, then make_exact() corrects it, then, for small graphs, a tabu search
/// improves it; for at most 12 objects all ways are tried. Returns the part of each object. Throws
/// Error if sizes do not add up. Pure; one thread.
[[nodiscard]] std::vector<std::uint32_t> exact_parts(const CommunicationGraph& graph,
                                                     std::span<const std::uint32_t> sizes,
                                                     const ExactPartsOptions& options = {});

/// Changes any partition so that its parts have these sizes: surplus moves along the cheapest paths
/// of the quotient graph, one object on each step; then exchanges of two objects and negative
/// cycles (Sanders and Schulz 2013) follow as long as they gain. Throws Error if sizes do not add
/// up or a part does not exist.
[[nodiscard]] std::vector<std::uint32_t> make_exact(const CommunicationGraph& graph,
                                                    std::span<const std::uint32_t> sizes,
                                                    std::vector<std::uint32_t> parts,
                                                    std::uint64_t seed = 1);

/// The amount of communication between different parts.
[[nodiscard]] double cut_of(const CommunicationGraph& graph, std::span<const std::uint32_t> parts);

}  // namespace roam::topology
