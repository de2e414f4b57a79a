// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "roam/balance/load_graph.hpp"

namespace roam::balance {

/// The strategy of that name: like refine(), but overloaded ranks first give what talks least to
/// their own objects, to where it talks to most. Never slower than the placement it starts from.
[[nodiscard]] Placement refine_comm(const LoadGraph& graph, const Machine& machine,
                                    double imbalance);

}  // namespace roam::balance
