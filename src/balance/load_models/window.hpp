// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "roam/balance/phase_model.hpp"

namespace roam::balance {

/// Appends a number to those of an object and removes all but the last `phases`.
inline void keep_last(PhaseModel::Past& past, double seconds, std::size_t phases) {
  if (past.size() >= phases) {
    past.erase(past.begin(), past.end() - static_cast<std::ptrdiff_t>(phases - 1));
  }
  past.push_back(seconds);
}

}  // namespace roam::balance
