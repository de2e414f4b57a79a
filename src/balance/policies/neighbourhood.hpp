// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "roam/balance/policy.hpp"

namespace roam::balance {

/// What a rank knows about another one that it asks.
struct Neighbour {
  Rank rank;
  RankLoad load = {};
  bool answered = false;
  double settles_in = 0;      ///< seconds until its new work may be given
  bool is_exhausted = false;  ///< it had nothing, or refused
};

/// The ranks that a rank asks for work: random ones or the nearest in the ring of ranks. Those
/// without work are replaced, if possible by a rank that was reported to have some.
class Neighbourhood {
 public:
  /// Has at most `neighbours` ranks.
  Neighbourhood(std::int32_t neighbours, bool is_ring, PolicyHost& host);

  /// Fills the neighbourhood up, without ranks that had no work when last asked.
  void choose();
  [[nodiscard]] std::vector<Neighbour>& members() { return members_; }
  /// nullptr: no member.
  [[nodiscard]] Neighbour* find(Rank rank);
  /// Makes the rank a member, in place of the oldest if there are enough.
  void admit(Rank rank);

  /// Remembers whether a rank had work to spare.
  void remember(Rank rank, const RankLoad& load);
  void hear_of(Rank rank) { hint_ = rank; }
  /// The last rank other than `rank` that was reported to have work to spare; -1: none.
  [[nodiscard]] std::int32_t hint_for(Rank rank) const {
    return hint_ == rank ? -1 : hint_.value();
  }

 private:
  [[nodiscard]] Rank another();

  const std::size_t wanted_;
  const bool is_ring_;
  PolicyHost& host_;
  std::vector<Neighbour> members_;
  std::int32_t ring_step_ = 0;
  Rank hint_;
};

}  // namespace roam::balance
