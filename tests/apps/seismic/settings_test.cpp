// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <gtest/gtest.h>

#include <cmath>

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

}  // namespace
}  // namespace seismic
