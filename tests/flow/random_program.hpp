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
  std::uint32_t depth = 2;         ///< of tasks that issue tasks
  double failures = 0;             ///< share of the tasks that throw
  std::uint32_t microseconds = 0;  ///< at most, that a task takes
  double phases = 0;               ///< share of the operations on collections after which one ends
  bool is_cancelled = false;       ///< at some of the operations; what comes of it depends
};

/// Issues tasks of all kinds, chosen by the seed alone, and gives what became of each datum: its
/// value, or the words of the failure. The same bits and words whatever runs the tasks.
[[nodiscard]] Task<std::vector<std::string>> run(Flow& fl, Shape shape);

/// The same with collections over all ranks, by the main programs of all of them.
[[nodiscard]] Task<std::vector<std::string>> run_collections(Flow& fl, Shape shape);

/// The same with values that are published and fetched: what rank `own` of `ranks` makes of it, or,
/// in a serial program, what it would.
[[nodiscard]] Task<std::vector<std::string>> run_keys(Flow& fl, Shape shape, std::int32_t own,
                                                      std::int32_t ranks);

}  // namespace roam::flow::random_program
