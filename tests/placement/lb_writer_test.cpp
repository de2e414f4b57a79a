// SPDX-License-Identifier: Apache-2.0
// R3: recorded loads are written as they were read, except for objects that have moved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "roam/core/error.hpp"
#include "roam/placement/detail/lb_data.hpp"

namespace roam::placement::lb_writer_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Json = nlohmann::json;

/// A file of two ranks' loads with everything in vt's schema and something that is not in it.
Json rich_file(int rank) {
  const auto entity = [](int id, int home) {
    return Json{{"type", "object"}, {"id", id},           {"home", home},
                {"index", {id}},    {"collection_id", 7}, {"migratable", true}};
  };
  const auto task = [&](int id) {
    return Json{{"entity", entity(id, rank)},
                {"node", rank},
                {"resource", "gpu"},
                {"time", 1.0 + id},
                {"subphases", {{{"id", 0}, {"time", 0.5}}}},
                {"attributes", {{"colour", id}}},
                {"user_defined", {{"task_serialized_bytes", 8.0}, {"mine", "text"}}}};
  };
  const auto communication = [](const char* type, Json from, Json to) {
    return Json{{"type", type}, {"bytes", 5.0}, {"messages", 3},
                {"from", from}, {"to", to},     {"extra", 1}};
  };
  const int own = 10 * rank;
  const Json node{{"type", "node"}, {"id", rank}};
  return {{"metadata",
           {{"type", "LBDatafile"},
            {"rank", rank},
            {"shared_node", {{"id", 0}, {"size", 2}, {"rank", rank}, {"num_nodes", 1}}},
            {"attributes", {{"machine", "big"}}},
            {"phases",
             {{"count", 4},
              {"skipped", {{"list", {9}}, {"range", Json::array()}}},
              {"identical_to_previous", {{"list", {1}}, {"range", {{4, 5}}}}}}}}},
          {"phases",
           {{{"id", 0},
             {"tasks", {task(own), task(own + 1)}},
             {"communications",
              {communication("SendRecv", entity(own, rank), entity(10 - own, 1 - rank)),
               communication("SendRecv", entity(own, rank), entity(99, 0)),
               communication("Broadcast", entity(10 - own, 1 - rank), entity(own + 1, rank)),
               communication("NodeToCollection", node, entity(own, rank))}},
             {"user_defined", {{"step", 12}}}},
            {{"id", 3}, {"tasks", {task(own)}}}}}};
}

LbData rich_data(std::optional<std::int64_t> phase = {}) {
  const std::vector<LbText> files{{"data.0.json", rich_file(0).dump()},
                                  {"data.1.json", rich_file(1).dump(2)}};
  return parse_lb_data(files, phase);
}

std::vector<Json> written(const LbData& data) {
  std::vector<Json> files;
  for (const LbText& file : lb_files(data)) files.push_back(Json::parse(file.text));
  return files;
}

std::vector<std::int64_t> phase_ids(const LbData& data) {
  std::vector<std::int64_t> ids;
  for (const LbData::Phase& phase : data.phases) ids.push_back(phase.id);
  return ids;
}

TEST(R3LbWriter, changes_nothing_where_nothing_has_moved) {
  EXPECT_THAT(written(rich_data()), ElementsAre(rich_file(0), rich_file(1)));
}

TEST(R3LbWriter, moves_tasks_with_all_they_have_and_the_communications_listed_for_them) {
  LbData data = rich_data();
  for (LbData::Phase& phase : data.phases) {
    if (phase.id <= 1) phase.graph.rank[0] = 1;  // object 0
  }
  Json zero = rich_file(0);
  Json one = rich_file(1);
  Json& from = zero["phases"][0];
  Json& to = one["phases"][0];
  Json task = from["tasks"][0];
  task["node"] = 1;
  to["tasks"].push_back(task);
  from["tasks"].erase(0);
  for (const std::size_t k : {0U, 1U, 3U})
    to["communications"].push_back(from["communications"][k]);
  from["communications"] = Json::array({from["communications"][2]});  // received by object 1
  EXPECT_THAT(written(data), ElementsAre(zero, one));
}

TEST(R3LbWriter, knows_phases_that_are_identical_to_the_previous) {
  const LbData data = rich_data();
  EXPECT_THAT(phase_ids(data), ElementsAre(0, 1, 3, 4, 5));
  EXPECT_FALSE(data.phases[0].is_identical_to_previous);
  EXPECT_TRUE(data.phases[1].is_identical_to_previous);
  EXPECT_EQ(data.phases[1].graph.seconds, data.phases[0].graph.seconds);
  EXPECT_EQ(data.phases[4].graph.seconds, data.phases[2].graph.seconds);
}

TEST(R3LbWriter, writes_out_a_phase_that_is_no_longer_identical) {
  LbData data = rich_data();
  data.phases[4].graph.rank[0] = 1;  // phase 5, but not phase 4
  const std::vector<Json> files = written(data);
  const Json::json_pointer identical("/metadata/phases/identical_to_previous");
  for (const Json& file : files) {
    EXPECT_EQ(file[identical], (Json{{"list", {1, 4}}, {"range", Json::array()}}));
    ASSERT_EQ(file["phases"].size(), 3U);
    EXPECT_EQ(file["phases"][2]["id"], 5);
    EXPECT_EQ(file["phases"][1], rich_file(file["metadata"]["rank"])["phases"][1]);
  }
  EXPECT_EQ(files[0]["phases"][2]["tasks"].size(), 0U);
  EXPECT_EQ(files[1]["phases"][2]["tasks"].size(), 2U);
}

TEST(R3LbWriter, of_one_phase_writes_that_alone) {
  LbData data = rich_data(5);
  EXPECT_THAT(phase_ids(data), ElementsAre(5));
  data.phases[0].graph.rank[0] = 1;
  const std::vector<Json> files = written(data);
  for (const Json& file : files) {
    ASSERT_EQ(file["phases"].size(), 1U);
    EXPECT_EQ(file["phases"][0]["id"], 5);
    EXPECT_FALSE(file["metadata"].contains("phases"));
    EXPECT_TRUE(file["metadata"].contains("shared_node"));
  }
  EXPECT_EQ(files[1]["phases"][0]["tasks"].size(), 2U);
  EXPECT_TRUE(rich_data(9).phases.empty()) << "skipped";
}

TEST(R3LbWriter, makes_a_file_for_a_rank_that_had_none) {
  LbData data = rich_data(0);
  data.ranks = 3;
  data.phases[0].graph.rank[0] = 2;
  const std::vector<LbText> files = lb_files(data);
  ASSERT_EQ(files.size(), 3U);
  EXPECT_EQ(files[2].origin, "data.2.json");
  const Json made = Json::parse(files[2].text);
  EXPECT_EQ(made["metadata"]["rank"], 2);
  EXPECT_EQ(made["phases"][0]["tasks"][0]["node"], 2);
  EXPECT_EQ(made["phases"][0]["communications"].size(), 3U);
}

struct Folder {
  fs::path path = fs::temp_directory_path() / ("roam_lb_writer_" + std::to_string(::getpid()));
  Folder() { fs::create_directories(path / "in"); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path); }
};

std::string complaint(const LbData& data, const fs::path& folder) {
  try {
    write_lb_data(data, folder.string());
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(R3LbWriter, overwrites_neither_its_input_nor_mixes_with_other_files) {
  const Folder folder;
  std::vector<std::string> paths;
  for (const int rank : {0, 1}) {
    paths.push_back((folder.path / "in" / ("data." + std::to_string(rank) + ".json")).string());
    std::ofstream(paths.back()) << rich_file(rank).dump();
  }
  const LbData data = read_lb_data(paths);
  EXPECT_THAT(complaint(data, folder.path / "in"), HasSubstr("the loads were read from here"));
  EXPECT_THAT(complaint(data, folder.path / "in" / ".." / "in"), HasSubstr("were read from here"));
  EXPECT_EQ(complaint(data, folder.path / "out"), "");
  EXPECT_EQ(complaint(data, folder.path / "out"), "") << "the same once more";
  std::ofstream(folder.path / "out" / "data.2.json") << "{}";
  EXPECT_THAT(complaint(data, folder.path / "out"), HasSubstr("holds data.2.json"));
}

TEST(R3LbWriter, compresses_what_was_compressed) {
  const Folder folder;
  LbData data = parse_lb_data(std::vector<LbText>{{"data.0.json", rich_file(0).dump(), true},
                                                  {"data.1.json", rich_file(1).dump(), false}});
  write_lb_data(data, (folder.path / "out").string());
  std::vector<std::string> paths;
  for (const char* name : {"data.0.json", "data.1.json"}) {
    paths.push_back((folder.path / "out" / name).string());
  }
  EXPECT_THAT(written(read_lb_data(paths)), ElementsAre(rich_file(0), rich_file(1)));
  std::ifstream plain(paths[1]);
  EXPECT_EQ(plain.get(), '{');
  // Brotli is optional; without it what was compressed is written plain.
  if (std::ifstream(paths[0]).get() == '{') GTEST_SKIP() << "built without Brotli";
  EXPECT_LT(fs::file_size(paths[0]), fs::file_size(paths[1]) / 2);
}

TEST(R3LbData, the_type_may_stand_at_the_top_beside_metadata) {
  Json file = rich_file(0);
  file["metadata"].erase("type");
  file["type"] = "LBDatafile";
  EXPECT_EQ(parse_lb_data(std::vector<LbText>{{"x", file.dump()}}).phases.size(), 5U);
  file["metadata"]["type"] = "LBStatsfile";
  EXPECT_THROW((void)parse_lb_data(std::vector<LbText>{{"x", file.dump()}}), ConfigError);
}

TEST(R3LbData, phases_that_are_said_to_be_identical_are_bounded) {
  Json file = rich_file(0);
  Json& identical = file["metadata"]["phases"]["identical_to_previous"];
  identical["range"] = {{4, 4'000'000'000'000}};
  EXPECT_THROW((void)parse_lb_data(std::vector<LbText>{{"x", file.dump()}}), ConfigError);
  identical = {{"list", {0}}, {"range", Json::array()}};
  EXPECT_EQ(parse_lb_data(std::vector<LbText>{{"x", file.dump()}}).phases.size(), 2U)
      << "what is listed counts";
  identical["list"] = {-1};
  EXPECT_THROW((void)parse_lb_data(std::vector<LbText>{{"x", file.dump()}}), ConfigError);
}

}  // namespace
}  // namespace roam::placement::lb_writer_test
