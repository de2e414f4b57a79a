// SPDX-License-Identifier: Apache-2.0
#include "balance/idle_evidence.hpp"

#include <algorithm>
#include <cmath>

namespace roam::balance {

namespace {
// The least time in seconds before a rank that was given nothing asks again. Chosen: far more than
// a message and its answer take.
constexpr double soonest = 0.001;
}  // namespace

bool GrowingEvidence::has_grown(const RankLoad& load) {
  const double evidence = of(load);
  if (evidence < enough_evidence) next_ = enough_evidence;  // earlier evidence has been forgotten
  if (evidence < next_) return false;
  next_ = 2 * evidence;
  return true;
}

// Of s seconds, i were idle; t is the solution of ((i + t) / (s + t))^2 (s + t) = next_.
double GrowingEvidence::seconds_left(const RankLoad& load) const {
  const double busy = (1 - load.idle_part) * load.observed_seconds;
  const double in_all = next_ / 2 + busy + std::sqrt(next_ * (next_ / 4 + busy));
  return std::max(soonest, in_all - load.observed_seconds);
}

}  // namespace roam::balance
