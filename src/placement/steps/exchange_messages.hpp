// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "flows.hpp"

namespace roam::placement {

/// What a leader tells the first leader before objects are exchanged. The bytes between its group
/// and others follow. Plain bytes.
struct GroupReport {
  GroupWork work;
  double largest;        ///< of its objects, seconds
  double fastest;        ///< of its ranks, seconds of work per second
  double fixed_seconds;  ///< of the rank whose work that stays takes longest
};

/// What the first leader tells another one; the flows from its group follow. Plain bytes.
struct ExchangePlan {
  double limit_seconds;  ///< of the time that a rank works
};

}  // namespace roam::placement
