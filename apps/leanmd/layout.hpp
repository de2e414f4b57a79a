// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "support/start.hpp"

namespace leanmd {

/// Where computations are placed initially.
enum class Computations {
  local,       ///< on the rank of their cell
  round_robin  ///< assigned to the ranks in turn
};

/// The placement of computations: a collection whose indices are a cell's number and the number of
/// the computation within the cell. With the start `shuffled` they are in random order.
[[nodiscard]] roam::Placement placement_of(Computations computations, support::Start start);

}  // namespace leanmd
