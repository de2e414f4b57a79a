// SPDX-License-Identifier: Apache-2.0
#include "decision_times.hpp"

#include <algorithm>

#include "put_off_moves.hpp"

namespace roam::balance {

namespace {

// The most phases between two decisions that find nothing. Chosen: slow changes are noticed then.
constexpr std::uint32_t longest_phase_pause = 64;
// The imbalance counts as grown if it exceeds that reached by the last decision by this factor.
// Chosen: less is noise.
constexpr double grown_imbalance = 1.1;
// If the imbalance is less than this part of that reached by the last decision, loads are others,
// and what was found for those before is no bound: a phase in which the first rank creates objects
// has an imbalance that no placement reduces. Chosen: what a decision predicts is seldom off by
// half.
constexpr double least_part_of_reached = 0.5;
// The part of what could be gained at most that counts as missed, although the last decision has
// found no better placement: loads may have changed without a sign. Chosen: asking in vain then
// costs an eighth of that, and is done at growing intervals.
constexpr double doubted_part = 1.0 / 8;
// Whether moves that were put off would still gain is found out after so many times as long as that
// takes was missed for want of them. Chosen: it costs an eighth of what is missed at most.
constexpr double least_missed_to_judge = 8;

// The part of the promised time by which a phase must be shorter for the promise to count as kept.
// Chosen, as that of the imbalance.
constexpr double least_kept_time = 0.25;

// How often in a row moves put off may fail before they are judged at longer intervals. If a single
// phase is disturbed, it is the one in which they are judged, or that for which they were made;
// these fail twice, and are then replaced.
constexpr std::uint32_t bearable_failures = 2;

std::uint32_t longer(std::uint32_t pause) { return std::min(2 * pause + 2, longest_phase_pause); }

}  // namespace

bool DecisionTimes::is_time(const Phase& phase) {
  if (phase.number < trusts_from_) return false;
  if (phase.gain_phases * phase.most_gain_seconds <= phase.least_move_seconds) return false;
  const double reached_seconds = reached_imbalance_ * phase.mean_seconds;
  const bool has_other_loads = phase.gain_by_work_seconds < least_part_of_reached * reached_seconds;
  // Adds up what asking earlier could have gained. Asking as soon as that equals the cost of asking
  // never loses more than twice what was unavoidable.
  const double least = phase.counts_work ? possible_imbalance_ : reached_imbalance_;
  last_gain_seconds_ = phase.most_gain_seconds - (has_other_loads ? 0 : least * phase.mean_seconds);
  missed_seconds_ += last_gain_seconds_;
  doubted_seconds_ += doubted_part * phase.most_gain_seconds;
  const double enough = phase.caution * phase.asking_seconds;
  if (phase.caution > 1) cautious_seconds_ = enough;
  const bool judges = has_put_off_ && phase.counts_work;
  if (missed_seconds_ <= enough) {
    return may_ask_in(phase.number) &&
           doubted_seconds_ > (judges ? least_missed_to_judge : 1) * enough;
  }
  // A strategy finds no improvement of a placement of its own.
  const double known = std::max(phase.least_move_seconds, grown_imbalance * reached_seconds);
  if (phase.gain_by_work_seconds > known) return true;
  if (!judges) return may_ask_in(phase.number);
  return (judges_put_off_ || may_ask_in(phase.number)) &&
         missed_seconds_ > least_missed_to_judge * phase.asking_seconds;
}

void DecisionTimes::note(const PhaseReport& report, bool counts_work) {
  missed_seconds_ = doubted_seconds_ = 0;
  asked_seconds_ = report.asked_seconds;
  reached_imbalance_ = report.predicted_max_seconds / report.expected_mean_seconds - 1;
  possible_imbalance_ = reached_imbalance_;
  if (report.moved_objects > 0) {
    has_put_off_ = judges_put_off_ = false;
    failures_ = 0;
    pause_ = 2;
    before_seconds_ = report.seconds;
    before_mean_ = report.mean_load_seconds;
    promised_seconds_ = report.gain_seconds / report.gain_phases;
  } else if (counts_work && (report.gain_seconds > 0 || has_put_off_)) {
    note_put_off(report);
  } else {
    pause_ = longer(pause_);
  }
  next_try_ = report.phase + 1 + pause_;
}

void DecisionTimes::note_put_off(const PhaseReport& report) {
  const double gain = std::max(0.0, report.gain_seconds) / report.gain_phases;
  possible_imbalance_ -= gain / report.expected_mean_seconds;
  const bool have_lasted = has_put_off_ && report.gain_phases > 1;
  const bool have_failed = has_put_off_ && !have_lasted;
  if (has_put_off_) failures_ = have_failed ? failures_ + 1 : 0;
  // They are judged again, as soon as before.
  if (have_failed && failures_ <= bearable_failures) return;
  if (!have_lasted) pause_ = longer(pause_);
  // Those before have not lasted, so that these need not be judged soon.
  judges_put_off_ = !have_failed && report.cost_seconds <= PutOffMoves::most_phases * gain;
  has_put_off_ = gain > 0;
}

void DecisionTimes::settle(Promise::Fate fate, const PhaseReport& phase) {
  if (fate == Promise::Fate::none) return;
  const double growth = before_mean_ > 0 ? phase.mean_load_seconds / before_mean_ : 1;
  const bool is_shorter =
      phase.seconds < growth * (before_seconds_ - least_kept_time * promised_seconds_);
  distrust_ = fate == Promise::Fate::kept && is_shorter ? 0 : longer(distrust_);
  trusts_from_ = phase.phase + distrust_;
}

}  // namespace roam::balance
