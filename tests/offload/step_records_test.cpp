// SPDX-License-Identifier: Apache-2.0
// What is recorded of each step for reports: waits, and tasks sent and allowed between ranks;
// bounded.
#include <gmock/gmock.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "offload/step_records.hpp"
#include "roam/core/serialise.hpp"
#include "roam/offload/offload.hpp"
#include "roam/roam.hpp"
#include "roam/trace/record_options.hpp"
#include "support/simulated.hpp"

namespace roam::offload {

namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NoQuotas final : public Strategy {
 public:
  explicit NoQuotas(std::vector<Blacklisted> blacklisted = {})
      : blacklisted_(std::move(blacklisted)) {}
  [[nodiscard]] std::vector<Quota> decide(const StepView&) override { return {}; }
  [[nodiscard]] double relaxation() const override { return 0.25; }
  [[nodiscard]] std::vector<Blacklisted> blacklisted() const override { return blacklisted_; }

 private:
  const std::vector<Blacklisted> blacklisted_;
};

/// Steps of several ranks, of which rank 0 keeps all others waiting, the last ones longest.
struct Measured {
  explicit Measured(std::int32_t count) {
    for (std::int32_t rank = 0; rank < count; ++rank) {
      ranks.push_back(
          {.rank = rank, .seconds = 1, .tasks = 10, .away = 1, .recomputed = 3, .in_vain = 2});
      if (rank > 0) {
        waits.push_back({rank, 0, static_cast<float>(rank)});
        flows.push_back(
            {0, rank, static_cast<std::uint32_t>(rank), 2 * static_cast<std::uint32_t>(rank)});
      }
    }
  }
  [[nodiscard]] StepView view(std::uint64_t step) const {
    return {step, ranks, waits, emergencies, flows};
  }
  std::vector<RankStep> ranks;
  std::vector<Wait> waits;
  std::vector<Emergency> emergencies = {{1, 4}, {1, 2, EmergencyReason::congestion, 0}};
  std::vector<Flow> flows;
};

TEST(StepRecords, have_sums_and_the_graph_of_a_step) {
  StepRecords records(true);
  records.add(Measured(4).view(7), NoQuotas({{3, EmergencyReason::late_own_data}}), Instant(42));
  ASSERT_THAT(records.steps(), SizeIs(1));
  const trace::OffloadStep step = records.steps().front();
  EXPECT_EQ(step.step, 7U);
  EXPECT_EQ(step.time, Instant(42));
  EXPECT_EQ(step.relaxation, 0.25);
  EXPECT_EQ(step.critical, 0);
  EXPECT_EQ(step.victim, 2) << "rank 3 waits longer, but is blacklisted";
  EXPECT_EQ(step.tasks, 40U);
  EXPECT_EQ(step.offloaded, 4U);
  EXPECT_EQ(step.allowed, 12U);
  EXPECT_EQ(step.recomputed, 12U);
  EXPECT_EQ(step.in_vain, 8U);
  EXPECT_EQ(step.emergencies, 6U);
  ASSERT_THAT(step.emergencies_by_reason, SizeIs(2));
  EXPECT_EQ(step.emergencies_by_reason[1].reason, "congestion");
  EXPECT_EQ(step.emergencies_by_reason[1].times, 2U);
  EXPECT_THAT(step.blacklisted, ElementsAre(3));
  EXPECT_THAT(step.blacklist_reasons, ElementsAre("late with its own data"));
  ASSERT_THAT(step.waits, SizeIs(3));
  EXPECT_EQ(step.waits.front().from, 3) << "the longest first";
  ASSERT_THAT(step.flows, SizeIs(3));
  EXPECT_EQ(step.flows.front().to, 3);
  EXPECT_EQ(step.flows.front().allowed, 6U);
}

TEST(StepRecords, have_no_graphs_where_none_are_wanted) {
  StepRecords records(false);
  records.add(Measured(4).view(0), NoQuotas(), Instant(1));
  const trace::OffloadStep step = records.steps().front();
  EXPECT_EQ(step.allowed, 12U);
  EXPECT_THAT(step.waits, IsEmpty());
  EXPECT_THAT(step.flows, IsEmpty());
}

TEST(StepRecords, keep_the_heaviest_edges_and_the_latest_steps) {
  StepRecords records(true);
  const Measured step(1501);
  const std::uint64_t steps = StepRecords::most_edges / (2 * StepRecords::most_edges_of_step) + 3;
  for (std::uint64_t i = 0; i < steps; ++i) records.add(step.view(i), NoQuotas(), Instant(1));
  const std::vector<trace::OffloadStep> kept = records.steps();
  EXPECT_THAT(kept, SizeIs(steps - 3));
  EXPECT_EQ(kept.front().step, 3U);
  EXPECT_EQ(records.left_out(), 3U);
  EXPECT_THAT(kept.back().waits, SizeIs(StepRecords::most_edges_of_step));
  EXPECT_EQ(kept.back().waits_left_out, 500U);
  EXPECT_EQ(kept.back().waits.back().seconds, 501);
  EXPECT_EQ(kept.back().flows_left_out, 500U);

  StepRecords small(true);
  for (std::uint64_t i = 0; i < StepRecords::most_steps + 10; ++i)
    small.add(Measured(2).view(i), NoQuotas(), Instant(1));
  EXPECT_THAT(small.steps(), SizeIs(StepRecords::most_steps));
  EXPECT_EQ(small.left_out(), 10U);
}

TEST(StepRecords, travel_between_processes) {
  StepRecords records(true);
  records.add(Measured(3).view(5), NoQuotas({Blacklisted{.rank = 1}}), Instant(99));
  trace::OffloadTrace sent{"auto", records.steps(), 4};
  core::Packer packer{core::Buffer()};
  core::pack(packer, sent);
  core::Unpacker bytes(packer.buffer().bytes());
  const auto got = core::unpack_all<trace::OffloadTrace>(bytes);
  EXPECT_EQ(got.strategy, "auto");
  EXPECT_EQ(got.steps_left_out, 4U);
  ASSERT_THAT(got.steps, SizeIs(1));
  EXPECT_EQ(got.steps[0].time, Instant(99));
  EXPECT_EQ(got.steps[0].critical, 0);
  EXPECT_EQ(got.steps[0].flows.back().offloaded, 1U);
  EXPECT_THAT(got.steps[0].blacklisted, ElementsAre(1));
  EXPECT_THAT(got.steps[0].blacklist_reasons, ElementsAre("late results"));
  EXPECT_EQ(got.steps[0].emergencies_by_reason.at(1).times, 2U);
}

int computed(int value) {
  here().compute(std::chrono::microseconds(100));
  return value;
}

/// The records on rank 0 of a job of 3 ranks with 60, 20 and 10 tasks per step.
struct Kept {
  std::vector<trace::OffloadStep> steps;
  std::uint64_t shipped = 0;  ///< by all ranks
};
Kept kept_of_a_job(const std::string& trace) {
  SimulatedJobOptions options = testing::simulated(3);
  options.options.edit<OffloadOptions>().strategy = parse_plugin_choice("ccp");
  options.options.edit<trace::RecordOptions>().trace = trace;
  SimulatedJob job(options);
  Kept kept;
  const std::vector<int> tasks = {60, 20, 10};
  EXPECT_TRUE(job.run([&](Runtime& rt) -> Task<> {
    for (int step = 0; step < 8; ++step) {
      std::vector<Result<int>> results;
      for (int i = 0; i < tasks[rt.rank().index()]; ++i) results.push_back(spawn<&computed>(rt, i));
      (void)co_await when_all(std::move(results));
      co_await rt.barrier();
      next_step(rt);
    }
    co_await rt.barrier();
    if (rt.rank() == 0) kept.steps = Offloader::of(rt).step_records();
    kept.shipped += Offloader::of(rt).tasks().counts().shipped;
  })) << job.error();
  return kept;
}

TEST(StepRecords, tell_how_many_tasks_went_to_whom_of_how_many_allowed) {
  const Kept kept = kept_of_a_job("/dev/null");
  ASSERT_GE(kept.steps.size(), 6U);
  std::uint64_t sent = 0;
  for (const trace::OffloadStep& step : kept.steps) {
    EXPECT_EQ(step.tasks, 90U) << "step " << step.step;
    std::uint64_t allowed = 0;
    for (const trace::OffloadFlow& flow : step.flows) {
      EXPECT_EQ(flow.to, flow.from.value() + 1);
      EXPECT_LE(flow.offloaded, flow.allowed) << "step " << step.step;
      sent += flow.offloaded;
      allowed += flow.allowed;
    }
    EXPECT_EQ(step.allowed, allowed);
  }
  // As the chain is cut: 30 of rank 0 to rank 1, and of the 20 of rank 1 all to rank 2 but for one
  // that must stay.
  const trace::OffloadStep& late = kept.steps.back();
  EXPECT_EQ(late.allowed, 49U);
  EXPECT_GE(late.offloaded, 40U);
  EXPECT_GE(kept.shipped, sent);
  EXPECT_GT(sent, 100U);
  EXPECT_EQ(kept.steps.front().critical, 0) << "before anything was offloaded";
  EXPECT_THAT(kept.steps.front().flows, IsEmpty());
  EXPECT_THAT(kept.steps.front().waits, SizeIs(2));
}

TEST(StepRecords, have_sums_alone_without_a_trace) {
  const Kept kept = kept_of_a_job("");
  ASSERT_GE(kept.steps.size(), 6U);
  for (const trace::OffloadStep& step : kept.steps) {
    EXPECT_THAT(step.waits, IsEmpty());
    EXPECT_THAT(step.flows, IsEmpty());
  }
  EXPECT_EQ(kept.steps.back().allowed, 49U);
}

}  // namespace

}  // namespace roam::offload
