// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/flow/flow.hpp"

namespace roam::flow::random_program {

struct Shape {
  std::uint64_t seed = 1;
  std::uint32_t data = 6;
  std::uint32_t tasks = 60;
  std::uint32_t depth = 2;         ///< nesting depth of tasks
  double failures = 0;             ///< share of the tasks that throw
  std::uint32_t microseconds = 0;  ///< at most, that a task takes
  /// Share of the operations on collections that are followed by the end of a phase.
  double phases = 0;
  double graphs = 0;  ///< share of the program's parts that are graphs, issued repeatedly
  /// Probability that an element is asked to move before an operation; by a policy.
  double moves = 0;
  bool is_cancelled = false;  ///< cancels at some operations; results then depend on the schedule
};

/// Issues tasks of all kinds, determined by the seed, and returns the value of each datum, or the
/// text of its failure. The result is the same whatever runs the tasks.
[[nodiscard]] Task<std::vector<std::string>> run(Flow& fl, Shape shape);

/// Like run(), with collections over all ranks; called by the main programs of all ranks.
[[nodiscard]] Task<std::vector<std::string>> run_collections(Flow& fl, Shape shape);

/// Like run(), with values that are published and fetched: returns the result on rank `own` of
/// `ranks`, or, in a serial program, what it would be.
[[nodiscard]] Task<std::vector<std::string>> run_keys(Flow& fl, Shape shape, std::int32_t own,
                                                      std::int32_t ranks);

}  // namespace roam::flow::random_program
