// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "roam/offload/step_view.hpp"

namespace roam::offload {

/// The graph of which ranks waited for which in a step (section 4 of the paper). Two ranks that
/// waited for each other count as one that waited for the other, by the difference: a rank whose
/// calls wait a little for others may still be the one that all wait for.
class WaitGraph {
 public:
  explicit WaitGraph(const StepView& step);

  /// Definition 3: the rank that waits for nobody while somebody waits for it; if there are
  /// several, the one that is waited for longest.
  [[nodiscard]] std::optional<std::int32_t> critical_rank() const;
  /// All such ranks, the one that is waited for longest first; among equals, in their order.
  [[nodiscard]] std::vector<std::int32_t> critical_ranks() const;
  /// Definition 4: nobody waits for it, and none of those that `may_be_asked` waits longer.
  struct Victim {
    std::int32_t rank = -1;
    double wait_seconds = 0;
  };
  template <class MayBeAsked>
  [[nodiscard]] std::optional<Victim> optimal_victim(MayBeAsked may_be_asked) const {
    std::optional<Victim> best;
    for (std::size_t rank = 0; rank < longest_.size(); ++rank) {
      const auto number = static_cast<std::int32_t>(rank);
      if (waited_for_[rank] > 0 || longest_[rank] <= 0 || !may_be_asked(number)) continue;
      if (!best || longest_[rank] > best->wait_seconds) best = Victim{number, longest_[rank]};
    }
    return best;
  }

 private:
  std::vector<double> longest_;     // by rank: its longest wait
  std::vector<double> waited_for_;  // by rank: the time that others waited for it
};

}  // namespace roam::offload
