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
  const std::size_t most = search.keep > 0 ? std::max<std::size_t>(search.keep / 2, 1)
                                           : static_cast<std::size_t>(search.nodes_per_call);
  if (nodes.size() > search.keep) give_away(search, std::min(most, (nodes.size() + 1) / 2));
  if (nodes.empty()) return self.destroy();
  self.send<&Batch::expand>(search, self);
}

/// In even parts of at most `most` nodes; one of them stays if there is something to be kept.
void Batch::give_away(const Search& search, std::size_t most) {
  const std::size_t parts = (nodes.size() - 1) / most + 1;
  const auto begin_of = [&](std::size_t part) {
    return nodes.begin() + static_cast<std::ptrdiff_t>(part * nodes.size() / parts);
  };
  const std::size_t kept = search.keep > 0 ? 1 : 0;
  for (std::size_t part = kept; part < parts; ++part) {
    Batch batch{{begin_of(part), begin_of(part + 1)}, 0, 0};
    if (kept == 0) std::swap(batch.counted, counted), std::swap(batch.calls, calls);
    start(std::move(batch), search);
  }
  nodes.erase(begin_of(kept), nodes.end());
}

}  // namespace uts
