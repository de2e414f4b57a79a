// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "roam/balance/detail/model_stack.hpp"
#include "roam/balance/load.hpp"
#include "roam/balance/policy.hpp"
#include "roam/balance/registry.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/detail/rank_places.hpp"
#include "roam/placement/strategy.hpp"
#include "roam/topology/detail/place.hpp"

namespace roam::balance {

/// What a strategy in a running job needs of its rank.
struct RebalancedRank {
  mobile::ObjectSpace& space;
  ModelStack& models;
  PolicyHost& host;                                    ///< moves objects, and predicts the cost
  double speed = 1;                                    ///< of its workers
  const std::vector<NetworkLevel>* network = nullptr;  ///< see BalancerOptions
  topology::RankLocation location = {};                ///< where it is, of a rank in real time
};

/// Remembers the promise of the last decision and finds out whether it was kept.
class Promise {
 public:
  enum class Fate : std::uint8_t { none, kept, broken };
  /// Records that a decision moves objects, after which the imbalance should be `promised`.
  void give(double imbalance, double promised) {
    imbalance_ = imbalance;
    promised_ = promised;
  }
  /// Compares the imbalance now with the promise; `none` if nothing was promised since the last
  /// call.
  [[nodiscard]] Fate settle(double imbalance);

 private:
  double imbalance_ = 0;
  double promised_ = 0;  // equal to the imbalance before: nothing moved
};

/// What a strategy has decided for all ranks.
struct Decided {
  placement::Prospect prospect;
  std::vector<std::vector<placement::ObjectNote>>
      moves;  ///< by rank, also if they are not worth it
  placement::MovesOfAll all;
};

/// For how many phases to come a gain of so many seconds in each is expected; nullptr: for one.
using LastingGain = std::function<std::uint32_t(double gain_seconds)>;

/// Runs strategies on one rank of a job: what the rank measures for them, what they decide and
/// whether that is worth it (B3), whether they are still trusted, and how decisions are carried
/// out. When this happens, and how an object's load is determined, is up to the user of this class:
/// the end of a phase (Phases) or a clock (TimedStrategy). Used by one thread at a time.
class Rebalancing {
 public:
  struct Choice {
    const placement::StrategyKind* kind;
    plugin::Parameters parameters;
    std::unique_ptr<placement::Strategy> strategy;
    std::uint64_t most_objects;
    double least_waits;   ///< see PhaseStrategy
    bool is_distributed;  ///< in a job of this size
  };

  /// `choices`: the first whose limit suffices for the job's objects is used; may be empty. Throws
  /// ConfigError for a strategy that check_policy refuses.
  Rebalancing(const RebalancedRank& rank, const std::vector<PhaseStrategy>& choices);

  [[nodiscard]] bool has_strategy() const { return !choices_.empty(); }
  /// True if ranks decide one of the choices together, as a whole or its parts.
  [[nodiscard]] bool may_distribute() const;
  [[nodiscard]] bool uses_links() const { return uses_links_; }
  [[nodiscard]] bool uses_coordinates() const { return uses_coordinates_; }
  /// Selects the strategy for a phase with that many objects, in that part of which all ranks have
  /// waited; nullptr: there is none. Strategies that need calls are left out if none were counted.
  const Choice* choose(std::uint64_t objects, double waits);
  /// Whether calls have to be counted in a phase that follows one in which ranks have waited for
  /// that part of the time.
  [[nodiscard]] bool needs_calls_after(double waits) const;
  [[nodiscard]] const Choice* chosen() const { return chosen_; }
  /// Whether one that would have been chosen was left out because no calls were counted.
  [[nodiscard]] bool lacks_calls() const { return lacks_calls_; }

  // --- measure ---
  /// Prepares to count who calls whom, and starts. Must be called before the first call.
  void record_calls() {
    if (!calls_) calls_ = rank_.space.record_calls();
  }
  /// Whether to count from now on. Between two phases.
  void count_calls(bool on) {
    calls_.set_counting(on);
    counts_calls_ = on;
  }
  /// What this rank reports, without its objects: capacity and the calls since the last time. Must
  /// be called by a worker of the rank.
  [[nodiscard]] placement::RankLoads measured();
  /// The calls between objects since the last time; part of measured().
  [[nodiscard]] std::vector<CallEdge> take_calls() { return calls_.take(); }
  /// Adds an object with its load.
  void add(placement::RankLoads& loads, const mobile::ResidentView& object, double seconds) const;
  /// Time that the rank's workers have worked since the start, in handlers and in the runtime (B6).
  /// Work of others that has been done here does not count, but own work that others have done
  /// does.
  [[nodiscard]] Duration time_at_work() const;

  // --- where ranks are ---
  /// Whether this rank has yet to tell the one that decides where it is; the same on all ranks that
  /// have told equally often.
  [[nodiscard]] bool has_place_to_tell() const {
    return uses_links_ && rank_.network == nullptr && !has_told_place_;
  }
  /// The place of this rank, to be told once. By a worker of the rank: the workers may be bound.
  /// Blocks for a moment (topology::LocalPlaces).
  [[nodiscard]] topology::Place tell_place();
  /// On the rank that decides: what a rank has told.
  void take_place(std::size_t rank, const topology::Place& place);
  /// Whether this rank has yet to hear where all ranks are, which it must if they decide together;
  /// the same on all ranks.
  [[nodiscard]] bool has_places_to_hear() const {
    return uses_links_ && rank_.network == nullptr && !has_heard_places_;
  }
  /// What all ranks have told, by rank.
  void hear_places(const std::vector<topology::Place>& places);
  /// How near ranks are to each other, as far as this rank has heard.
  [[nodiscard]] const placement::RankPlaces& places() { return places_.ordered(); }

  // --- decide ---
  /// The loads of all ranks, as the chosen strategy sees them.
  [[nodiscard]] placement::GatheredLoads gathered(const std::vector<placement::RankLoads>& loads);
  /// What a placement is worth, and its moves. `max_seconds`: time of the slowest rank if nothing
  /// moves; `counts_communication`: less communication counts as a gain.
  [[nodiscard]] Decided decided(const placement::Placement& placement,
                                const std::vector<placement::RankLoads>& loads,
                                const placement::GatheredLoads& gathered, double max_seconds,
                                bool counts_communication,
                                const LastingGain& lasting = nullptr) const;
  /// Asks the chosen strategy; otherwise as decided().
  [[nodiscard]] Decided decide(const std::vector<placement::RankLoads>& loads,
                               const placement::GatheredLoads& gathered, double max_seconds,
                               bool counts_communication,
                               const LastingGain& lasting = nullptr) const;
  /// The time that asking costs in virtual time, if computing is charged there; else 0.
  [[nodiscard]] Duration deciding_time(const placement::LoadGraph& graph) const;

  // --- trust ---
  [[nodiscard]] Promise& promise() { return promise_; }

  // --- carry out ---
  /// Starts the moves of objects that are here. `when` is for the log: "phase 3". Returns how many
  /// moves could not be started, because the object has left or a handler runs on it.
  std::uint64_t carry_out(const std::vector<placement::ObjectNote>& moves,
                          const placement::MovesOfAll& all, double imbalance,
                          std::string_view when);

 private:
  const RebalancedRank rank_;
  std::vector<Choice> choices_;
  placement::ToldPlaces places_;  // of all ranks, on the one that decides
  bool has_told_place_ = false;
  bool has_heard_places_ = false;
  bool counts_calls_ = true;       // if they are recorded
  bool uses_links_ = false;        // true if one of the choices does
  bool uses_coordinates_ = false;  // true if one of the choices does
  const Choice* chosen_ = nullptr;
  bool lacks_calls_ = false;
  mobile::CallReader calls_;  // reads nothing unless call counts are wanted
  Promise promise_;           // of the last decision
};

/// The coordinates of an object. Throws roam::Error that names its class if that has no
/// coordinates().
[[nodiscard]] std::array<double, 3> coordinates_of(const mobile::ResidentView& object);

/// The decision to move one object of a strategy's placement, with a share of gain and cost in
/// proportion to its work; the caller adds the reason.
[[nodiscard]] Decision decision_of(const placement::ObjectNote& note,
                                   const placement::MovesOfAll& all);

}  // namespace roam::balance
