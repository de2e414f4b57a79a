// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/communication_graph.hpp"

namespace roam::topology {

/// The start of a search: n objects and n places, one object on each. The graph may have fewer
/// objects: the others do not communicate.
struct ExchangeProblem {
  const CommunicationGraph* graph;
  /// n x n, symmetric, 0 on the diagonal.
  std::span<const double> distances;
};

/// Robust tabu search of `exchanges` exchanges from `place`, which is replaced by the best
/// placement found. Returns the gain.
double exchange_objects(const ExchangeProblem& problem, std::uint64_t exchanges,
                        core::Random& random, std::vector<std::uint32_t>& place);

}  // namespace roam::topology
