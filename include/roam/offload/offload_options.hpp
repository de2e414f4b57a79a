// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "roam/core/plugin_choice.hpp"

namespace roam {

/// The options about offloading.
struct OffloadOptions {
  /// --roam-offload: the strategy that decides who computes how many tasks of whom.
  PluginChoice strategy = {"auto", {}};
  /// --roam-offload-keep: tasks per worker that always stay (C of algorithm 2 in the paper). 1 to
  /// 1,000, default 1.
  std::uint32_t keep_per_worker = 1;
  /// --roam-offload-recompute: a rank that has nothing else to do computes its own late tasks
  /// itself (urgent local compute, definition 7).
  bool recompute = true;
  /// --roam-offload-guest-memory: bytes of other ranks' tasks that may wait on a rank to be begun,
  /// and of their results; further tasks are sent back. 64 KiB to 1 TiB, default 64 MiB.
  std::uint64_t guest_memory_bytes = std::uint64_t{64} << 20;
  /// --roam-offload-check-buffers: tasks of the C interface fail if the program has changed or
  /// freed one of their buffers before they were complete, and steps if it is one that was lent.
  bool check_buffers = false;
};

}  // namespace roam
