// SPDX-License-Identifier: Apache-2.0
#include "roam/transport/registry.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

#include "roam/core/error.hpp"

namespace roam::transport::registry_test {
namespace {

constexpr const char* launcher_variables[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                              "PMIX_RANK"};

class Registry : public ::testing::Test {
 protected:
  void SetUp() override {
    for (const char* variable : launcher_variables) unsetenv(variable);
  }
  void TearDown() override { SetUp(); }
  static std::string error(std::string_view name, const NetworkRequest& request) {
    try {
      static_cast<void>(make_network(name, request));
    } catch (const ConfigError& e) {
      return e.what();
    }
    return "no error";
  }
  static bool mentions(const std::string& text, std::string_view part) {
    return text.find(part) != std::string::npos;
  }
};

TEST_F(Registry, auto_without_a_launcher_is_in_process) {
  EXPECT_STREQ(make_network("auto", {})->name(), "in-process");
  EXPECT_EQ(make_network("auto", {})->size(), 1);
  const auto network = make_network("auto", {.ranks = 4});
  EXPECT_EQ(network->size(), 4);
  EXPECT_EQ(network->local_ranks(), (std::vector<Rank>{0, 1, 2, 3}));
}

TEST_F(Registry, R3_an_unknown_name_lists_the_known_ones) {
  const std::string text = error("in_proces", {});
  EXPECT_TRUE(mentions(text, "\"in_proces\"")) << text;
  EXPECT_TRUE(mentions(text, "auto, in-process")) << text;
  EXPECT_TRUE(mentions(text, "did you mean in-process?")) << text;
}

TEST_F(Registry, R3_a_number_of_ranks_must_be_positive) {
  EXPECT_TRUE(mentions(error("in-process", {.ranks = 0}), "at least 1 rank"));
  EXPECT_TRUE(mentions(error("auto", {.ranks = -3}), "not -3"));
}

TEST_F(Registry, R3_a_launcher_needs_a_network_that_connects) {
  for (const char* variable : launcher_variables) {
    // With these networks in the build, they would be opened.
    if (plugin::find<NetworkKind>("mpi") != nullptr || plugin::find<NetworkKind>("ucx") != nullptr)
      break;
    setenv(variable, "4", 1);
    const std::string text = error("auto", {});
    EXPECT_TRUE(mentions(text, variable)) << text;
    EXPECT_TRUE(mentions(text, "ROAM_WITH_MPI")) << text;
    EXPECT_TRUE(mentions(error("mpi", {}), "built without MPI"));
    unsetenv(variable);
  }
  // If in-process is asked for explicitly, it is used, whichever launcher started the process.
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  EXPECT_EQ(make_network("in-process", {.ranks = 2})->size(), 2);
}

TEST_F(Registry, R3_ranks_asked_for_must_be_those_started) {
  static const NetworkRegistrar fake{{
      .name = "aaa-test",
      .description = "pretends to be detected",
      .create = [](const NetworkRequest& request) { return make_network("in-process", request); },
      .detected = [] { return std::getenv("PMI_SIZE") != nullptr; },
  }};
  EXPECT_EQ(plugin::all<NetworkKind>().front(), &fake.kind());
  setenv("PMI_SIZE", "4", 1);
  EXPECT_EQ(make_network("auto", {.ranks = 4})->size(), 4);
  for (const char* name : {"auto", "aaa-test"}) {
    const std::string text = error(name, {.ranks = 3});
    EXPECT_TRUE(mentions(text, "3 ranks")) << text;
    EXPECT_TRUE(mentions(text, "started 4")) << text;
  }
}

TEST_F(Registry, R3_a_network_that_is_missing_says_how_to_get_it) {
  // Only a build without UCX lacks a network.
  if (plugin::find<NetworkKind>("ucx") != nullptr) GTEST_SKIP() << "this build has UCX";
  const std::string text = error("ucx", {});
  EXPECT_TRUE(mentions(text, "this build of Roam has no UCX: install libucx-dev")) << text;
  EXPECT_TRUE(mentions(text, "-DROAM_WITH_UCX=ON")) << text;
}

TEST_F(Registry, kinds_are_sorted_and_described) {
  const auto kinds = plugin::all<NetworkKind>();
  ASSERT_FALSE(kinds.empty());
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_NE(std::string(kinds[i]->description), "");
    if (i > 0) {
      EXPECT_LT(std::string_view(kinds[i - 1]->name), std::string_view(kinds[i]->name));
    }
  }
  EXPECT_NE(plugin::find<NetworkKind>("in-process"), nullptr);
  EXPECT_EQ(plugin::find<NetworkKind>("auto"), nullptr);
}

}  // namespace
}  // namespace roam::transport::registry_test
