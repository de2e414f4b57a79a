// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "testing/decisions.hpp"

namespace roam::testing {

/// Runs with these decisions alone. Empty: it does not fail (in the same way); else those it made.
using StillFails =
    std::function<std::vector<DecisionId>(const std::vector<DecisionId>&, bool& fails)>;

/// Delta debugging (ddmin: Zeller and Hildebrandt, Simplifying and Isolating Failure-Inducing
/// Input, IEEE TSE 28(2), 2002, section 3): few decisions with which it still fails, such that none
/// of them can be left out, unless `most_runs` come first.
[[nodiscard]] std::vector<DecisionId> minimise(std::vector<DecisionId> decisions,
                                               const StillFails& still_fails,
                                               std::uint32_t most_runs);

}  // namespace roam::testing
