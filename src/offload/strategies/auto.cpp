// SPDX-License-Identifier: Apache-2.0
// The strategy `auto`, which is not from the paper: it levels the loads of all ranks at once, based
// on the duration of their steps, instead of one pair of ranks per step, based on waits.
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "benefit.hpp"
#include "blacklist.hpp"
#include "level_loads.hpp"
#include "roam/core/detail/recent_values.hpp"
#include "roam/offload/strategy.hpp"
#include "travel_costs.hpp"

namespace roam::offload {

namespace {

// Offloading begins when the predicted step is shorter by this part, and ends when it is shorter by
// less than half of that.
constexpr double least_gain = 0.01;
// Tasks are given on request, too, where no quotas would help, because other ranks have most to do
// in each step, if the mean load is below the largest one of the same step by this part.
constexpr double least_unevenness = 0.1;
// If steps turn out to be no shorter with offloading than without, nothing is offloaded for
// `first_pause` steps, then twice as many, and so on. A trial of seven steps usually loses a tenth
// of their time, so this bounds the loss to 1 %.
constexpr std::uint32_t first_pause = 64;
constexpr std::uint32_t longest_pause = 4096;
// Steps without offloading after which their duration is known again.
constexpr std::uint32_t short_pause = 6;

// A victim that is late twice within this many steps is left alone, or once within as many after it
// has been: then for longer each time, seven steps at first and 27 at last.
constexpr std::uint64_t soon = 5;
constexpr double largest_weight = 8;

/// Durations of recent steps: a single outlier among three changes nothing.
using RecentSteps = core::RecentValues<3>;
double usual(const RecentSteps& steps) {
  return steps.size() < 3 ? steps.newest() : steps.median();
}

bool has_offloaded(const StepView& step) {
  return std::ranges::any_of(step.flows, [](const Flow& flow) { return flow.offloaded > 0; });
}

/// By rank: true if one of those that have sent tasks to it has sent some to another one, too.
std::vector<bool> can_be_spared(const StepView& step) {
  std::vector<std::uint32_t> victims(step.ranks.size());  // of each sender
  for (const Flow& flow : step.flows)
    if (flow.offloaded > 0) ++victims[static_cast<std::size_t>(flow.from)];
  std::vector<bool> spared(step.ranks.size());
  for (const Flow& flow : step.flows) {
    if (flow.offloaded > 0 && victims[static_cast<std::size_t>(flow.from)] > 1)
      spared[static_cast<std::size_t>(flow.to)] = true;
  }
  return spared;
}

/// The emergencies of victims that were late with their own data, or made at least half of the
/// waiting ranks wait that had sent them tasks. A late victim is late for all of them, while the
/// last tasks of a step may be late for one or the other at any time: leaving a victim alone for
/// that would cost more steps than it saves.
std::vector<Emergency> late_victims(const StepView& step) {
  if (step.emergencies.empty()) return {};
  std::vector<std::uint32_t> senders(step.ranks.size());
  for (const Flow& flow : step.flows) {
    if (flow.offloaded > 0) ++senders[static_cast<std::size_t>(flow.to)];
  }
  std::vector<Emergency> late;
  for (const Emergency& one : step.emergencies) {
    if (one.reason == EmergencyReason::congestion) continue;  // the sender has reacted
    if (one.reason == EmergencyReason::late_own_data ||
        2 * one.times >= senders[static_cast<std::size_t>(one.victim)])
      late.push_back(one);
  }
  return late;
}

class Auto final : public Strategy {
 public:
  explicit Auto(std::int32_t ranks)
      : loads_(static_cast<std::size_t>(ranks)),
        tasks_(static_cast<std::size_t>(ranks)),
        costs_(ranks) {}

  [[nodiscard]] std::vector<Quota> decide(const StepView& step) override {
    const bool leaves_victims_alone = !blacklist_.ranks().empty();
    blacklist_.update({});
    list_late_victims(step);
    costs_.add(step);
    const std::vector<RankLoad>& ranks = loads_of(step);
    if (!near_) near_ = near_ranks(ranks.size(), step.groups);  // which never change
    LevelledLoads levelled = leveller_.level(ranks, *near_);
    // While victims are left alone and nothing goes, steps show nothing of what offloading brings.
    if (!leaves_victims_alone || has_offloaded(step)) benefit_.add(step, is_offloading_);
    const double gain = 1 - levelled.after_seconds / std::max(levelled.before_seconds, 1e-12);
    const bool gains = gain >= (is_offloading_ ? 0.5 * least_gain : least_gain);
    unevenness_.add(unevenness_of(step));
    const bool gains_within = usual(unevenness_) >= least_unevenness;
    if (is_offloading_) {
      notice_losses();
      // Ranks are still unequal, but victims were late, or sending tasks costs more than it saves:
      // offloading has been tried without success. If it has had success, it only lacks victims
      // until they have left the blacklist.
      if (!gains && !gains_within && pause_left_ == 0 && are_unequal(ranks) &&
          !benefit_.has_gained())
        begin_pause();
    }
    is_offloading_ = pause_left_ == 0 && benefit_.has_baseline() && (gains || gains_within);
    if (pause_left_ > 0) --pause_left_;
    if (!is_offloading_ || !gains) levelled.quotas.clear();
    return std::move(levelled.quotas);
  }
  [[nodiscard]] std::uint32_t tasks_on_request() const override {
    return is_offloading_ ? most_on_request_ : 0;
  }
  [[nodiscard]] std::vector<Blacklisted> blacklisted() const override { return blacklist_.ranks(); }

 private:
  [[nodiscard]] const std::vector<RankLoad>& loads_of(const StepView& step) {
    ranks_.clear();
    std::uint64_t tasks_of_all = 0;
    for (std::size_t i = 0; i < step.ranks.size(); ++i) {
      const RankStep& measured = step.ranks[i];
      loads_[i].add(measured.own_load_seconds());
      tasks_[i].add(measured.tasks);
      const auto tasks = static_cast<std::uint32_t>(usual(tasks_[i]));
      tasks_of_all += tasks;
      // The cost to the sender of a task - sending it and receiving the result - reduces its gain;
      // the receiver pays about as much.
      const double handling = costs_.handling_seconds(i);
      ranks_.push_back(
          {.workers = static_cast<double>(std::max(1U, measured.workers)),
           .load_seconds = usual(loads_[i]),
           .task_seconds = std::max(0.0, double{measured.task_seconds} - handling),
           .guest_task_seconds = double{measured.task_seconds} * costs_.slowdown() + handling,
           .may_go = tasks - std::min(tasks, measured.keeps),
           .may_take = !blacklist_.has(measured.rank),
           .pace = costs_.pace(i)});
    }
    most_on_request_ =
        static_cast<std::uint32_t>((tasks_of_all + ranks_.size() - 1) / ranks_.size());
    return ranks_;
  }

  /// By which part the mean load of a step was below the largest one.
  [[nodiscard]] static double unevenness_of(const StepView& step) {
    double sum = 0;
    double workers = 0;
    double longest = 0;
    for (const RankStep& rank : step.ranks) {
      sum += rank.own_load_seconds();
      workers += rank.workers;
      longest = std::max(longest, rank.own_load_seconds() / std::max(1U, rank.workers));
    }
    return longest * workers > 0 ? 1 - sum / (longest * workers) : 0;
  }

  /// Tasks that a victim delays once are computed at home, and then nothing is lost: leaving the
  /// victim alone for some steps would cost more. A victim that is late again soon is different,
  /// unless its senders have no other victim and the step has been shorter than without: then
  /// leaving it alone would cost all that offloading gains.
  void list_late_victims(const StepView& step) {
    const std::vector<Emergency> late_ones = late_victims(step);
    const bool was_shorter = !late_ones.empty() && benefit_.was_shorter(step);
    const std::vector<bool> spared = was_shorter ? can_be_spared(step) : std::vector<bool>();
    for (const Emergency& one : late_ones) {
      if (was_shorter && !spared[static_cast<std::size_t>(one.victim)]) continue;
      // Quotas end in the middle of a step: it may have got tasks after it had been listed.
      if (blacklist_.has(one.victim)) continue;
      const auto [place, is_first] = late_.try_emplace(one.victim);
      Lateness& late = place->second;
      // A victim with two reasons in one step is late once.
      const bool is_known = !is_first && late.last_step < step.step;
      late.last_step = step.step;
      if (!is_known) continue;
      late.weight = late.was_listed ? std::min(2 * late.weight, largest_weight) : 1;
      late.was_listed = true;
      blacklist_.add(one, late.weight);
    }
    for (auto& [victim, late] : late_)
      if (blacklist_.has(victim)) late.last_step = step.step;
    std::erase_if(late_,
                  [&](const auto& entry) { return step.step - entry.second.last_step > soon; });
  }

  void notice_losses() {
    const Benefit::Verdict verdict = benefit_.verdict();
    if (verdict == Benefit::Verdict::gain) {
      pause_ = first_pause;
    } else if (verdict == Benefit::Verdict::loss_if_still_true) {
      pause_left_ = short_pause;
    } else if (verdict == Benefit::Verdict::loss) {
      begin_pause();
    }
  }
  void begin_pause() {
    pause_left_ = pause_;
    pause_ = std::min(2 * pause_, longest_pause);
  }
  [[nodiscard]] static bool are_unequal(const std::vector<RankLoad>& ranks) {
    double all = 0;
    double workers = 0;
    double longest = 0;
    for (const RankLoad& rank : ranks) {
      all += rank.load_seconds;
      workers += rank.workers;
      longest = std::max(longest, rank.load_seconds / rank.workers);
    }
    return all < (1 - least_gain) * longest * workers;
  }

  std::vector<RecentSteps> loads_;
  std::vector<RecentSteps> tasks_;
  RecentSteps unevenness_;
  Blacklist blacklist_;
  TravelCosts costs_;
  std::optional<NearRanks> near_;
  std::vector<RankLoad> ranks_;  // of the step that is being decided
  LoadLeveller leveller_;
  Benefit benefit_;
  struct Lateness {
    std::uint64_t last_step = 0;  // in which the victim was late, or on the blacklist
    double weight = 1;            // with which it was listed
    bool was_listed = false;
  };
  std::map<std::int32_t, Lateness> late_;  // those of the last steps
  bool is_offloading_ = false;
  std::uint32_t most_on_request_ = 0;  // to each rank: as many as an average one has in a step
  std::uint32_t pause_ = first_pause;
  std::uint32_t pause_left_ = 0;
};

const StrategyRegistrar automatic{
    {.name = "auto",
     .description = "Levels the loads of all ranks by what their steps have taken, where that "
                    "shortens steps by 1 % or more",
     .parameters = {},
     .create = [](const plugin::Parameters&, std::int32_t ranks) -> std::unique_ptr<Strategy> {
       return std::make_unique<Auto>(ranks);
     }}};

}  // namespace

}  // namespace roam::offload
