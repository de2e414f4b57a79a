// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../rebalancing.hpp"
#include "roam/balance/detail/load_model.hpp"
#include "roam/balance/detail/model_stack.hpp"
#include "roam/balance/policy.hpp"
#include "roam/core/detail/rank_tree.hpp"
#include "roam/core/plugin_choice.hpp"
#include "roam/mobile/detail/object_space.hpp"
#include "roam/placement/detail/gathered_loads.hpp"
#include "roam/placement/strategy.hpp"

namespace roam::balance {

/// What of its rank the policy uses beyond what any policy may: it looks at all objects.
struct TimedRank {
  mobile::ObjectSpace& space;
  ModelStack& models;
  const LoadModel& pending;                            ///< the program's own; may be empty
  const std::atomic<bool>& is_enabled;                 ///< B5
  double speed = 1;                                    ///< of its workers
  const std::vector<NetworkLevel>* network = nullptr;  ///< see BalancerOptions
};

/// A policy made of a strategy (--roam-phase-length): every so many seconds rank 0 asks all ranks
/// for their loads, down and up a binary tree, has the strategy place the objects, and tells each
/// rank what to move. No quiescence is waited for; the program goes on.
///
/// The load of an object is what waits now, and what comes until the next time: as much as has come
/// since the last time (what it has run since then, and what now waits more), as the load models
/// see it. What merely ran would not do: ranks that are busy all have run for the same time,
/// however much waits. Objects that a handler runs on cannot move now: they count as work that
/// stays, as does what the rank does besides objects (B6).
///
/// Strategies that heed links are report of the calls since the last round, per interval as the
/// loads are, and of the objects that stay: others may come to them.
///
/// Rounds in which nothing is worth moving, or that follow a promise that was not kept, make the
/// next ones wait longer, up to longest_pause times the interval. When nothing ran anywhere, there
/// are no more rounds until a rank tells rank 0 that it runs something again.
class TimedStrategy final : public Policy {
 public:
  static constexpr int longest_pause = 8;  // intervals; chosen

  /// Puts a model of what comes below the others. Throws ConfigError for a choice that check_policy
  /// refuses.
  TimedStrategy(const PluginChoice& choice, double interval_seconds, PolicyHost& host,
                const TimedRank& rank);
  ~TimedStrategy() override;

  [[nodiscard]] Instant balance(Instant now) override;
  void receive(Rank source, std::span<const std::byte> message) override;

 private:
  class NewLoad;
  struct RankReport;
  struct Answer;
  struct Orders;

  void begin_round();
  void ask(std::uint32_t round);
  void collect(std::vector<RankReport>&& reports);
  [[nodiscard]] RankReport measure();
  void report_failure();
  [[nodiscard]] double other_work(double ran_seconds);

  // On rank 0.
  void conclude();
  [[nodiscard]] std::optional<Orders> decide(const std::vector<placement::RankLoads>& loads);
  void send_orders();
  void carry_out(const std::vector<placement::ObjectNote>& moves, const placement::MovesOfAll& all,
                 double imbalance);

  void send_wake();
  [[nodiscard]] core::RankTree tree() const;

  Rebalancing rebalancing_;
  const placement::StrategyKind& kind_;
  const double interval_;
  PolicyHost& host_;
  const TimedRank here_;
  NewLoad* new_load_;               // in here_.models
  const bool tells_of_what_stays_;  // who it talks to matters

  std::uint32_t round_ = 0;
  std::size_t answers_due_ = 0;      // of this round, of children
  std::vector<RankReport> reports_;  // of this round, so far
  Instant measured_at_{0};
  double ran_before_ = 0;      // by this rank's objects
  double worked_before_ = 0;   // by this rank
  bool was_active_ = true;     // when last asked
  bool has_reported_ = false;  // since then, that there is something to do again

  // On rank 0.
  Instant begun_{0};
  Instant next_round_;  // never: nothing runs anywhere
  Duration pause_;
  bool is_woken_ = false;           // since the round began
  std::unique_ptr<Orders> orders_;  // decided, in virtual time not yet due
};

}  // namespace roam::balance
