// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "roam/balance/transfer.hpp"

namespace roam::balance {

/// The side of a rank that is asked for work: remembers who asked in vain, and tells when to offer
/// them what has come since. Offers that lead to nothing become ever rarer, but for those of twice
/// as much work as ever before: what was too little to be given for may be enough.
class Offers {
 public:
  explicit Offers(PolicyHost& host) : host_(host) {}

  /// It asked and got nothing.
  void remember(Rank rank);
  [[nodiscard]] bool empty() const { return hungry_.empty(); }
  /// The one that asked last, and so is most likely to be still hungry. There must be one.
  [[nodiscard]] Rank take_latest();

  /// Somebody wants work, or has just got some: offers are welcome again.
  void hear_of_hunger();
  [[nodiscard]] bool are_wanted() const { return is_somebody_hungry_; }
  [[nodiscard]] Duration pause() const { return pause_; }

  struct Plan {
    std::vector<Rank> to;  ///< an offer to each of these, now
    Instant next = never;  ///< to be asked again
  };
  /// `settles_in`: seconds until new work may be given. Nothing is offered unless the last object
  /// in line gains more than `least_gain` seconds. `also_strangers`: with nobody remembered, to
  /// two ranks at random, which may know somebody.
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
  double offered_seconds_ = 0;  // the most that waited here at an offer since somebody got some
};

}  // namespace roam::balance
