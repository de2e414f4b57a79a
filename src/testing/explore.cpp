// SPDX-License-Identifier: Apache-2.0
#include "roam/testing/explore.hpp"

#include <fstream>
#include <utility>

#include "roam/core/error.hpp"
#include "testing/minimise.hpp"
#include "testing/schedule_run.hpp"

namespace roam::testing {

namespace {

constexpr std::size_t longest_timeline = 80;

void require(bool valid, const char* what) {
  if (!valid) throw ConfigError(std::string("exploration of schedules: ") + what);
}

void check_options(const ExploreOptions& options) {
  require(options.ranks.least >= 1 && options.ranks.least <= options.ranks.most &&
              options.ranks.most <= 4096,
          "ranks must be 1 to 4096, the least first");
  require(options.helpers.least >= 0 && options.helpers.least <= options.helpers.most &&
              options.ranks.most + options.helpers.most <= 4096,
          "helpers must not be negative, the least first, nor more than 4096 with the ranks");
  require(options.workers.least >= 1 && options.workers.least <= options.workers.most &&
              options.workers.most <= 256,
          "workers must be 1 to 256, the least first");
  require(options.max_hops.least >= 1 && options.max_hops.least <= options.max_hops.most,
          "max_hops must be positive, the least first");
  require(!options.balancers.empty(), "balancers must name one at least");
  require(!options.location_policies.empty(), "location_policies must name one at least");
  for (const Disturbance* disturbance :
       {&options.late_messages, &options.late_steps, &options.slow_ranks, &options.shuffled_ties,
        &options.preemptions, &options.migrations, &options.refusals, &options.actions,
        &options.lost_helpers}) {
    require(disturbance->share >= 0 && disturbance->share <= 1, "shares must be in [0, 1]");
    require(disturbance->longest >= Duration(0), "durations must not be negative");
  }
}

RunOutcome run_once(const ExploreOptions& options, const MakeScenario& scenario,
                    const RunRequest& request) {
  return ScheduleRun(options, scenario, request).run();
}

std::vector<std::string> words_of(const std::vector<Decision>& decisions) {
  std::vector<std::string> words;
  for (const Decision& decision : decisions) words.push_back(decision.words);
  return words;
}

std::vector<DecisionId> ids_of(const std::vector<Decision>& decisions) {
  std::vector<DecisionId> ids;
  for (const Decision& decision : decisions) ids.push_back(decision.id);
  return ids;
}

/// Finds out which of a failing schedule's disturbances matter, and describes the run with these
/// alone.
Failure explain(const ExploreOptions& options, const MakeScenario& scenario, std::uint64_t seed) {
  RunOutcome outcome = run_once(options, scenario, {seed, nullptr, true});
  Failure failure;
  failure.seed = seed;
  if (!outcome.violation) {
    failure.promise = "R1";
    failure.what =
        "the schedule failed once and not again: the program depends on more than its "
        "seed";
    return failure;
  }
  failure.disturbances = outcome.disturbances;
  const std::string promise = outcome.violation->promise;
  const StillFails still_fails = [&](const std::vector<DecisionId>& allowed, bool& fails) {
    ++failure.replays;
    RunOutcome tried = run_once(options, scenario, {seed, &allowed, true});
    fails = tried.violation && tried.violation->promise == promise;
    if (!fails) return std::vector<DecisionId>();
    outcome = std::move(tried);
    return ids_of(outcome.decisions);
  };
  static_cast<void>(minimise(ids_of(outcome.decisions), still_fails, options.most_replays));
  failure.promise = promise;
  failure.what = outcome.violation->what;
  if (outcome.violation->object)
    failure.what = "object " + to_string(outcome.violation->object) + ": " + failure.what;
  failure.decisions = words_of(outcome.decisions);
  failure.timeline = outcome.timeline.lines(outcome.violation->object, longest_timeline);
  return failure;
}

Replay replay_seed(const ExploreOptions& options, const MakeScenario& scenario,
                   std::uint64_t seed) {
  const RunOutcome outcome = run_once(options, scenario, {seed, nullptr, true});
  Replay replay;
  if (outcome.violation) {
    replay.promise = outcome.violation->promise;
    replay.what = outcome.violation->what;
  }
  replay.decisions = words_of(outcome.decisions);
  replay.timeline = outcome.timeline.lines({}, ~std::size_t{0});
  replay.totals = outcome.totals;
  return replay;
}

}  // namespace

Report explore(const ExploreOptions& options, const MakeScenario& scenario) {
  check_options(options);
  const auto begin = std::chrono::steady_clock::now();
  Totals totals;
  std::optional<Failure> failure;
  for (std::uint64_t n = 0; n < options.schedules && !failure; ++n) {
    const std::uint64_t seed = options.first_seed + n;
    if (options.time_limit.count() > 0 &&
        std::chrono::steady_clock::now() - begin > options.time_limit)
      break;
    if (options.announce) options.announce(seed);
    const RunOutcome outcome = run_once(options, scenario, {seed, nullptr, false});
    totals += outcome.totals;
    if (outcome.violation) failure = explain(options, scenario, seed);
  }
  Report report(totals, std::move(failure), [options, scenario](std::uint64_t seed) {
    return replay_seed(options, scenario, seed);
  });
  if (!report.ok() && !options.failure_file.empty())
    std::ofstream(options.failure_file) << *report.failure();
  return report;
}

Report explore(const ExploreOptions& options, const Runtime::Program& program) {
  return explore(options, MakeScenario([program](Schedule&) {
                   Scenario scenario;
                   scenario.program = program;
                   return scenario;
                 }));
}

}  // namespace roam::testing
