// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <roam/roam.hpp>

#include "support/start.hpp"

namespace leanmd {

/// Where computations are at the beginning.
enum class Computations {
  local,       ///< on the rank of their cell
  round_robin  ///< dealt to the ranks in turn
};

/// How computations are to be placed: a collection whose indices are a cell's number and the number
/// of the computation among the cell's. With the start `shuffled` they are all in random order.
[[nodiscard]] roam::Placement placement_of(Computations computations, support::Start start);

}  // namespace leanmd
