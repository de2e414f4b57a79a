// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "roam/balance/detail/model_stack.hpp"
#include "roam/balance/load.hpp"
#include "roam/balance/policy.hpp"
#include "roam/balance/registry.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::balance {

/// What a strategy that acts in a running job needs of its rank.
struct RebalancedRank {
  mobile::ObjectSpace& space;
  ModelStack& models;
  PolicyHost& host;                                    ///< moves objects, and knows what that costs
  double speed = 1;                                    ///< of its workers
  const std::vector<NetworkLevel>* network = nullptr;  ///< see BalancerOptions
};

/// Whether the last decision has brought what it promised.
class Promise {
 public:
  enum class Fate : std::uint8_t { none, kept, broken };
  /// A decision moves objects: the imbalance is to fall so far.
  void give(double imbalance, double promised) {
    imbalance_ = imbalance;
    promised_ = promised;
  }
  /// What has come of it, by the imbalance now; none: nothing was promised since the last time.
  [[nodiscard]] Fate settle(double imbalance);

 private:
  double imbalance_ = 0;
  double promised_ = 0;  // equal: nothing moved
};

/// What a strategy has decided for all ranks.
struct Decided {
  placement::Prospect prospect;
  std::vector<std::vector<placement::ObjectNote>> moves;  ///< by rank; empty: not worth it
  placement::MovesOfAll all;
};

/// How strategies act on one rank of a running job: what a rank measures for them, what they decide
/// and whether that is worth it (B3), whether they are trusted, and how it is carried out. When,
/// and from what an object's load is taken, is up to the trigger: the end of a phase (Phases), or a
/// clock (TimedStrategy). Used by one thread at a time.
class Rebalancing {
 public:
  struct Choice {
    const placement::StrategyKind* kind;
    plugin::Parameters parameters;
    std::unique_ptr<placement::Strategy> strategy;
    std::uint64_t most_objects;
  };

  /// `choices`: the first that is for jobs of that many objects is asked; may be empty. Throws
  /// ConfigError for a strategy that check_policy refuses.
  Rebalancing(const RebalancedRank& rank, const std::vector<PhaseStrategy>& choices);

  [[nodiscard]] bool has_strategy() const { return !choices_.empty(); }
  [[nodiscard]] bool may_distribute() const;  ///< one of them decides on all ranks
  [[nodiscard]] bool uses_links() const { return uses_links_; }
  [[nodiscard]] bool uses_coordinates() const { return uses_coordinates_; }
  /// The strategy for so many objects, asked from now on; nullptr: none is.
  const Choice* choose(std::uint64_t objects);
  [[nodiscard]] const Choice* chosen() const { return chosen_; }

  // --- measure ---
  /// Has it counted who calls whom. Before the first call.
  void count_calls() {
    if (!calls_) calls_ = rank_.space.record_calls();
  }
  /// What this rank tells, but for its objects: capacity, the calls since the last time and, where
  /// it matters, its place. By a worker of the rank.
  [[nodiscard]] placement::RankLoads measured();
  /// Who has called whom since the last time: a part of measured().
  [[nodiscard]] std::vector<CallEdge> take_calls() { return calls_.take(); }
  /// Puts an object with its load there.
  void add(placement::RankLoads& loads, const mobile::ResidentView& object, double seconds) const;
  /// What the rank's workers have worked since the start, in handlers and in the runtime (B6).
  [[nodiscard]] Duration time_at_work() const;

  // --- decide ---
  /// The loads of all ranks, as the chosen strategy sees them.
  [[nodiscard]] placement::GatheredLoads gathered(
      const std::vector<placement::RankLoads>& loads) const {
    return gather(loads, chosen_->kind->uses_links, rank_.network);
  }
  /// Asks the chosen strategy. `max_seconds`: of the slowest rank, if nothing moves; `counts_talk`:
  /// less talk is a gain.
  [[nodiscard]] Decided decide(const std::vector<placement::RankLoads>& loads,
                               const placement::GatheredLoads& gathered, double max_seconds,
                               bool counts_talk) const;
  /// What asking takes in virtual time, where computing takes what it is said to take; else 0.
  [[nodiscard]] Duration deciding_time(const placement::LoadGraph& graph) const;

  // --- trust ---
  [[nodiscard]] Promise& promise() { return promise_; }

  // --- carry out ---
  /// Starts to move what is to move from here. `when` for the log: "phase 3". Returns how many have
  /// not been started: they have gone, or a handler runs on them.
  std::uint64_t carry_out(const std::vector<placement::ObjectNote>& moves,
                          const placement::MovesOfAll& all, double imbalance,
                          std::string_view when);

 private:
  [[nodiscard]] const topology::Place& place();

  const RebalancedRank rank_;
  std::vector<Choice> choices_;
  std::optional<topology::Place> place_;  // once it has been asked for
  bool uses_links_ = false;               // one of them does
  bool uses_coordinates_ = false;         // likewise
  const Choice* chosen_ = nullptr;
  mobile::CallReader calls_;  // of nothing, if nobody asks who calls whom
  Promise promise_;           // of the last decision
};

/// Where an object is in the problem. Throws roam::Error that names its class if that has no
/// coordinates().
[[nodiscard]] std::array<double, 3> coordinates_of(const mobile::ResidentView& object);

/// To move what a strategy has placed, with its share of gain and cost by its work; the reason is
/// whoever's who carries it out.
[[nodiscard]] Decision decision_of(const placement::ObjectNote& note,
                                   const placement::MovesOfAll& all);

}  // namespace roam::balance
