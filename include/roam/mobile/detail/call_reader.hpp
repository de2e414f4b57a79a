// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "roam/core/detail/call_edge.hpp"

namespace roam::mobile {

class CallGraph;

/// A reader of the graph of which object calls which other. There may be several, each of which
/// takes the counts at times of its own. The graph outlives its readers.
class CallReader {
 public:
  /// A reader without a graph.
  CallReader() = default;
  /// Adds a reader to the graph. Before the first call.
  explicit CallReader(CallGraph& graph);
  [[nodiscard]] explicit operator bool() const { return graph_ != nullptr; }
  /// Whether calls are counted from now on, for all readers; at first they are. Any thread.
  void set_counting(bool on) const;
  /// The calls counted since this reader last took them. Any thread.
  [[nodiscard]] std::vector<CallEdge> take() const;

 private:
  CallGraph* graph_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace roam::mobile
