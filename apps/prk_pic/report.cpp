// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace prk_pic {

void require_right(const Problem& problem, const Found& found) {
  if (found.is_right(problem)) return;
  throw std::runtime_error("the solution is wrong: " + std::to_string(found.misplaced) +
                           " particles are misplaced, " + std::to_string(found.particles) + " of " +
                           std::to_string(problem.particles) + " are there, numbers add up to " +
                           std::to_string(found.ids));
}

void print(const Problem& problem, const Outcome& outcome) {
  std::printf("grid                 %" PRId64 " x %" PRId64 " cells, %" PRId64 " x %" PRId64
              " patches, %d ranks\n",
              problem.grid, problem.grid, problem.patches[0], problem.patches[1], outcome.ranks);
  std::printf(
      "particles            %" PRId64 ", %s, k %" PRId64 ", m %" PRId64 ", %" PRId64 " steps\n",
      problem.particles, problem.distribution_words().c_str(), problem.k, problem.m, problem.steps);
  std::printf("all in place         yes, sum of numbers %" PRId64 ", fingerprint %016" PRIx64 "\n",
              outcome.found.ids, outcome.found.bits);
  std::printf("time                 %.6f s\n", outcome.seconds);
  std::printf("rate                 %.3f million particles per second\n",
              1e-6 * static_cast<double>(problem.particles) * static_cast<double>(problem.steps) /
                  outcome.seconds);
}

}  // namespace prk_pic
