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
  /// --roam-flow-window-bytes: memory per rank that will be free again when the issued tasks are
  /// complete, from which on a thread that issues more runs some first: arguments of tasks, and
  /// versions of data that only tasks use. 1 to 2^60, default 1 GiB.
  std::uint64_t window_bytes = std::uint64_t{1} << 30;
  /// --roam-flow-copy-bytes: memory per rank for copies of data that Handle::copied_for_readers()
  /// asks for. 0 to 2^60, default 64 MiB.
  std::uint64_t copy_bytes = std::uint64_t{64} << 20;
  /// --roam-flow-record: number of tasks, the first of each rank, that are recorded with what they
  /// waited for, and written to the file of `trace`, which must be given. 0 to 10^7, default 0.
  std::uint32_t record = 0;
};

}  // namespace roam
