// SPDX-License-Identifier: Apache-2.0
// R3: groups of options, of a room and of a program, that no file of core knows.
#include "roam/core/option_group.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "roam/core/detail/take_options.hpp"
#include "roam/core/error.hpp"
#include "support/temporary_folder.hpp"

namespace roam::core::option_group_test {

namespace {

using Strings = std::vector<std::string>;

enum class Colour { red, green };

struct RoomOptions {
  std::uint32_t toys = 3;
  double pause_seconds = 0;
  bool loud = false;
  Colour colour = Colour::green;
  std::int64_t sum = 0;  // of toys and of the cells of Heat's
};
struct HeatOptions {
  std::int32_t cells = 100;
  std::size_t cache_bytes = 4096;
  std::string output;
};

const OptionGroup<RoomOptions>& room_options() {
  static const OptionGroup<RoomOptions> group(
      {"Toys"},
      [](OptionGroup<RoomOptions>& toys) {
        toys.number("toys", "N", &RoomOptions::toys, {1, 10}, "How many there are")
            .equal_on_all_ranks();
        toys.real("pause", "SECONDS", &RoomOptions::pause_seconds, 10, "seconds", "Between two");
        toys.flag("loud", &RoomOptions::loud, "Say so");
        toys.word("colour", "COLOUR", &RoomOptions::colour,
                  {{"red", Colour::red}, {"green", Colour::green}}, "Of all of them");
        toys.resolved_by([](RoomOptions& options, const OptionSettings& settings) {
          options.sum = settings.in_force("toys") == nullptr ? -1 : std::int64_t{options.toys};
        });
      },
      false);
  return group;
}

const OptionGroup<HeatOptions>& heat_options() {
  static const OptionGroup<HeatOptions> group(
      {"Heat on a plate", "heat"},
      [](OptionGroup<HeatOptions>& heat) {
        heat.number("cells", "N", &HeatOptions::cells, {1, 1000}, "Cells each way");
        heat.bytes("cache-size", &HeatOptions::cache_bytes, {1024, 1 << 20}, "What it may keep");
        heat.output_file("output", &HeatOptions::output, "Where it goes");
      },
      false);
  return group;
}

TakenOptions take(Strings arguments, const Strings& environment = {},
                  const OptionValues& defaults = {}, Strings* rest = nullptr) {
  TakenOptions taken =
      take_options(arguments, environment, defaults, {&room_options(), &heat_options()});
  if (rest != nullptr) *rest = arguments;
  return taken;
}

std::string error(const Strings& arguments, const Strings& environment = {}) {
  try {
    (void)take(arguments, environment);
  } catch (const ConfigError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error";
  return {};
}

TEST(OptionGroup, values_come_from_where_they_were_set_and_else_are_the_members_defaults) {
  Strings rest;
  const TakenOptions taken = take(
      {"--roam-toys", "7", "in", "--heat-cells=12", "--roam-loud", "--heat", "--roam-colour=red"},
      {"HEAT_CACHE_SIZE=8KiB", "ROAM_PAUSE=0.5"}, {}, &rest);
  const auto& room = taken.values.get<RoomOptions>();
  EXPECT_EQ(room.toys, 7U);
  EXPECT_TRUE(room.loud);
  EXPECT_EQ(room.colour, Colour::red);
  EXPECT_EQ(room.pause_seconds, 0.5);
  EXPECT_EQ(room.sum, 7);
  const auto& heat = taken.values.get<HeatOptions>();
  EXPECT_EQ(heat.cells, 12);
  EXPECT_EQ(heat.cache_bytes, 8192U);
  EXPECT_EQ(rest, (Strings{"in", "--heat"})) << "what only looks like a prefix is the program's";
  ASSERT_EQ(taken.given.size(), 6U);
  EXPECT_EQ(taken.given.front().origin, "environment variable HEAT_CACHE_SIZE");
  EXPECT_EQ(taken.given.front().name, "heat-cache-size");
  EXPECT_EQ(taken.given[2].name, "toys");

  const TakenOptions none = take({});
  EXPECT_EQ(none.values.get<RoomOptions>().toys, 3U);
  EXPECT_EQ(none.values.get<RoomOptions>().sum, -1);
  EXPECT_EQ(none.values.get<HeatOptions>().cells, 100);
}

TEST(OptionGroup, defaults_are_kept_where_nothing_is_set) {
  OptionValues defaults;
  defaults.edit<HeatOptions>().cells = 5;
  const TakenOptions taken = take({"--heat-cache-size=2KB"}, {}, defaults);
  EXPECT_EQ(taken.values.get<HeatOptions>().cells, 5);
  EXPECT_EQ(taken.values.get<HeatOptions>().cache_bytes, 2000U);
  EXPECT_EQ(defaults.get<HeatOptions>().cache_bytes, 4096U) << "copies are each other's no more";
}

TEST(OptionGroup, mistakes_are_found_and_answered_as_those_in_roams_own_options) {
  EXPECT_EQ(error({"--heat-cells=0"}),
            "--heat-cells: bad value \"0\"; allowed is a whole number from 1 to 1000");
  EXPECT_EQ(error({"--roam-toys=11"}),
            "--roam-toys: bad value \"11\"; allowed is a whole number from 1 to 10");
  EXPECT_EQ(
      error({"--heat-cels=3"}),
      "unknown option --heat-cels; did you mean --heat-cells? (--roam-help lists all options)");
  EXPECT_EQ(
      error({"--HEAT_CELLS=3"}),
      "unknown option --HEAT_CELLS; did you mean --heat-cells? (--roam-help lists all options)");
  EXPECT_EQ(
      error({}, {"HEAT_CELS=3"}),
      "unknown environment variable HEAT_CELS; did you mean HEAT_CELLS? (--roam-help lists all "
      "options)");
  EXPECT_EQ(error({"--heat-output=no/such/file"}),
            "--heat-output: cannot write \"no/such/file\": \"no/such\" is not an existing folder");
  EXPECT_EQ(error({"--roam-config=no/such.toml"}),
            "--roam-config: cannot read \"no/such.toml\": No such file or directory");
}

TEST(OptionGroup, variables_that_merely_begin_like_a_programs_own_are_let_pass) {
  EXPECT_TRUE(take({}, {"HEAT_LICENSE_SERVER=here", "HEAT_HOME=/opt/heat"}).given.empty());
}

TEST(OptionGroup, a_file_has_a_table_for_each_prefix) {
  const roam::testing::TemporaryFolder folder;
  const std::string file = folder.file("job.toml");
  std::ofstream(file) << "toys = 9\n[heat]\ncells = 8\ncache_size = '1KiB'\n";
  const TakenOptions taken = take({"--roam-config", file});
  EXPECT_EQ(taken.values.get<RoomOptions>().toys, 9U);
  EXPECT_EQ(taken.values.get<HeatOptions>().cells, 8);
  EXPECT_EQ(taken.values.get<HeatOptions>().cache_bytes, 1024U);
  std::ofstream(file) << "[heat]\ncels = 8\n";
  EXPECT_EQ(error({"--roam-config", file}),
            file + ":2:1: unknown key cels; did you mean cells? (--roam-help lists all options)");
}

TEST(OptionGroup, the_help_is_made_of_the_groups) {
  const OptionGroups groups = {&room_options(), &heat_options()};
  const std::string help = options_help({}, {}, groups);
  EXPECT_NE(help.find("Toys:\n  --roam-toys N"), std::string::npos) << help;
  EXPECT_NE(help.find("How many there are; 1 to 10 [3]"), std::string::npos) << help;
  EXPECT_NE(help.find("Heat on a plate:\n  --heat-cells N"), std::string::npos) << help;
  EXPECT_NE(help.find("1KiB to 1MiB [4KiB]"), std::string::npos) << help;
  const std::string cache = options_help({}, "heat-cache-size", groups);
  EXPECT_NE(cache.find("HEAT_CACHE_SIZE"), std::string::npos) << cache;
  EXPECT_NE(cache.find("cache_size in the table [heat]"), std::string::npos) << cache;
  EXPECT_NE(options_help({}, "toys", groups).find("same on all ranks"), std::string::npos);
}

}  // namespace

}  // namespace roam::core::option_group_test
