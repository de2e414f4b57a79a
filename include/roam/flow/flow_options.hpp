// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace roam {

/// The options about flow programs.
struct FlowOptions {
  /// --roam-flow-backend: what runs the tasks.
  std::string backend = "roam";
  /// --roam-flow-window: number of tasks per rank that are issued and not complete, from which on a
  /// thread that issues more runs some first. 1 to 10^9, default 4,096.
  std::uint32_t window = 4096;
  /// --roam-flow-record: number of tasks, the first of each rank, that are recorded with what they
  /// waited for, and written to the file of `trace`, which must be given. 0 to 10^7, default 0.
  std::uint32_t record = 0;
};

}  // namespace roam
