// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "roam/core/detail/call_edge.hpp"

namespace roam::mobile {

class CallGraph;

/// One of those who want to know who calls whom, each for its own purpose and at its own time. The
/// graph outlives it.
class CallReader {
 public:
  /// Of nothing.
  CallReader() = default;
  /// Before the first call.
  explicit CallReader(CallGraph& graph);
  [[nodiscard]] explicit operator bool() const { return graph_ != nullptr; }
  /// What has been counted since the last time. Any thread.
  [[nodiscard]] std::vector<CallEdge> take() const;

 private:
  CallGraph* graph_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace roam::mobile
