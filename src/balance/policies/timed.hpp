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

/// What this policy uses of its rank beyond what other policies may: it looks at all objects.
struct TimedRank {
  mobile::ObjectSpace& space;
  ModelStack& models;
  const LoadModel& pending;                            ///< given by the program; may be empty
  const std::atomic<bool>& is_enabled;                 ///< B5
  double speed = 1;                                    ///< of its workers
  const std::vector<NetworkLevel>* network = nullptr;  ///< see BalancerOptions
  topology::RankLocation location = {};                ///< likewise
};

/// A policy that runs a strategy at regular intervals (--roam-phase-length): rank 0 asks all ranks
/// for their loads, down and up a binary tree, lets the strategy place the objects, and tells each
/// rank what to move. There is no wait for quiescence; the program continues.
///
/// The load of an object is the work that waits for it now, plus the work expected until the next
/// round: as much as has come since the last one (what the object has run since then, plus the
/// growth of what waits), as the load models see it. The time that objects have run is no measure
/// of load here: ranks that are always busy have all run for the same time, however much work waits
/// on them. Objects on which a handler runs cannot move now: they count as work that stays, as does
/// what the rank does besides running objects (B6).
///
/// Strategies that take links into account get the calls since the last round, per interval like
/// the loads; links include the objects that stay, since others may come to them.
///
/// A round in which nothing is worth moving, or that follows a promise that was not kept, lengthens
/// the wait for the next one, up to longest_pause times the interval. When nothing ran anywhere,
/// rounds stop until a rank tells rank 0 that it runs something again.
class TimedStrategy final : public Policy {
 public:
  static constexpr int longest_pause = 8;  // intervals; chosen

  /// Puts a model of new work below the others. Throws ConfigError for a choice that check_policy
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

  // The following are called on rank 0.
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
  NewLoad* new_load_;               // owned by here_.models
  const bool tells_of_what_stays_;  // true if links to objects that stay matter

  std::uint32_t round_ = 0;
  std::size_t answers_due_ = 0;      // number of children whose answer in this round is missing
  std::vector<RankReport> reports_;  // received so far in this round
  Instant measured_at_{0};
  double ran_before_ = 0;      // total run time of this rank's objects at the last round
  double worked_before_ = 0;   // total working time of this rank at the last round
  bool was_active_ = true;     // when last asked
  bool has_reported_ = false;  // since then, this rank has reported that it runs something again

  // The following are used on rank 0.
  Instant begun_{0};
  Instant next_round_;  // never: nothing runs anywhere
  Duration pause_;
  bool is_woken_ = false;           // since the round began
  std::unique_ptr<Orders> orders_;  // decided moves that are not due yet in virtual time
};

}  // namespace roam::balance
