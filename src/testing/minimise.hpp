// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "testing/decisions.hpp"

namespace roam::testing {

/// Runs with these decisions alone. Returns an empty list if the run does not fail in the same way;
/// otherwise the decisions that were made.
using StillFails =
    std::function<std::vector<DecisionId>(const std::vector<DecisionId>&, bool& fails)>;

/// Delta debugging (ddmin: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
/// Input, IEEE TSE 28(2), 2002, section 3): returns few decisions with which it still fails, none
/// of which can be left out, unless `most_runs` are reached first.
[[nodiscard]] std::vector<DecisionId> minimise(std::vector<DecisionId> decisions,
                                               const StillFails& still_fails,
                                               std::uint32_t most_runs);

}  // namespace roam::testing
