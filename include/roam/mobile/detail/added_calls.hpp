// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/core/detail/call_edge.hpp"
#include "roam/exec/engine.hpp"

namespace roam::mobile {

/// Whether it is counted on the engine's rank at present which objects call which others, because a
/// strategy or recorded loads need it. This may change at the end of a phase. Any thread.
[[nodiscard]] bool counts_calls(exec::Engine& engine);

/// Counts calls of an object of the engine's rank to another one as if they had been made: for what
/// the two exchange by other means than calls. No effect while calls are not counted. Any thread.
void add_calls(exec::Engine& engine, const CallEdge& calls);

}  // namespace roam::mobile
