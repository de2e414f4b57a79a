// SPDX-License-Identifier: Apache-2.0
// The strategies `reactive` and `diffusion` of the paper (section 5, algorithm 1, equation 3).
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "blacklist.hpp"
#include "chains.hpp"
#include "roam/offload/strategy.hpp"
#include "wait_graph.hpp"

namespace roam::offload {

namespace {

constexpr double least_relaxation = 0.1;
constexpr double relaxation_gain = 0.1;
constexpr double relaxation_loss = 0.9;

struct Settings {
  double relaxation = 1;  ///< initial omega_diff
  /// omega_reinf of equation (3); empty: relaxation is constant.
  std::optional<double> reinforcement;
  bool starts_with_chains = false;
  std::size_t pairs =
      1;  ///< critical ranks, at most, that give tasks to a further victim in a step
};

/// Moves work from the critical rank to the optimal victim, one pair per step, or several if there
/// are as many critical ranks and the settings allow it. The paper leaves open the optimal numbers
/// for all other pairs; here they are the present ones, so that a quota once given lasts until a
/// victim is blacklisted.
class Diffusion final : public Strategy {
 public:
  explicit Diffusion(const Settings& settings)
      : settings_(settings), relaxation_(settings.relaxation) {}

  [[nodiscard]] std::vector<Quota> decide(const StepView& step) override {
    blacklist_.update(step.emergencies);
    if (std::exchange(is_first_, false) && settings_.starts_with_chains) {
      for (const Quota& quota : cut_chain(step.ranks)) tasks_[{quota.from, quota.to}] = quota.tasks;
    }
    Tasks optimal = tasks_;
    for (auto& [pair, tasks] : optimal) {
      if (blacklist_.has(pair.second)) tasks = 0;
    }
    retreat_from_congestion(step, optimal);
    fill_up_victims(step, optimal);
    if (settings_.reinforcement) adapt_relaxation(optimal);
    for (const auto& [pair, target] : optimal) {
      double& tasks = tasks_[pair];
      tasks += relaxation_ * (target - tasks);
    }
    return whole_quotas(step);
  }
  [[nodiscard]] double relaxation() const override { return relaxation_; }
  [[nodiscard]] std::vector<Blacklisted> blacklisted() const override { return blacklist_.ranks(); }

 private:
  using Pair = std::pair<std::int32_t, std::int32_t>;  // from, to
  using Tasks = std::map<Pair, double>;

  // Where the way from a rank to its victim is congested, the victim is not late for others.
  static void retreat_from_congestion(const StepView& step, Tasks& optimal) {
    for (const Emergency& one : step.emergencies) {
      const auto pair = optimal.find({one.from, one.victim});
      if (one.reason == EmergencyReason::congestion && pair != optimal.end()) pair->second *= 0.5;
    }
  }

  // Algorithm 1: adds half of the work that the optimal victim could have done while it waited. If
  // there are several critical ranks, the one that is waited for longest chooses first, and no
  // victim is chosen twice in a step.
  void fill_up_victims(const StepView& step, Tasks& optimal) const {
    const WaitGraph graph(step);
    std::vector<std::int32_t> critical = graph.critical_ranks();
    if (critical.size() > settings_.pairs) critical.resize(settings_.pairs);
    std::vector<std::int32_t> chosen;
    for (const std::int32_t giver : critical) {
      const double task_seconds = double{step.ranks[static_cast<std::size_t>(giver)].task_seconds};
      if (task_seconds <= 0) continue;
      const auto victim = graph.optimal_victim([&](std::int32_t one) {
        return one != giver && !blacklist_.has(one) &&
               std::ranges::find(chosen, one) == chosen.end();
      });
      if (!victim) return;
      chosen.push_back(victim->rank);
      optimal[{giver, victim->rank}] += 0.5 * victim->wait_seconds / task_seconds;
    }
  }

  // Equation (3): the relaxation grows while the change of every rank is at least this part of its
  // previous change, and shrinks otherwise.
  void adapt_relaxation(const Tasks& optimal) {
    std::map<std::int32_t, double> changes;
    for (const auto& [pair, target] : optimal) {
      const auto present = tasks_.find(pair);
      changes[pair.first] += std::abs(target - (present == tasks_.end() ? 0.0 : present->second));
    }
    bool goes_on = !changes_.empty();
    for (const auto& [rank, before] : changes_) {
      if (before <= 0) continue;
      if (changes[rank] / before < *settings_.reinforcement) goes_on = false;
    }
    relaxation_ = goes_on ? std::min(relaxation_ + relaxation_gain, 1.0)
                          : std::max(relaxation_loss * relaxation_, least_relaxation);
    changes_ = std::move(changes);
  }

  [[nodiscard]] std::vector<Quota> whole_quotas(const StepView& step) {
    std::vector<Quota> quotas;
    std::erase_if(tasks_, [](const auto& entry) { return entry.second < 0.01; });
    for (const auto& [pair, tasks] : tasks_) {
      const RankStep& rank = step.ranks[static_cast<std::size_t>(pair.first)];
      const auto whole = static_cast<std::uint32_t>(
          std::min(tasks + 0.5, static_cast<double>(std::max(rank.tasks, 1U))));
      if (whole > 0) quotas.push_back({pair.first, pair.second, whole});
    }
    return quotas;
  }

  const Settings settings_;
  double relaxation_;
  bool is_first_ = true;
  Blacklist blacklist_;
  Tasks tasks_;                             // N_ij
  std::map<std::int32_t, double> changes_;  // by rank, in the last step: denominator of (3)
};

const plugin::Parameter start{.name = "start",
                              .description = "what is given away at first",
                              .default_value = "none",
                              .words = {"none", "ccp"}};

const plugin::Parameter pairs{.name = "pairs",
                              .description = "critical ranks that are helped in each step, at most",
                              .default_value = "1",
                              .minimum = 1,
                              .maximum = 1'000'000};

std::size_t most_pairs(const plugin::Parameters& parameters) {
  return static_cast<std::size_t>(parameters.number("pairs"));
}

const StrategyRegistrar reactive{
    {.name = "reactive",
     .description = "The critical rank fills up half of the optimal victim's wait after each step",
     .parameters = {start, pairs},
     .create = [](const plugin::Parameters& parameters, std::int32_t) -> std::unique_ptr<Strategy> {
       return std::make_unique<Diffusion>(
           Settings{1, std::nullopt, parameters.word("start") == "ccp", most_pairs(parameters)});
     }}};

const StrategyRegistrar diffusion{
    {.name = "diffusion",
     .description = "The same, damped: adopts a part of each change, which adapts",
     .parameters = {start,
                    pairs,
                    {.name = "omega",
                     .description = "part of each change that is adopted at first",
                     .default_value = "1",
                     .minimum = least_relaxation,
                     .maximum = 1},
                    {.name = "reinforcement",
                     .description = "the part grows while changes are at least so large a part of "
                                    "the ones before; 0: it is fixed",
                     .default_value = "1",
                     .minimum = 0,
                     .maximum = 1}},
     .create = [](const plugin::Parameters& parameters, std::int32_t) -> std::unique_ptr<Strategy> {
       Settings settings{parameters.number("omega"), std::nullopt,
                         parameters.word("start") == "ccp", most_pairs(parameters)};
       if (parameters.number("reinforcement") > 0)
         settings.reinforcement = parameters.number("reinforcement");
       return std::make_unique<Diffusion>(settings);
     }}};

}  // namespace

}  // namespace roam::offload
