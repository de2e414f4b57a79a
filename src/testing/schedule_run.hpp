// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roam/exec/detail/sim_choices.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "testing/decisions.hpp"
#include "testing/history.hpp"
#include "testing/timeline.hpp"

namespace roam::testing {

/// How one run differs from the unmodified one of its seed.
struct RunRequest {
  std::uint64_t seed = 0;
  const std::vector<DecisionId>* allowed = nullptr;  ///< nullptr: all decisions of the seed
  bool keeps_record = false;  ///< records descriptions of decisions, and the timeline
};

struct RunOutcome {
  std::optional<Violation> violation;
  Totals totals;
  std::uint64_t disturbances = 0;
  std::vector<Decision> decisions;  // with keeps_record
  Timeline timeline;                // with keeps_record
};

/// One schedule: the job, its disturbances and its history.
class ScheduleRun final : private exec::SimChoices {
 public:
  ScheduleRun(const ExploreOptions& options, const MakeScenario& scenario,
              const RunRequest& request);
  [[nodiscard]] RunOutcome run();

 private:
  [[nodiscard]] Schedule draw_schedule();
  [[nodiscard]] LocationPolicy draw_location_policy() const;
  [[nodiscard]] SimulatedJobOptions job_options();
  void prepare(Rank rank);
  void draw_slow_ranks();

  std::uint32_t tie(std::uint32_t engine, std::uint32_t slot) override;
  Duration step_delay(std::uint32_t engine, std::uint32_t worker) override;
  Duration message_delay(std::uint32_t from, std::uint32_t to) override;
  Preemption preemption(std::uint32_t engine) override;
  bool between_events(std::uint32_t engine, std::uint64_t events) override;

  [[nodiscard]] std::string refuse(Rank rank, ObjectId object);
  bool maybe_migrate(DecisionKind kind, std::uint32_t asking, std::uint64_t n);
  void maybe_act(std::uint32_t asking, std::uint64_t n);
  void maybe_lose(std::uint32_t asking, std::uint64_t n);
  /// Notes a disturbance, with its description if these are recorded.
  template <class Words>
  void disturb(DecisionKind kind, std::uint32_t a, std::uint32_t b, std::uint64_t n,
               ObjectId object, Words&& words);
  [[nodiscard]] std::uint32_t& count_of(std::vector<std::uint32_t>& counts, std::uint32_t a,
                                        std::uint32_t b) const;

  const ExploreOptions& options_;
  const RunRequest request_;
  Decisions decisions_;
  Timeline timeline_;
  Schedule schedule_;
  Scenario scenario_;
  const LocationPolicy location_policy_;
  History history_;
  std::uint64_t events_ = 0;
  std::uint32_t migrations_left_;
  std::uint32_t actions_left_;
  std::vector<Rank> helpers_left_;
  bool is_acting_ = false;
  // Number of places of each kind so far, by rank and worker or pair of ranks.
  std::vector<std::uint32_t> ties_;
  std::vector<std::uint32_t> steps_;
  std::vector<std::uint32_t> messages_;
  std::vector<std::uint32_t> points_;
  std::vector<std::uint32_t> turns_;
  std::vector<std::uint32_t> arrivals_;
  std::vector<Duration> slow_;
  SimulatedJob job_;
};

}  // namespace roam::testing
