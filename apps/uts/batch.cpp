// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <utility>

namespace uts {

namespace {

void start(Batch&& batch, const Search& search) {
  const auto created = roam::here().create<Batch>(std::move(batch));
  created.send<&Batch::expand>(search, created);
}

}  // namespace

void Batch::expand(const Search& search, roam::mobile_ptr<Batch> self) {
  const std::uint64_t taken = uts::expand(search.tree, stack, search.nodes_per_call);
  nodes += taken;
  ++calls;
  hand_over(search, self);
  // Last: to its own rank a simulated handler sends, after this, by messages that take time.
  roam::Runtime& rt = roam::here();
  if (rt.is_simulated())
    rt.compute(roam::from_seconds(search.node_seconds * static_cast<double>(taken)));
}

void Batch::hand_over(const Search& search, const roam::mobile_ptr<Batch>& self) {
  if (stack.empty()) {
    const std::int32_t here = roam::here().rank().value();
    search.tallies[{here}].send_with<&Tally::add>({.cost_seconds = 0}, nodes, calls);
    return self.destroy();
  }
  if (stack.size() <= search.keep) return self.send<&Batch::expand>(search, self);
  // The nodes at the beginning are the least deep ones, which most lies below.
  const auto half = stack.begin() + static_cast<std::ptrdiff_t>(stack.size() / 2);
  Batch upper{{stack.begin(), half}, 0, 0};
  stack.erase(stack.begin(), half);
  if (!upper.stack.empty()) start(std::move(upper), search);
  start({std::move(stack), nodes, calls}, search);
  self.destroy();
}

}  // namespace uts
