// SPDX-License-Identifier: Apache-2.0
// R3: recorded loads of vt are read, written and, where they are wrong, refused with the place.
#include "roam/placement/detail/lb_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "roam/core/error.hpp"

namespace roam::placement::lb_data_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* rank_0 = R"({"metadata":{"type":"LBDatafile","rank":0},"phases":[
  {"id":3,"tasks":[
    {"entity":{"type":"object","id":18446744073709551615,"home":0,"index":[1,2],"migratable":true},
     "node":0,"resource":"cpu","time":1.5,"user_defined":{"task_serialized_bytes":1024.0}},
    {"entity":{"type":"object","id":7,"home":0,"index":[0,1],"migratable":false},
     "node":0,"resource":"cpu","time":0.25,"user_defined":{"task_serialized_bytes":10}}],
   "communications":[
    {"type":"SendRecv","bytes":100,"messages":2,"from":{"type":"object","id":7},
     "to":{"type":"object","id":9}},
    {"type":"SendRecv","bytes":1,"from":{"type":"object","id":7},"to":{"type":"object","id":99}},
    {"type":"Broadcast","bytes":1,"from":{"type":"object","id":7},"to":{"type":"node","id":1}}]}]})";
constexpr const char* rank_1 = R"({"type":"LBDatafile","phases":[{"id":3,"tasks":[
    {"entity":{"type":"object","seq_id":9,"home":1,"index":[3,3],"migratable":true},
     "resource":"cpu","time":2,"user_defined":{"task_serialized_bytes":5}}]}]})";

LbData read(const std::vector<LbText>& files) { return parse_lb_data(files); }

TEST(R3LbData, is_read_from_the_files_of_all_ranks) {
  const LbData data = read({{"data.0.json", rank_0}, {"toy.1.json", rank_1}});
  EXPECT_EQ(data.ranks, 2);
  ASSERT_EQ(data.phases.size(), 1U);
  const LbData::Phase& phase = data.phases[0];
  EXPECT_EQ(phase.id, 3);
  EXPECT_EQ(phase.objects[0].id, 18446744073709551615U);
  EXPECT_THAT(phase.graph.seconds, ElementsAre(1.5, 0.25, 2));
  EXPECT_THAT(phase.graph.rank, ElementsAre(0, 0, 1));
  EXPECT_THAT(phase.graph.pinned, ElementsAre(0, 1, 0));
  EXPECT_THAT(phase.graph.bytes, ElementsAre(1024, 10, 5));
  EXPECT_EQ(phase.graph.coordinates[2][1], 3);
  ASSERT_EQ(phase.graph.links.size(), 1U);
  EXPECT_EQ(phase.graph.links[0].b, 2U);
  EXPECT_EQ(phase.graph.links[0].bytes, 100);
  EXPECT_EQ(phase.graph.links[0].messages, 2);
  EXPECT_EQ(phase.other_communications, 2U);
}

std::vector<LbText> written(const LbData& data) { return lb_files(data); }

TEST(R3LbData, is_written_so_that_it_reads_the_same) {
  LbData data = read({{"data.0.json", rank_0}, {"toy.1.json", rank_1}});
  data.phases[0].graph.rank[0] = 1;  // moved
  const LbData again = read(written(data));
  const LoadGraph& graph = again.phases[0].graph;
  EXPECT_EQ(again.ranks, 2);
  EXPECT_THAT(graph.seconds, ElementsAre(0.25, 2, 1.5));  // behind those that were there
  EXPECT_THAT(graph.rank, ElementsAre(0, 1, 1));
  EXPECT_THAT(graph.pinned, ElementsAre(1, 0, 0));
  EXPECT_THAT(graph.bytes, ElementsAre(10, 5, 1024));
  ASSERT_EQ(graph.links.size(), 1U);
  EXPECT_EQ(graph.links[0].messages, 2);
}

std::string complaint(const std::vector<LbText>& files) {
  try {
    (void)read(files);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

std::string with_task(const std::string& task) {
  return R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[)" + task + "]}]}";
}

TEST(R3LbData, errors_say_where_and_what) {
  EXPECT_THAT(complaint({{"x.0.json", "{\"a\": "}}),
              AllOf(HasSubstr("x.0.json"), HasSubstr("line 1")));
  EXPECT_THAT(complaint({{"x.0.json", "{}"}}), HasSubstr("LBDatafile"));
  EXPECT_THAT(complaint({{"x.0.json", "[]"}}), HasSubstr("x.0.json"));
  EXPECT_THAT(complaint({{"x.json", with_task("")}}), HasSubstr("tell its rank"));
  EXPECT_THAT(complaint({{"x.0.json", R"({"type":"LBDatafile"})"}}),
              HasSubstr("the key \"phases\" is missing"));
  EXPECT_THAT(complaint({{"x.0.json", with_task(R"({"entity":{"id":1},"time":-1})")}}),
              AllOf(HasSubstr("x.0.json/phases/0/tasks/0/time: found -1"), HasSubstr("from 0")));
  EXPECT_THAT(complaint({{"x.0.json", with_task(R"({"entity":{"id":1.5},"time":1})")}}),
              HasSubstr("entity/id: found 1.5"));
  EXPECT_THAT(complaint({{"x.0.json", with_task(R"({"entity":{"id":1},"time":1,"node":-3})")}}),
              HasSubstr("node: found -3"));
  EXPECT_THAT(complaint({{"x.0.json", with_task(R"({"entity":{"id":1},"time":1},
                                                   {"entity":{"id":1},"time":1})")}}),
              HasSubstr("not listed in this phase before"));
  EXPECT_THAT(complaint({{"x.0.json", with_task("")}, {"y.0.json", with_task("")}}),
              AllOf(HasSubstr("y.0.json: the loads of rank 0"), HasSubstr("x.0.json")));
  EXPECT_THAT(complaint({{"x.0.json", R"({"type":"LBDatafile","phases":3})"}}),
              HasSubstr("allowed is a list"));
}

TEST(R3LbData, links_of_objects_without_a_type_are_written_so_that_they_read_the_same) {
  const LbData data = read({{"x.0.json", R"({"type":"LBDatafile","phases":[{"id":0,
    "tasks":[{"entity":{"id":1},"time":1},{"entity":{"seq_id":2},"time":1}],
    "communications":[{"type":"SendRecv","bytes":1,"from":{"type":"object","id":1},
                       "to":{"type":"object","seq_id":2}}]}]})"}});
  ASSERT_EQ(data.phases[0].graph.links.size(), 1U);
  EXPECT_EQ(read(written(data)).phases[0].graph.links.size(), 1U);
}

TEST(R3LbData, of_any_rank_may_be_given_in_any_order_under_any_name) {
  const auto file = [](int rank) {
    return R"({"type":"LBDatafile","phases":[{"id":0,"tasks":[{"node":)" + std::to_string(rank) +
           R"(,"entity":{"id":)" + std::to_string(100 - rank) + R"(},"time":1}]}]})";
  };
  const auto ids = [](const LbData& data) {
    std::vector<std::uint64_t> list;
    for (const LbData::Object& object : data.phases[0].objects) list.push_back(object.id);
    return list;
  };
  std::vector<LbText> by_rank;
  std::vector<LbText> by_name;
  for (const int rank : {0, 1, 2, 10, 11}) by_rank.push_back({"data.0.json", file(rank)});
  for (const int rank : {0, 1, 10, 11, 2}) by_name.push_back({"whatever", file(rank)});
  EXPECT_THAT(ids(read(by_rank)), ElementsAre(100, 99, 98, 90, 89));
  EXPECT_EQ(ids(read(by_name)), ids(read(by_rank)));
}

TEST(R3LbData, of_one_job_must_be_whole_and_not_mixed_with_another) {
  const auto file = [](int rank, const std::string& attributes) {
    return LbText{"r" + std::to_string(rank),
                  R"({"phases":[],"type":"LBDatafile","metadata":{"rank":)" + std::to_string(rank) +
                      attributes + "}}"};
  };
  const std::string ours = R"(,"attributes":{"roam_job":"a","roam_ranks":2})";
  const std::string other = R"(,"attributes":{"roam_job":"b","roam_ranks":2})";
  EXPECT_EQ(read({file(0, ours), file(1, ours)}).ranks, 2);
  EXPECT_THAT(complaint({file(0, ours), file(1, other)}),
              AllOf(HasSubstr("r1: not of the job that wrote r0"), HasSubstr("roam_job")));
  EXPECT_THAT(complaint({file(0, ours), file(1, "")}), HasSubstr("not of the job"));
  EXPECT_THAT(complaint({file(1, ours)}), HasSubstr("the file of rank 0 is missing"));
}

TEST(R3LbData, numbers_of_bytes_and_levels_that_cannot_be_are_refused) {
  const auto with = [](const std::string& user_defined) {
    return complaint({{"x.0.json", with_task(R"({"entity":{"id":1},"time":1,"user_defined":)" +
                                             user_defined + "}")}});
  };
  EXPECT_THAT(with(R"({"task_serialized_bytes":1e300})"), HasSubstr("from 0 to 1e18"));
  EXPECT_EQ(with(std::string(50, '[') + std::string(50, ']')), "");
  EXPECT_THAT(with(std::string(1'000'000, '[') + std::string(1'000'000, ']')),
              HasSubstr("x.0.json: nested deeper than 100 levels"));
}

TEST(R3LbData, a_few_bytes_do_not_become_gigabytes) {
  // 64 MiB of spaces, compressed with Brotli.
  constexpr unsigned char bytes[] = {
      0xcf, 0xff, 0xff, 0x7f, 0x00, 0x24, 0x40, 0xe2, 0xb1, 0x40, 0x72, 0xef, 0xff,
      0xf9, 0xff, 0xff, 0x0f, 0x80, 0x04, 0x40, 0x1c, 0x16, 0x80, 0xee, 0xfd, 0x3f,
      0xff, 0xff, 0xff, 0x01, 0x90, 0x00, 0x88, 0xc3, 0x02, 0xd0, 0xbd, 0xff, 0xcf,
      0xff, 0xff, 0x7f, 0x00, 0x12, 0x00, 0x71, 0x58, 0x00, 0xba, 0xf7, 0xff};
  const std::string path = ::testing::TempDir() + "/much.0.json";
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes), sizeof bytes);
  try {
    (void)read_lb_data(std::vector{path});
    FAIL() << "was read";
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AnyOf(HasSubstr("10,000 times as large"), HasSubstr("libbrotli")));
  }
}

TEST(R3LbData, files_that_are_none_are_refused) {
  EXPECT_THROW((void)read_lb_data(std::vector<std::string>{"/no/such/file"}), ConfigError);
  const std::string path = ::testing::TempDir() + "/garbage.0.json";
  std::ofstream(path) << "\x80\x81 this is neither";
  EXPECT_THROW((void)read_lb_data(std::vector{path}), ConfigError);
}

}  // namespace
}  // namespace roam::placement::lb_data_test
