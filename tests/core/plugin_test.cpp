// SPDX-License-Identifier: Apache-2.0
// B4: everything that is chosen by name is registered, listed, found and explained in one way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "roam/core/plugin/library.hpp"

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

struct Cheese {
  std::string name;
  std::string description;
  std::vector<roam::plugin::Parameter> parameters;
  double (*create)(const roam::plugin::Parameters& parameters, double milk);
};

/// A plug-in of the same family, as an older header declares it.
struct OldCheese {
  std::string name;
  std::string description;
};

/// A kind without parameters.
struct Wine {
  const char* name;
  const char* description;
};

}  // namespace

template <>
struct roam::plugin::Family<Cheese> {
  static constexpr const char* name = "cheese";
  static constexpr std::uint32_t interface = 2;
  static constexpr std::uint64_t layout = layout_of<Cheese>();
};
template <>
struct roam::plugin::Family<OldCheese> {
  static constexpr const char* name = "cheese";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout = layout_of<OldCheese>();
};
template <>
struct roam::plugin::Family<Wine> {
  static constexpr const char* name = "wine";
  static constexpr std::uint32_t interface = 1;
  static constexpr std::uint64_t layout = layout_of<Wine>();
};

namespace roam::plugin::plugin_test {
namespace {

double make_cheese(const Parameters& parameters, double milk) {
  return parameters.number("ripe") * milk;
}

const std::vector<Parameter> ripeness{{.name = "ripe",
                                       .description = "weeks in the cellar",
                                       .default_value = "4",
                                       .minimum = 1,
                                       .maximum = 100},
                                      {.name = "rind",
                                       .description = "outside",
                                       .default_value = "white",
                                       .words = {"white", "red"}}};

const Registrar<Cheese> gouda{
    {.name = "gouda", .description = "hard", .parameters = ripeness, .create = make_cheese}};
const Registrar<Cheese> brie{{.name = "brie",
                              .description = "soft",
                              .parameters = {ripeness.front()},
                              .create = make_cheese}};
const Registrar<OldCheese> stilton{{.name = "stilton", .description = "of another version"}};
const Registrar<Wine> port{{.name = "port", .description = "goes with stilton"}};
const Registrar<Wine> gouda_wine{{.name = "gouda", .description = "is none"}};

std::string complaint(const std::string& choice) {
  try {
    (void)make<Cheese>(parse_plugin_choice(choice), "--cheese", 1.0);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST(B4Plugin, are_listed_by_name_and_kind) {
  EXPECT_THAT(names<Cheese>(), ElementsAre("brie", "gouda"));
  EXPECT_THAT(names<Wine>(), ElementsAre("gouda", "port"));
  EXPECT_EQ(all<Cheese>().front(), &brie.kind());
  EXPECT_EQ(find<Cheese>("gouda"), &gouda.kind());
  EXPECT_EQ(find<Cheese>("port"), nullptr);
}

TEST(B4Plugin, of_another_version_are_not_seen) {
  EXPECT_EQ(find<Cheese>("stilton"), nullptr);
  EXPECT_THAT(names<OldCheese>(), ElementsAre("stilton"));
}

TEST(B4Plugin, are_made_of_checked_parameters) {
  EXPECT_EQ(make<Cheese>({"gouda", {}}, "--cheese", 2.0), 8);
  EXPECT_EQ(make<Cheese>(parse_plugin_choice("gouda:ripe=5,rind=red"), "--cheese", 2.0), 10);
}

TEST(B4Plugin, a_mistake_is_blamed_on_the_option_with_a_suggestion) {
  EXPECT_THAT(complaint("goda"),
              AllOf(StartsWith("--cheese: there is no cheese \"goda\""),
                    HasSubstr("known are: brie, gouda"), HasSubstr("did you mean gouda?")));
  EXPECT_THAT(complaint("gouda:rip=1"), HasSubstr("cheese gouda has no parameter \"rip\""));
  EXPECT_THAT(complaint("brie:ripe=0"), HasSubstr("allowed is a number from 1 to 100"));
  EXPECT_THAT(complaint("gouda:rind=read"),
              AllOf(HasSubstr("one of white, red"), HasSubstr("did you mean red?")));
}

TEST(B4Plugin, help_tells_of_all_of_these_kinds_that_have_the_name) {
  EXPECT_EQ(help_of<Wine>("gouda"), "wine gouda: is none\n  no parameters\n");
  EXPECT_EQ((help_of<Cheese, Wine>("gouda")),
            "cheese gouda: hard\n"
            "  ripe=4  weeks in the cellar; a number from 1 to 100\n"
            "  rind=white  outside; one of white, red\n"
            "wine gouda: is none\n"
            "  no parameters\n");
  try {
    (void)help_of<Cheese>("bri");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(),
                AllOf(StartsWith("there is no plug-in \"bri\""), HasSubstr("did you mean brie?")));
  }
}

// Libraries may be loaded by several threads.
TEST(B4Plugin, are_registered_by_many_threads_at_a_time) {
  static std::vector<Entry> wines(800);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t) {
    threads.emplace_back([t] {
      for (std::size_t i = t; i < wines.size(); i += 4) {
        wines[i] = {stamp_of<Wine>(), "many wines", "w", "", nullptr, nullptr};
        add(wines[i]);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(entries("many wines", stamp_of<Wine>()).size(), wines.size());
}

}  // namespace
}  // namespace roam::plugin::plugin_test
