// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/topology/detail/mapping/talk_graph.hpp"

namespace roam::topology {

/// What a search starts from: n objects, n places, one on each. The graph may have fewer objects:
/// the others say nothing.
struct ExchangeProblem {
  const TalkGraph* graph;
  /// n x n, symmetric, 0 on the diagonal.
  std::span<const double> distances;
};

/// Robust tabu search from `place`, which becomes the best that was found, by `exchanges`
/// exchanges. What was gained.
double exchange_objects(const ExchangeProblem& problem, std::uint64_t exchanges,
                        core::Random& random, std::vector<std::uint32_t>& place);

}  // namespace roam::topology
