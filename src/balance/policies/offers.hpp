// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/balance/transfer.hpp"

namespace roam::balance {

/// The side of a rank that is asked for work: remembers who asked in vain, and decides when to
/// offer them work that has come since. Offers that lead to nothing become less and less frequent,
/// except when there is twice as much work as ever offered: what did not justify a move before may
/// do so now.
class Offers {
 public:
  explicit Offers(PolicyHost& host) : host_(host) {}

  /// Reports that the rank asked and got nothing.
  void remember(Rank rank);
  [[nodiscard]] bool empty() const { return hungry_.empty(); }
  /// Removes and returns the rank that asked last, which most likely still needs work. There must
  /// be one.
  [[nodiscard]] Rank take_latest();

  /// Reports that somebody wants work, or has just got some: offers are useful again.
  void hear_of_hunger();
  [[nodiscard]] bool are_wanted() const { return is_somebody_hungry_; }
  [[nodiscard]] Duration pause() const { return pause_; }

  struct Plan {
    std::vector<Rank> to;  ///< an offer to each of these, now
    Instant next = never;  ///< when to ask for a plan again
  };
  /// `settles_in`: seconds until new work may be given. Nothing is offered unless the last object
  /// in line gains more than `least_gain` seconds. `also_strangers`: if no rank is remembered,
  /// offers go to two random ranks, which may know one.
  [[nodiscard]] Plan plan(const RankLoad& load, double settles_in, double least_gain,
                          bool also_strangers);

 private:
  [[nodiscard]] Duration shortest_pause() const {
    return from_seconds(2 * host_.round_trip_seconds());
  }

  PolicyHost& host_;
  std::vector<Rank> hungry_;  // in the order in which they asked
  bool is_somebody_hungry_ = false;
  Instant next_{0};
  Duration pause_{0};
  // The most work that waited at an offer since somebody last got some.
  double offered_seconds_ = 0;
};

}  // namespace roam::balance
