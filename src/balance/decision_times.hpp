// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rebalancing.hpp"
#include "roam/balance/phase_report.hpp"

namespace roam::balance {

/// At the ends of which phases a strategy is asked: if asking may gain more than it takes, if there
/// is something new, and if what it promised has been kept. Computes the same on every rank from
/// what all ranks know. Used by one thread at a time.
class DecisionTimes {
 public:
  /// A phase that has just ended.
  struct Phase {
    std::uint32_t number = 0;
    double most_gain_seconds = 0;     ///< of the best placement, in one phase
    std::uint32_t gain_phases = 1;    ///< to come, in which that may be gained at most
    double gain_by_work_seconds = 0;  ///< time of the slowest rank less the mean
    double mean_seconds = 0;          ///< of work, over the ranks
    double least_move_seconds = 0;    ///< to move an object without data
    double asking_seconds = 0;        ///< predicted
    bool counts_work = true;          ///< the strategy gains by work, not by communication
    /// What may be gained is not known to depend on the placement: ask only after so many times as
    /// long as that takes has been missed.
    double caution = 1;
  };
  /// Whether to ask at its end. To be called once for every phase that has a strategy.
  [[nodiscard]] bool is_time(const Phase& phase);
  /// Whether the strategy may be asked at the end of a phase even if nothing has changed.
  [[nodiscard]] bool may_ask_in(std::uint32_t phase) const { return phase >= next_try_; }
  /// Adds what a phase could have gained at which there was no question of asking.
  void missed(double seconds) { missed_seconds_ += seconds; }
  /// Whether asking with caution may be due at the end of the phase after the one that was looked
  /// at last, if it is like that one; before the first, it may.
  [[nodiscard]] bool may_be_due() const {
    return missed_seconds_ + last_gain_seconds_ > cautious_seconds_;
  }
  /// How long the last decision took; 0: there was none.
  [[nodiscard]] double asked_seconds() const { return asked_seconds_; }

  /// What came of asking. `counts_work` as in Phase.
  void note(const PhaseReport& report, bool counts_work);
  /// What came of the promise of the last decision, judged by the imbalance of the phase after it,
  /// which `phase` describes. It is broken as well if the phase has not become shorter, for its
  /// work: then messages take what less work has saved.
  void settle(Promise::Fate fate, const PhaseReport& phase);

 private:
  void note_put_off(const PhaseReport& report);

  double reached_imbalance_ = 0;   // by the last decision
  double possible_imbalance_ = 0;  // the least that a placement is known for
  double missed_seconds_ = 0;      // gain that was possible since the last decision
  double doubted_seconds_ = 0;     // that part of the imbalance since then that may be avoidable
  double last_gain_seconds_ = 0;   // that was possible in the last phase
  double cautious_seconds_ = -1;   // that have to be missed before asking with caution
  double asked_seconds_ = 0;       // time that the last decision took; 0: there was none
  double before_seconds_ = 0;      // length of the phase before objects were moved
  double before_mean_ = 0;         // and its work, the mean of the ranks
  double promised_seconds_ = 0;    // by which the next phase was to be shorter
  bool has_put_off_ = false;     // moves, because in one phase they would cost more than they gain
  bool judges_put_off_ = false;  // ask soon again whether these would still gain
  std::uint32_t failures_ = 0;   // of moves put off, in a row
  std::uint32_t pause_ = 0;      // phases between two decisions that find nothing new
  std::uint32_t next_try_ = 0;   // first phase in which to ask again
  std::uint32_t distrust_ = 0;   // phases without a decision after a broken promise
  std::uint32_t trusts_from_ = 0;  // first phase in which decisions are allowed again
};

}  // namespace roam::balance
