// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <algorithm>
#include <utility>

namespace uts {

namespace {

void start(Batch&& batch, const Search& search) {
  const auto created = roam::here().create<Batch>(std::move(batch));
  created.send<&Batch::expand>(search, created);
}

}  // namespace

void Batch::expand(const Search& search, roam::mobile_ptr<Batch> self) {
  const std::uint64_t taken = uts::expand(search.tree, nodes, search.nodes_per_call);
  counted += taken;
  ++calls;
  hand_over(search, self);
  // Last: to its own rank a simulated handler sends, after this, by messages that take time.
  roam::Runtime& rt = roam::here();
  if (rt.is_simulated())
    rt.compute(roam::from_seconds(search.node_seconds * static_cast<double>(taken)));
}

void Batch::hand_over(const Search& search, const roam::mobile_ptr<Batch>& self) {
  if (nodes.empty()) {
    const std::int32_t here = roam::here().rank().value();
    search.tallies[{here}].send_with<&Tally::add>({.cost_seconds = 0}, counted, calls);
    return self.destroy();
  }
  if (nodes.size() <= search.keep) return self.send<&Batch::expand>(search, self);
  const std::size_t most = search.nodes_per_call;
  const std::size_t parts =
      std::max((nodes.size() - 1) / most + 1, std::min<std::size_t>(2, nodes.size()));
  for (std::size_t i = 0; i < parts; ++i) {
    const auto end_of = [&](std::size_t part) {
      return nodes.begin() + static_cast<std::ptrdiff_t>(part * nodes.size() / parts);
    };
    start({{end_of(i), end_of(i + 1)}, std::exchange(counted, 0), std::exchange(calls, 0)}, search);
  }
  self.destroy();
}

}  // namespace uts
