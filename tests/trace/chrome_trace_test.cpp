// SPDX-License-Identifier: Apache-2.0
#include "roam/trace/detail/chrome_trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"
#include "roam/trace/detail/event_log.hpp"

namespace roam::trace::chrome_trace_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using Json = nlohmann::json;

class ChromeTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    folder = fs::temp_directory_path() /
             (std::string("roam-") + info->name() + "-" + std::to_string(::getpid()));
    fs::create_directories(folder);
    file = (folder / "run.json").string();
  }
  void TearDown() override { fs::remove_all(folder); }

  static std::string text(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), {}));
  }
  /// Writing must fail with a text that contains all of these.
  void expect_error(const std::string& path, const RunTrace& run, const std::string& part) {
    try {
      write_chrome_trace(path, run);
      ADD_FAILURE() << "no error for " << path;
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }

  fs::path folder;
  std::string file;
};

RunTrace sample() {
  RunTrace run;
  run.program = "mesh \"refine\"";
  run.transport = "in-process";
  run.balancer = "diffusion";
  run.ranks = 2;
  run.workers_per_rank = 1;
  run.makespan_seconds = 2.5;
  for (int r = 0; r < 2; ++r) {
    EventLog log(3);
    log.handler(0, "&Subdomain::refine", ObjectId(Rank(0), 17), Instant(1'000'001),
                Instant(1'234'567'890));
    log.handler(1, "f<\"x\\y\">\n\xff", ObjectId(), Instant(5), Instant(5));
    if (r == 0) log.migration(Instant(2'500'000), ObjectId(Rank(0), 17), 0, 1, 65536);
    RankTrace trace;
    log.add_to(trace);
    trace.rank = r;
    if (r == 1) {
      trace.host = "tux\"1";
      trace.processors = {6, 2};
      trace.is_bound = true;
    }
    trace.counters = {{"messages_sent", 3'000'000},
                      {"bytes_sent", 1000},
                      {"messages_received", 9},
                      {"migrations_out", r == 0 ? 1.0 : 0.0},
                      {"migrations_in", r == 0 ? 0.0 : 1.0},
                      {"migrated_bytes_out", r == 0 ? 65536.0 : 0.0},
                      {"forwarded_calls", 3},
                      {"refused_gain_seconds", 0.125}};
    trace.workers = {{0, 1.0 + r, 0.1, 0.025, 12}};
    trace.decisions = {{1.0 - r, "diffusion", r, r == 0 ? Rank(1) : no_rank, ObjectId(Rank(0), 17),
                        0.5, 65536, 0.25, 1e-5, 0.75, 2e-5, r == 0 ? "moved" : "refused",
                        "rank 1 is idle"}};
    trace.traffic = {{1 - r, 7, 700}};
    if (r == 0) {
      trace.phases = {{.time_seconds = 2,
                       .seconds = 1.5,
                       .objects = 40,
                       .max_load_seconds = 1.25,
                       .mean_load_seconds = 1,
                       .expected_max_seconds = 2.5,
                       .expected_mean_seconds = 2,
                       .predicted_max_seconds = 1,
                       .moved_objects = 3,
                       .gain_seconds = 0.25,
                       .cost_seconds = 0.001,
                       .decision_seconds = 0.002,
                       .phase = 5,
                       .gain_phases = 4}};
    }
    run.rank_traces.push_back(std::move(trace));
  }
  return run;
}

std::vector<Json> events(const Json& root, const std::string& phase) {
  std::vector<Json> found;
  for (const Json& event : root.at("traceEvents")) {
    if (event.at("ph") == phase) found.push_back(event);
  }
  return found;
}

TEST_F(ChromeTrace, events_read_back) {
  write_chrome_trace(file, sample());
  const Json root = Json::parse(text(file));
  EXPECT_EQ(root.at("displayTimeUnit"), "ms");
  const auto handlers = events(root, "X");
  ASSERT_EQ(handlers.size(), 4U);
  EXPECT_EQ(handlers[0],
            Json::parse(R"({"name": "&Subdomain::refine", "cat": "handler", "ph": "X", "pid": 0,
                 "tid": 0, "ts": 1000.001, "dur": 1233567.889, "args": {"object": "0:17"}})"));
  EXPECT_EQ(handlers[1].at("name"), "f<\"x\\y\">\n\xef\xbf\xbd") << "bytes that are not UTF-8";
  EXPECT_FALSE(handlers[1].contains("args"));
  EXPECT_EQ(handlers[2].at("pid"), 1);
  const auto migrations = events(root, "i");
  ASSERT_EQ(migrations.size(), 1U);
  EXPECT_EQ(migrations[0].at("cat"), "migration");
  EXPECT_EQ(migrations[0].at("ts"), 2500);
  EXPECT_EQ(migrations[0].at("args"),
            Json::parse(R"({"object": "0:17", "from": 0, "to": 1, "bytes": 65536})"));
  std::map<std::string, int> names;
  for (const Json& event : events(root, "M")) {
    const Json& arguments = event.at("args");
    if (arguments.contains("name")) ++names[arguments.at("name")];
  }
  EXPECT_EQ(names, (std::map<std::string, int>{
                       {"rank 0", 1}, {"rank 1", 1}, {"worker 0", 2}, {"communication", 2}}));
}

TEST_F(ChromeTrace, figures_read_back) {
  write_chrome_trace(file, sample());
  const Json roam = Json::parse(text(file)).at("roam");
  EXPECT_EQ(roam.at("format"), 1);
  EXPECT_EQ(roam.at("program"), "mesh \"refine\"");
  EXPECT_EQ(roam.at("simulated"), false);
  EXPECT_EQ(roam.at("makespan_seconds"), 2.5);
  EXPECT_EQ(roam.at("workers").at(1),
            Json::parse(R"({"rank": 1, "worker": 0, "busy_seconds": 2.0, "idle_seconds": 0.1,
                 "overhead_seconds": 0.025, "handlers_run": 12})"));
  EXPECT_EQ(roam.at("ranks_detail").at(0),
            Json::parse(R"({"rank": 0, "dropped_events": 0, "messages_sent": 3000000,
                 "bytes_sent": 1000, "messages_received": 9, "migrations_out": 1,
                 "migrations_in": 0, "migrated_bytes_out": 65536, "forwarded_calls": 3,
                 "refused_gain_seconds": 0.125})"));
  EXPECT_TRUE(roam.at("ranks_detail").at(0).at("messages_sent").is_number_integer());
  EXPECT_FALSE(roam.at("ranks_detail").at(0).contains("host")) << "it is not known";
  EXPECT_EQ(roam.at("ranks_detail").at(1).at("host"), "tux\"1");
  EXPECT_EQ(roam.at("ranks_detail").at(1).at("processors"), Json::parse("[6, 2]"));
  EXPECT_EQ(roam.at("ranks_detail").at(1).at("bound"), true);
  // The decisions are in the order of time, across ranks.
  EXPECT_EQ(roam.at("decisions").at(0).at("outcome"), "refused");
  EXPECT_EQ(roam.at("decisions").at(0).at("to"), -1);
  EXPECT_EQ(roam.at("decisions").at(1),
            Json::parse(R"({"time_seconds": 1.0, "policy": "diffusion", "from": 0, "to": 1,
                 "object": "0:17", "load_seconds": 0.5, "bytes": 65536, "gain_seconds": 0.25,
                 "cost_seconds": 1e-05, "stay_seconds": 0.75, "move_seconds": 2e-05, "outcome": "moved", "reason": "rank 1 is idle"})"));
}

TEST_F(ChromeTrace, levels_of_the_network_read_back) {
  RunTrace run = sample();
  write_chrome_trace(file, run);
  EXPECT_FALSE(Json::parse(text(file)).at("roam").contains("levels"));
  run.levels = {{"node", 0, {0, 0, 1}}, {"machine", 0, {}}};
  write_chrome_trace(file, run);
  EXPECT_EQ(Json::parse(text(file)).at("roam").at("levels"),
            Json::parse(R"([{"name": "node", "group_ranks": 0, "parents": [0, 0, 1]},
                            {"name": "machine", "group_ranks": 0}])"));
}

TEST_F(ChromeTrace, traffic_and_phases_read_back) {
  write_chrome_trace(file, sample());
  const Json roam = Json::parse(text(file)).at("roam");
  EXPECT_EQ(roam.at("traffic"), Json::parse("[[1, 0, 7, 700], [0, 1, 7, 700]]"));
  EXPECT_EQ(roam.at("phases"),
            Json::parse(R"([{"phase": 5, "time_seconds": 2.0, "seconds": 1.5, "objects": 40,
                 "max_load_seconds": 1.25, "mean_load_seconds": 1.0,
                 "expected_max_seconds": 2.5, "expected_mean_seconds": 2.0,
                 "predicted_max_seconds": 1.0,
                 "moved_objects": 3, "gain_seconds": 0.25, "gain_phases": 4, "cost_seconds": 0.001,
                 "decision_seconds": 0.002}])"));
}

TEST_F(ChromeTrace, steps_of_offloading_read_back) {
  RunTrace run = sample();
  write_chrome_trace(file, run);
  EXPECT_FALSE(Json::parse(text(file)).at("roam").contains("offload"));
  run.rank_traces[0].offload = {"auto",
                                {{.step = 7,
                                  .time = Instant(500'000'000),
                                  .seconds = 0.25,
                                  .relaxation = 0.5,
                                  .critical = 1,
                                  .tasks = 20,
                                  .offloaded = 4,
                                  .allowed = 6,
                                  .recomputed = 3,
                                  .in_vain = 2,
                                  .emergencies = 1,
                                  .emergencies_by_reason = {{"congestion", 1}},
                                  .blacklisted = {0},
                                  .blacklist_reasons = {"late results"},
                                  .waits = {{0, 1, 0.125}},
                                  .flows = {{1, 0, 4, 6}},
                                  .waits_left_out = 9,
                                  .flows_left_out = 8}},
                                5};
  write_chrome_trace(file, run);
  EXPECT_EQ(Json::parse(text(file)).at("roam").at("offload"),
            Json::parse(R"({"strategy": "auto", "steps_left_out": 5, "steps": [
                 {"step": 7, "time_seconds": 0.5, "seconds": 0.25, "relaxation": 0.5,
                  "critical": 1, "victim": -1, "tasks": 20, "offloaded": 4, "allowed": 6,
                  "recomputed": 3, "in_vain": 2, "emergencies": 1, "waits_left_out": 9,
                  "flows_left_out": 8, "emergency_reasons": {"congestion": 1},
                  "blacklisted": [0], "blacklist_reasons": ["late results"], "waits": [[0, 1, 0.125]],
                  "flows": [[1, 0, 4, 6]]}]})"));
}

TEST_F(ChromeTrace, R1_equal_traces_give_equal_bytes) {
  const std::string other = (folder / "other.json").string();
  write_chrome_trace(file, sample());
  write_chrome_trace(other, sample());
  EXPECT_EQ(text(file), text(other));
}

TEST_F(ChromeTrace, says_how_many_events_are_missing) {
  RunTrace run = sample();
  run.rank_traces[1].dropped_events = 5;
  write_chrome_trace(file, run);
  const Json root = Json::parse(text(file));
  EXPECT_EQ(root.at("roam").at("dropped_events"), 5);
  EXPECT_EQ(root.at("roam").at("ranks_detail").at(1).at("dropped_events"), 5);
  EXPECT_THAT(text(file), HasSubstr("5 events dropped"));
}

TEST_F(ChromeTrace, an_empty_run_is_still_valid) {
  RunTrace run;
  run.rank_traces.resize(1);
  write_chrome_trace(file, run);
  const Json root = Json::parse(text(file));
  EXPECT_TRUE(root.at("traceEvents").empty());
  EXPECT_EQ(root.at("roam").at("workers").size(), 0U);
}

TEST_F(ChromeTrace, long_traces_are_whole) {
  EventLog log(1);
  constexpr int count = 50'000;
  for (int i = 0; i < count; ++i) {
    log.handler(0, "&Subdomain::refine", ObjectId(Rank(0), 1), Instant(i * 1000),
                Instant(i * 1000 + 999));
  }
  RunTrace run;
  run.rank_traces.resize(1);
  log.add_to(run.rank_traces[0]);
  write_chrome_trace(file, run);
  const auto handlers = events(Json::parse(text(file)), "X");
  ASSERT_EQ(handlers.size(), std::size_t{count});
  EXPECT_EQ(handlers.back().at("ts"), count - 1);
  EXPECT_EQ(handlers.back().at("dur"), 0.999);
}

TEST_F(ChromeTrace, replaces_an_existing_file_and_leaves_nothing_else) {
  std::ofstream(file) << "old";
  write_chrome_trace(file, sample());
  EXPECT_EQ(Json::parse(text(file)).at("roam").at("format"), 1);
  EXPECT_EQ(files(), 1U);
}

TEST_F(ChromeTrace, writes_through_a_symbolic_link) {
  const fs::path link = folder / "link.json";
  std::ofstream(file) << "old";
  fs::create_symlink(file, link);
  write_chrome_trace(link.string(), sample());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(Json::parse(text(file)).at("roam").at("format"), 1);
}

TEST_F(ChromeTrace, errors_name_file_and_cause) {
  expect_error((folder / "absent" / "run.json").string(), sample(), "No such file or directory");
  expect_error((folder / "absent" / "run.json").string(), sample(), "absent/run.json");
  expect_error(folder.string(), sample(), "directory");
  expect_error("", sample(), "cannot write the trace");
  EXPECT_EQ(files(), 0U);
}

TEST_F(ChromeTrace, a_full_disk_is_an_error) {
  // The device that stands for a full disk exists on Linux alone.
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  expect_error("/dev/full", sample(), "No space left on device");
  EXPECT_TRUE(fs::is_character_file("/dev/full"));
}

TEST_F(ChromeTrace, inconsistent_traces_are_refused_and_the_old_file_kept) {
  std::ofstream(file) << "old";
  RunTrace run = sample();
  run.rank_traces[0].events[0].label = 99;  // such as a peer's bytes may contain
  expect_error(file, run, "label 99");
  run = sample();
  run.rank_traces[0].decisions[0].gain_seconds = std::numeric_limits<double>::infinity();
  expect_error(file, run, "not finite");
  EXPECT_EQ(text(file), "old");
  EXPECT_EQ(files(), 1U);
}

std::string output_of(const std::string& command, int& status) {
  std::string out;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  std::array<char, 4096> part{};
  while (const std::size_t n = std::fread(part.data(), 1, part.size(), pipe))
    out.append(part.data(), n);
  status = pclose(pipe);
  return out;
}

std::string report_tool() { return (fs::path(ROAM_SOURCE_FOLDER) / "tools" / "roam").string(); }

TEST_F(ChromeTrace, the_report_tool_reads_it) {
  write_chrome_trace(file, sample());
  int status = 0;
  const std::string table = output_of("'" + report_tool() + "' report --table '" + file + "' -o '" +
                                          (folder / "run.html").string() + "'",
                                      status);
  EXPECT_EQ(status, 0) << table;
  EXPECT_THAT(table, HasSubstr("2 ranks × 1 worker, in-process"));
  EXPECT_THAT(table, ::testing::ContainsRegex("handlers run +24\n"));
  EXPECT_THAT(table, ::testing::ContainsRegex("efficiency[^\n]+0.750\n"));
  EXPECT_THAT(table, ::testing::ContainsRegex("bytes moved +64.0 KiB\n"));
  EXPECT_THAT(text((folder / "run.html").string()), HasSubstr("rank 1 is idle"));
}

}  // namespace
}  // namespace roam::trace::chrome_trace_test
