// SPDX-License-Identifier: Apache-2.0
#include "mobile/call_graph.hpp"

#include <utility>

#include "roam/mobile/detail/added_calls.hpp"
#include "roam/mobile/detail/call_reader.hpp"

namespace roam::mobile {

void CallGraph::add(std::uint32_t slot, const CallEdge& calls) {
  Part& part = parts_[slot];
  const std::lock_guard guard(part.lock);
  Sum& sum = part.sums[{calls.from, calls.to}];
  sum.calls += calls.calls;
  sum.bytes += calls.bytes;
}

std::size_t CallGraph::add_reader() {
  const std::lock_guard guard(readers_lock_);
  untaken_.emplace_back();
  return untaken_.size() - 1;
}

/// Called under the readers' lock.
void CallGraph::collect() {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    std::unordered_map<Pair, Sum, Hash> sums;
    {
      const std::lock_guard guard(parts_[slot].lock);
      sums.swap(parts_[slot].sums);
    }
    for (const auto& [pair, sum] : sums) {
      for (Sums& all : untaken_) {
        Sum& whole = all[{pair.from, pair.to}];
        whole.calls += sum.calls;
        whole.bytes += sum.bytes;
      }
    }
  }
}

std::vector<CallEdge> CallGraph::take(std::size_t reader) {
  Sums all;
  {
    const std::lock_guard guard(readers_lock_);
    collect();
    all.swap(untaken_[reader]);
  }
  std::vector<CallEdge> edges;
  edges.reserve(all.size());
  for (const auto& [pair, sum] : all) {
    edges.push_back({pair.first, pair.second, sum.calls, sum.bytes});
  }
  return edges;
}

bool counts_calls(exec::Engine& engine) {
  const CallGraph* const graph = engine.services().get<CallGraph>();
  return graph != nullptr && graph->is_counting();
}

void add_calls(exec::Engine& engine, const CallEdge& calls) {
  if (counts_calls(engine)) engine.services().get<CallGraph>()->add(engine.this_slot(), calls);
}

CallReader::CallReader(CallGraph& graph) : graph_(&graph), number_(graph.add_reader()) {}

void CallReader::set_counting(bool on) const {
  if (graph_ != nullptr) graph_->set_counting(on);
}

std::vector<CallEdge> CallReader::take() const {
  return graph_ == nullptr ? std::vector<CallEdge>() : graph_->take(number_);
}

}  // namespace roam::mobile
