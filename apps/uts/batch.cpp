// SPDX-License-Identifier: Apache-2.0
#include "batch.hpp"

#include <algorithm>
#include <utility>

namespace uts {

void Batch::expand() {
  roam::Runtime& rt = roam::here();
  auto& search = rt.local<Search>();
  const std::uint64_t taken = uts::expand(search.tree, nodes_, expanded_, search.nodes_per_call);
  expanded_ += taken;
  search.nodes.fetch_add(taken, std::memory_order_relaxed);
  search.calls.fetch_add(1, std::memory_order_relaxed);
  hand_over(search);
  // Comes last: a simulated handler sends what follows to its own rank by messages that take time.
  if (rt.is_simulated())
    rt.compute(roam::from_seconds(search.node_seconds * static_cast<double>(taken)));
}

void Batch::hand_over(const Search& search) {
  const auto self = roam::self<Batch>();
  const bool keeps = search.keep > 0;
  const std::uint64_t most =
      keeps ? std::max<std::uint64_t>(search.keep / 2, 1) : search.nodes_per_call;
  if (left() > search.keep) give_away(std::min(most, (left() + 1) / 2), keeps);
  if (left() == 0) return self.destroy();
  // Done rarely, so that each node is moved once at most.
  if (2 * expanded_ >= nodes_.size()) {
    nodes_.erase(nodes_.begin(), nodes_.begin() + static_cast<std::ptrdiff_t>(expanded_));
    expanded_ = 0;
  }
  self.send<&Batch::expand>();
}

/// Gives the nodes away in equal parts of at most `most` nodes; the first part stays if the batch
/// keeps some.
void Batch::give_away(std::size_t most, bool keeps) {
  const std::size_t count = left();
  const std::size_t parts = (count - 1) / most + 1;
  const auto begin_of = [&](std::size_t part) {
    return nodes_.begin() + static_cast<std::ptrdiff_t>(expanded_ + part * count / parts);
  };
  for (std::size_t part = keeps ? 1 : 0; part < parts; ++part) {
    const auto batch = roam::here().create<Batch>(std::vector(begin_of(part), begin_of(part + 1)));
    batch.send<&Batch::expand>();
  }
  nodes_.erase(begin_of(keeps ? 1 : 0), nodes_.end());
}

}  // namespace uts
