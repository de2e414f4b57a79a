// SPDX-License-Identifier: Apache-2.0
// B4: load models of shared libraries, anywhere in a stack; what is wrong with one is said before
// anything starts.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "roam/balance/plugin_library.hpp"
#include "roam/core/error.hpp"
#include "roam/roam.hpp"
#include "support/piece.hpp"

namespace roam::balance::load_model_library_test {
namespace {

using roam::testing::Piece;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string path_of(const std::string& kind) {
  return std::string(ROAM_TEST_PLUGINS) + "/libtest_plugin_" + kind + ".so";
}

std::vector<std::string> names(const std::string& stack) {
  std::vector<std::string> found;
  for (const PluginChoice& choice : load_model_stack(parse_plugin_stack(stack))) {
    found.push_back(choice.name);
  }
  return found;
}

std::string complaint(const std::string& stack) {
  try {
    check_load_models(load_model_stack(parse_plugin_stack(stack)));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(B4ModelLibrary, names_are_left_as_they_are) {
  EXPECT_THAT(names("nonsense+smooth:weight=1"), ::testing::ElementsAre("nonsense", "smooth"));
}

TEST(B4ModelLibrary, stands_anywhere_in_the_stack) {
  const std::string good = path_of("good");
  const std::string ours = "model_of_a_library";
  EXPECT_THAT(names(good + ":factor=3+smooth"), ::testing::ElementsAre(ours, "smooth"));
  EXPECT_THAT(names("smooth+" + good), ::testing::ElementsAre("smooth", ours));
  EXPECT_THAT(names(good + "+linear:phases=2+" + good + ":factor=3"),
              ::testing::ElementsAre(ours, "linear", ours));
  EXPECT_EQ(complaint(good + ":factor=1e+0+" + good), "");
}

TEST(B4ModelLibrary, what_is_wrong_is_said_once) {
  EXPECT_THAT(complaint("smooth+./no/such/library.so"),
              AllOf(StartsWith("--roam-load-model: cannot load this library: "),
                    HasSubstr("./no/such/library.so"), HasSubstr("No such file")));
  EXPECT_THAT(complaint(path_of("unresolved")), HasSubstr("undefined symbol: defined_nowhere"));
  EXPECT_THAT(complaint(path_of("no_symbol")), HasSubstr("it has no symbol roam_plugin"));
  EXPECT_THAT(complaint(path_of("other_interface")), HasSubstr("another version of Roam"));
  EXPECT_THAT(complaint(path_of("other_layout")), HasSubstr("another version of Roam"));
  EXPECT_THAT(complaint(path_of("empty")), HasSubstr("the library brings no load model"));
  EXPECT_THAT(complaint(path_of("unregistered")),
              HasSubstr("the load model \"nor_this\", but registers none of that name"));
  EXPECT_THAT(complaint("smooth+" + path_of("good") + ":factor=11"),
              AllOf(StartsWith("--roam-load-model: "),
                    HasSubstr("factor of load model model_of_a_library is \"11\""),
                    HasSubstr("a number from 0 to 10")));
  EXPECT_THAT(complaint(path_of("good") + ":facto=1"), HasSubstr("did you mean factor?"));
  // From then on there are two of that name.
  EXPECT_THAT(complaint(path_of("twice")), HasSubstr("there is one of that name already"));
}

/// Exit status and standard error of a simulated program of one phase.
struct Ended {
  int status = 0;
  bool has_run = false;
  std::string text;
  PhaseReport report;
};

Ended run(const std::string& stack) {
  Ended ended;
  std::vector<std::string> words{"program", "--roam-simulate=ranks=2,workers=1",
                                 "--roam-balancer=refine", "--roam-load-model=" + stack};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  auto count = static_cast<int>(words.size());
  ::testing::internal::CaptureStderr();
  ended.status = roam::run(count, arguments.data(), [&](Runtime& rt) -> Task<> {
    ended.has_run = true;
    rt.create<Piece>().send<&Piece::work>();
    const PhaseReport report = co_await rt.phase();
    if (rt.rank() == 0) ended.report = report;
  });
  ended.text = ::testing::internal::GetCapturedStderr();
  return ended;
}

TEST(B4ModelLibrary, is_asked_by_a_whole_program) {
  const Ended ended = run("scale:factor=2+" + path_of("good") + ":factor=3");
  EXPECT_EQ(ended.status, 0) << ended.text;
  EXPECT_NEAR(ended.report.expected_mean_seconds, 6 * ended.report.mean_load_seconds,
              0.1 * ended.report.mean_load_seconds);
}

TEST(B4ModelLibrary, R3_nothing_runs_if_it_is_refused) {
  for (const std::string& stack : {std::string("./none.so"), "smooth+" + path_of("no_symbol"),
                                   path_of("other_interface"), path_of("good") + ":factor=-1"}) {
    SCOPED_TRACE(stack);
    const Ended ended = run(stack);
    EXPECT_EQ(ended.status, 2);
    EXPECT_FALSE(ended.has_run);
    EXPECT_THAT(ended.text, StartsWith("roam: --roam-load-model: "));
    EXPECT_EQ(std::ranges::count(ended.text, '\n'), 1) << ended.text;
  }
}

}  // namespace
}  // namespace roam::balance::load_model_library_test
