// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "model/ground.hpp"
#include "settings/settings_error.hpp"

namespace seismic {
namespace {

const std::string good = R"(title = "test"
[solver]
order = 3
end = 0.5
[mesh]
cell = 100.0
cells = [4, 4, 2]
[boundaries]
x_lower = "symmetric"
x_upper = "absorbing"
y_lower = "periodic"
y_upper = "periodic"
z_lower = "free"
z_upper = "clamped"
[[material]]
density = 2600
p_speed = 4000
s_speed = 2000
[[source]]
position = [100, 100, 100]
moment = [0, 0, 0, 1e18, 0, 0]
rate = { kind = "brune", time = 0.1 }
[[receiver]]
name = "a"
position = [300, 300, 0]
)";

TEST(Settings, points_have_the_support_that_the_file_says) {
  EXPECT_FALSE(parse_settings(good, "file.toml").uses_neighbours);
  std::string text = good;
  text.insert(text.find("end ="), "point_support = \"neighbours\"\n");
  EXPECT_TRUE(parse_settings(text, "file.toml").uses_neighbours);
}

TEST(Settings, say_what_the_file_says) {
  const Settings settings = parse_settings(good, "file.toml");
  EXPECT_EQ(settings.order, 3);
  EXPECT_EQ(settings.grid.count[2], 2);
  EXPECT_EQ(settings.boundaries[0], Boundary::symmetric);
  EXPECT_TRUE(settings.grid.is_periodic[1]);
  EXPECT_EQ(settings.layers.at(0).material.p_speed, 4000.0);
  EXPECT_EQ(settings.sources.at(0).moment[3], 1e18);
  EXPECT_NEAR(settings.sources.at(0).rate(0.1), 10.0 * std::exp(-1.0), 1e-9);
  EXPECT_EQ(settings.receivers.at(0).name, "a");
}

/// Replaces `old_words` and expects an error that begins with `place` and has `words` in it.
struct Wrong {
  const char* old_words;
  const char* new_words;
  const char* place;
  const char* words;
};

class WrongSettings : public ::testing::TestWithParam<Wrong> {};
INSTANTIATE_TEST_SUITE_P(
    All, WrongSettings,
    ::testing::Values(
        Wrong{"order = 3", "order = 10",
              "file.toml:3: ", "order must be a whole number from 1 to 9"},
        Wrong{"order = 3", "order = 3.5", "file.toml:3: ", "order"},
        Wrong{"order = 3", "ordre = 3", "file.toml:3: ", "unknown key ordre in solver"},
        Wrong{"end = 0.5", "end = nan", "file.toml:4: ", "end must be a finite number"},
        Wrong{"end = 0.5", "end = 0.5 5", "file.toml:4: ", ""},
        Wrong{"end = 0.5", "", "file.toml:2: ", "end is missing"},
        Wrong{"cells = [4, 4, 2]", "cells = [4, 4]", "file.toml:7: ", "cells must be 3 numbers"},
        Wrong{"cells = [4, 4, 2]", "cells = [4, 4, 0]", "file.toml:5: ", "cells must be three"},
        Wrong{"\"symmetric\"", "\"mirror\"", "file.toml:9: ", "x_lower must be one of free"},
        Wrong{"y_upper = \"periodic\"", "y_upper = \"free\"", "file.toml:8: ", "both be periodic"},
        Wrong{"[[material]]", "[[source]]", "file.toml:1: ", "[[material]] is missing"},
        Wrong{"s_speed = 2000", "s_speed = 3900", "file.toml:15: ", "material 1 is no solid"},
        Wrong{"density = 2600", "density = -1", "file.toml:16: ", "density must be from"},
        Wrong{"position = [100, 100, 100]", "position = [100, 100, 201]",
              "file.toml:19: ", "outside"},
        Wrong{"position = [300, 300, 0]", "position = [300, 300, -1]", "file.toml:23: ", "outside"},
        Wrong{"position = [300, 300, 0]", "position = [300, inf, 0]", "file.toml:25: ", "finite"},
        Wrong{"\"brune\"", "\"ricker\"", "file.toml:22: ", "kind must be one of"},
        Wrong{"kind = \"brune\", time = 0.1", "kind = \"table\", file = \"none.txt\"",
              "none.txt: ", "cannot be read"},
        Wrong{"name = \"a\"", "name = \"a/b\"", "file.toml:23: ", "name"}));

TEST_P(WrongSettings, are_refused_at_their_line) {
  std::string text = good;
  const std::size_t at = text.find(GetParam().old_words);
  ASSERT_NE(at, std::string::npos);
  text.replace(at, std::string(GetParam().old_words).size(), GetParam().new_words);
  try {
    static_cast<void>(parse_settings(text, "file.toml"));
    FAIL() << "accepted " << GetParam().new_words;
  } catch (const SettingsError& error) {
    const std::string words = error.what();
    EXPECT_EQ(words.rfind(GetParam().place, 0), 0U) << words;
    EXPECT_NE(words.find(GetParam().words), std::string::npos) << words;
    EXPECT_EQ(words.find('\n'), std::string::npos) << words;
  }
}

/// `content`: of the file that a parameter file names; the error begins with its name and `place`.
struct WrongFile {
  const char* key;
  const char* content;
  const char* place;
  const char* words;
};

constexpr const char* surface =
    "[[mesh.align]]\nreference = 0\nelevations = \"FILE\"\n[boundaries]";
constexpr const char* grid = "[material_grid]\nfile = \"FILE\"\n[boundaries]";

std::string with_file(const std::string& key, const std::string& name) {
  std::string text = good, words = key;
  words.replace(words.find("FILE"), 4, name);
  return text.replace(text.find("[boundaries]"), 12, words);
}

class WrongFiles : public ::testing::TestWithParam<WrongFile> {};
INSTANTIATE_TEST_SUITE_P(
    All, WrongFiles,
    ::testing::Values(
        WrongFile{surface, "0 0 1\n0 400 2\n\n400 0 x\n", ":4: ", "x is no finite number"},
        WrongFile{surface, "0 0 1\n0 400\n", ":2: ", "must be 3 numbers"},
        WrongFile{surface, "0 0 1\n0 400 1\n400 0 1\n", ": ", "no grid of 2 x 2"},
        WrongFile{surface, "0 0 1\n0 400 1\n400 0 1\n400 0 1\n", ":4: ", "line 3 again"},
        WrongFile{surface, "0 0 1\n0 300 1\n400 0 1\n400 300 1\n", ": ", "does not cover"},
        WrongFile{surface, "", ": ", "has no elevations"},
        WrongFile{surface, "CDF\x01", ": ", "grid_to_xyz.py"},
        WrongFile{surface, "ncols 2\nnrows 1.5\nxllcenter 0\nyllcenter 0\ncellsize 400\n1 2\n",
                  ":6: ", "nrows must be a whole number"},
        WrongFile{surface, "ncols 2\nnrows two\n", ":2: ", "nrows must be a finite number"},
        WrongFile{surface, "ncols 2\nnrows 2\nxllcenter 0\ncellsize 400\n1 2\n3 4\n",
                  ":5: ", "yllcorner is missing"},
        WrongFile{
            surface,
            "ncols 2\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 400\nnodata_value 0\n1 2\n3 0\n",
            ":8: ", "a point has no elevation"},
        WrongFile{surface, "ncols 2\nnrows 2\nxllcenter 0\nyllcenter 0\ncellsize 400\n1 2\n3\n",
                  ":7: ", "3 elevations, not 2 x 2"},
        WrongFile{grid, "0 0 0 2600 4000\n", ":1: ", "must be 6 numbers"},
        WrongFile{grid, "# x\n0 0 0 2600 4000 nan\n", ":2: ", "nan is no finite number"},
        WrongFile{grid, "0 0 0 2600 4000 3900\n", ":1: ", "no solid"},
        WrongFile{grid, "0 0 0 2600 4000 2000\n1 0 9 2600 4000 2000\n", ": ", "grid of 2 x 1 x 2"},
        WrongFile{grid, "", ": ", "0 points"}));

TEST_P(WrongFiles, are_refused_at_their_line) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("wrong_files_" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "named") << GetParam().content;
  std::string words;
  try {
    static_cast<void>(parse_settings(with_file(GetParam().key, "named"), folder / "file.toml"));
  } catch (const SettingsError& error) {
    words = error.what();
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(words.rfind((folder / "named").string() + GetParam().place, 0), 0U) << words;
  EXPECT_NE(words.find(GetParam().words), std::string::npos) << words;
  EXPECT_EQ(words.find('\n'), std::string::npos) << words;
}

TEST(Ground, is_that_of_the_grid_within_it_and_of_layers_elsewhere) {
  std::istringstream in(
      "0 0 0 2000 3000 1000\n8 0 0 2000 3400 1000\n0 4 0 2000 3000 1200\n8 4 0 2000 3400 1200\n"
      "8 4 6 2200 5400 3000\n0 4 6 2200 5000 3000\n8 0 6 2200 5400 2800\n0 0 6 2200 5000 2800\n");
  const auto values = std::make_shared<const MaterialGrid>(MaterialGrid::read(in));
  const Ground both({{0.0, {2600.0, 4000.0, 2000.0}}, {9.0, {2700.0, 6000.0, 3464.0}}}, values);
  const Material inside = both.at({2.0, 3.0, 1.5});  // a quarter, three quarters, a quarter
  EXPECT_NEAR(inside.density, 2050.0, 1e-9);
  EXPECT_NEAR(inside.p_speed, 3600.0, 1e-9);
  EXPECT_NEAR(inside.s_speed, 1600.0, 1e-9);
  EXPECT_EQ(both.at({2.0, 3.0, 6.5}).p_speed, 4000.0);
  EXPECT_EQ(both.at({2.0, 5.0, 10.0}).p_speed, 6000.0);
  EXPECT_EQ(both.fastest(), 6000.0);
  const Ground alone({}, values);
  EXPECT_EQ(alone.at({-1.0, 9.0, 7.0}).p_speed, 5000.0);
  EXPECT_EQ(alone.fastest(), 5400.0);
  EXPECT_THROW(Ground({}, nullptr), std::invalid_argument);
}

TEST(Ground, may_be_a_profile_of_the_depth) {
  std::istringstream in("7 7 0 2000 3000 1000\n7 7 10 2200 5000 2000\n");
  const Ground ground({}, std::make_shared<const MaterialGrid>(MaterialGrid::read(in)));
  EXPECT_NEAR(ground.at({1000.0, -3.0, 2.5}).p_speed, 3500.0, 1e-9);
  EXPECT_EQ(ground.at({0.0, 0.0, 11.0}).s_speed, 2000.0);
}

}  // namespace
}  // namespace seismic
