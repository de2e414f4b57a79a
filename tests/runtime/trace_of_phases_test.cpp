// SPDX-License-Identifier: Apache-2.0
// The trace of a program contains each phase with its loads and what load models predicted for the
// next.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/piece.hpp"
#include "support/temporary_folder.hpp"

namespace roam::trace_of_phases_test {
namespace {

using roam::testing::Piece;

TEST(TraceOfPhases, tells_what_load_models_expect) {
  const roam::testing::TemporaryFolder folder;
  SimulatedJobOptions job;
  job.options.simulate.emplace();
  job.options.simulate->ranks = 2;
  job.options.simulate->workers_per_rank = 1;
  job.options.balancer = parse_plugin_choice("refine");
  job.options.load_model = parse_plugin_stack("scale:factor=3");
  job.options.trace = folder.file("trace.json");
  std::vector<balance::PhaseReport> reports;
  SimulatedJob simulated(job);
  EXPECT_TRUE(simulated.run([&](Runtime& rt) -> Task<> {
    std::vector<mobile_ptr<Piece>> mine;
    for (int i = 0; rt.rank() == 0 && i < 4; ++i) mine.push_back(rt.create<Piece>(Piece{1 + i}));
    for (int phase = 0; phase < 3; ++phase) {
      for (const auto& piece : mine) piece.send<&Piece::work>();
      const balance::PhaseReport report = co_await rt.phase();
      if (rt.rank() == 0) reports.push_back(report);
    }
  })) << simulated.error();
  const auto trace = nlohmann::json::parse(std::ifstream(job.options.trace));
  const auto& phases = trace.at("roam").at("phases");
  ASSERT_EQ(phases.size(), 3U);
  ASSERT_EQ(reports.size(), 3U);
  EXPECT_GT(reports[0].expected_max_seconds, 2.9 * reports[0].max_load_seconds);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(phases[i].at("max_load_seconds"), reports[i].max_load_seconds);
    EXPECT_EQ(phases[i].at("mean_load_seconds"), reports[i].mean_load_seconds);
    EXPECT_EQ(phases[i].at("expected_max_seconds"), reports[i].expected_max_seconds);
    EXPECT_EQ(phases[i].at("expected_mean_seconds"), reports[i].expected_mean_seconds);
    EXPECT_EQ(phases[i].at("predicted_max_seconds"), reports[i].predicted_max_seconds);
  }
}

/// One rank or more of real time; each phase has work.
struct RealJob {
  std::string balancer = "none";
  std::int32_t ranks = 2;
  int phases = 3;
  int phases_of_set_up = -1;  // -1: all are measured
};

Options options_of(const RealJob& job) {
  Options options;
  options.transport = "in-process";
  options.ranks = job.ranks;
  options.ranks_given = true;
  options.workers = 1;
  options.balancer = parse_plugin_choice(job.balancer);
  return options;
}

void run_phases(const RealJob& job, const Options& options) {
  EXPECT_EQ(roam::run(options,
                      [&job](Runtime& rt) -> Task<> {
                        std::vector<mobile_ptr<Piece>> mine;
                        mine.push_back(rt.create<Piece>(Piece{1}));
                        for (int phase = 0; phase < job.phases; ++phase) {
                          if (phase == job.phases_of_set_up) rt.begin_measurement();
                          for (const auto& piece : mine) piece.send<&Piece::work>();
                          static_cast<void>(co_await rt.phase());
                        }
                        rt.end_measurement();
                        static_cast<void>(co_await rt.phase());
                      }),
            0);
}

TEST(TraceOfPhases, has_all_phases_of_the_measurement_in_real_runs_whoever_balances) {
  for (const char* const balancer : {"none", "diffusion", "greedy", "auto"}) {
    for (const int set_up : {-1, 0, 2}) {
      const roam::testing::TemporaryFolder folder;
      const RealJob job{.balancer = balancer, .phases_of_set_up = set_up};
      Options options = options_of(job);
      options.trace = folder.file("trace.json");
      run_phases(job, options);
      const auto trace = nlohmann::json::parse(std::ifstream(options.trace));
      const auto& phases = trace.at("roam").at("phases");
      const int first = std::max(set_up, 0);
      ASSERT_EQ(phases.size(), static_cast<std::size_t>(job.phases - first)) << balancer;
      for (std::size_t i = 0; i < phases.size(); ++i) {
        EXPECT_EQ(phases[i].at("phase"), first + static_cast<int>(i)) << balancer;
        EXPECT_LE(phases[i].at("seconds"), phases[i].at("time_seconds")) << balancer;
      }
    }
  }
}

TEST(RecordedLoads, have_sizes_whoever_balances) {
  for (const char* const balancer : {"none", "diffusion", "greedy"}) {
    const roam::testing::TemporaryFolder folder;
    const RealJob job{.balancer = balancer};
    Options options = options_of(job);
    options.lb_data = folder.file("loads");
    run_phases(job, options);
    std::vector<std::string> files{options.lb_data + "/data.0.json",
                                   options.lb_data + "/data.1.json"};
    const placement::LbData data = placement::read_lb_data(files);
    ASSERT_GE(data.phases.size(), static_cast<std::size_t>(job.phases)) << balancer;
    for (const auto& phase : data.phases) {
      ASSERT_EQ(phase.graph.bytes.size(), 2U) << balancer;
      for (const std::uint64_t bytes : phase.graph.bytes) EXPECT_GT(bytes, 0U) << balancer;
    }
  }
}

}  // namespace
}  // namespace roam::trace_of_phases_test
