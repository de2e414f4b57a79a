// SPDX-License-Identifier: Apache-2.0
// B4: balancers and schedulers of shared libraries; what is wrong with one is said before anything
// starts.
#include "roam/balance/plugin_library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "roam/core/error.hpp"
#include "roam/transport/registry.hpp"

namespace roam::balance::library_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

std::string path_of(const std::string& kind) {
  return std::string(ROAM_TEST_PLUGINS) + "/libtest_plugin_" + kind + ".so";
}

std::string complaint(const std::string& path) {
  try {
    (void)load_balancer(parse_plugin_choice(path));
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(B4Library, names_are_left_as_they_are) {
  EXPECT_EQ(load_balancer({"nonsense", {{"key", "value"}}}).name, "nonsense");
  EXPECT_EQ(load_scheduler({"nonsense", {}}).name, "nonsense");
}

TEST(B4Library, brings_a_balancer_and_a_scheduler) {
  const PluginChoice choice = load_balancer(parse_plugin_choice(path_of("good") + ":number=2"));
  EXPECT_EQ(choice.name, "policy_of_a_library");
  EXPECT_NO_THROW(check_policy(choice));
  EXPECT_EQ(load_balancer({path_of("good"), {}}).name, "policy_of_a_library") << "twice is once";
  EXPECT_THROW(check_policy({"policy_of_a_library", {{"number", "3"}}}), ConfigError);
  const PluginChoice scheduler = load_scheduler({path_of("good"), {}});
  EXPECT_EQ(scheduler.name, "of_a_library");
  const auto made = make_scheduler(scheduler, 2);
  ASSERT_NE(made, nullptr);
  EXPECT_EQ(made->pop(0), nullptr);
}

TEST(B4Library, that_cannot_be_loaded) {
  EXPECT_THAT(complaint("./no/such/library.so"),
              AllOf(StartsWith("--roam-balancer: cannot load this library: "),
                    HasSubstr("./no/such/library.so"), HasSubstr("No such file")));
  const std::string text = std::filesystem::temp_directory_path() / "roam_no_library.so";
  std::ofstream(text) << std::string(5000, 'x');
  EXPECT_THAT(complaint(text), AllOf(HasSubstr(text), HasSubstr("invalid ELF header")));
  std::filesystem::remove(text);
  EXPECT_THAT(complaint(path_of("unresolved")), HasSubstr("undefined symbol: defined_nowhere"));
}

TEST(B4Library, that_is_not_what_it_should_be) {
  EXPECT_THAT(complaint(path_of("no_symbol")), HasSubstr("it has no symbol roam_plugin"));
  EXPECT_THAT(complaint(path_of("other_interface")), HasSubstr("another version of Roam"));
  EXPECT_THAT(complaint(path_of("other_layout")), HasSubstr("another version of Roam"));
  EXPECT_THAT(complaint(path_of("other_compiler")),
              AllOf(HasSubstr("was built by Another 1, this program by "),
                    HasSubstr("build it anew with the same compiler")));
  EXPECT_THAT(complaint(path_of("empty")), HasSubstr("the library brings no balancer"));
  EXPECT_THAT(complaint(path_of("unregistered")),
              HasSubstr("\"never_registered\", but registers none of that name"));
}

TEST(B4Library, built_by_another_compiler_is_refused) {
#if defined(ROAM_TEST_PLUGIN_CLANG)
  EXPECT_THAT(complaint(path_of("clang")),
              AllOf(HasSubstr("was built by Clang "), HasSubstr(", this program by GCC ")));
  // What it has registered is seen by nobody.
  EXPECT_THAT(load_model_names(), ::testing::Not(::testing::Contains("model_of_clang")));
#else
  GTEST_SKIP() << "needs GCC for the program and Clang for the library";
#endif
}

TEST(B4Library, of_another_version_is_seen_by_nobody) {
  EXPECT_NE(complaint(path_of("other_layout")), "");
  EXPECT_THAT(policy_names(), ::testing::Not(::testing::Contains("larger")));
  EXPECT_THAT(load_model_names(), ::testing::Not(::testing::Contains("larger")));
}

TEST(B4Library, need_not_name_the_only_one_that_it_brings) {
  EXPECT_EQ(load_balancer({path_of("unnamed"), {}}).name, "that_nobody_names");
  EXPECT_THAT(complaint(path_of("several")),
              HasSubstr("brings more than one balancer, and its roam_plugin does not say which is "
                        "meant: one_of_two, two_of_two"));
}

TEST(B4Library, brings_a_transport) {
  EXPECT_EQ(transport::make_network(path_of("transport"), {})->local_ranks().size(), 3U);
  try {
    (void)transport::make_network(path_of("empty"), {});
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), AllOf(StartsWith("--roam-transport: "),
                                    HasSubstr("the library brings no transport")));
  }
}

TEST(B4Library, whose_name_is_taken) {
  // From then on there are two of that name.
  EXPECT_THAT(complaint(path_of("twice")), HasSubstr("there is one of that name already"));
}

TEST(B4Library, is_given_by_its_path) {
  try {
    (void)parse_plugin_choice("libmine.so");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr("a library is given by its path: ./libmine.so"));
  }
}

}  // namespace
}  // namespace roam::balance::library_test
