// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace roam::trace {

/// What a user may have recorded or shown.
struct RecordOptions {
  /// Show a live progress line. Default off.
  bool progress = false;
  /// File to write the event trace to; empty (default): no trace. Its folder was writable at start.
  std::string trace;
};

}  // namespace roam::trace
