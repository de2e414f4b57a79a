// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "patch.hpp"
#include "problem.hpp"

namespace prk_pic {

/// What a run has found, besides the particles.
struct Outcome {
  Found found;
  double seconds = 0;  ///< of the timed steps
  int ranks = 0;
};

/// Throws std::runtime_error if a particle is wrong; says which check has found it.
void require_right(const Problem& problem, const Found& found);

/// Prints problem, time and rate, in lines of a name, two spaces or more and a value.
void print(const Problem& problem, const Outcome& outcome);

}  // namespace prk_pic
