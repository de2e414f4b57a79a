// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "uq/settings.hpp"

namespace uq {

/// The results of a run.
struct Outcome {
  int ranks = 1;
  std::int64_t rounds = 0;  ///< that were done
  Statistics statistics;
  double seconds = 0;
};

/// Checks mean and variance against the closed form: they may differ by five standard errors, and
/// by h^2, where h is the length of an element. Throws std::runtime_error if they differ more, or
/// if samples are missing.
void check(const Settings& settings, const Outcome& outcome);

/// Prints the results as a table.
void report(const Settings& settings, const Outcome& outcome);

}  // namespace uq
