// SPDX-License-Identifier: Apache-2.0
// A program's trace says of each phase what it was like and what load models expected of the next.
#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"
#include "support/piece.hpp"

namespace roam {
namespace {

using roam::testing::Piece;

class Folder {
 public:
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "roam_trace_XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw Error("no temporary folder");
    path_ = pattern;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

TEST(TraceOfPhases, tells_what_load_models_expect) {
  const Folder folder;
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

}  // namespace
}  // namespace roam
