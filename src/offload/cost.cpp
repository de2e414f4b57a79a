// SPDX-License-Identifier: Apache-2.0
#include "roam/offload/cost.hpp"

#include <cmath>
#include <string>

#include "roam/core/error.hpp"

namespace roam::offload {

Cost::Cost(double value) : value_(value) {
  if (std::isfinite(value) && value > 0) return;
  throw Error("a task with a cost of " + std::to_string(value) +
              "; allowed are finite numbers above 0");
}

}  // namespace roam::offload
