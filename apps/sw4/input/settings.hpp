// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "model/layers.hpp"
#include "numerics/patch.hpp"
#include "solve/receivers.hpp"
#include "sources/point_sources.hpp"

namespace sw4 {

/// The contents of a parameter file, for both programs. Lengths in m, times in s, z downwards.
struct Settings {
  std::string title;
  double end = 1.0;
  double step_factor = 1.3;  ///< see step_of()
  Grid grid;
  std::vector<seismic::Layer> layers;
  std::vector<seismic::MomentSource> sources;
  std::vector<seismic::Receiver> receivers;
  std::filesystem::path folder = ".";  ///< of what is written
  double sampling = 0.01;              ///< of the seismograms

  [[nodiscard]] std::int64_t points() const;
};

/// Reads TOML (README.md has the keys). `file` names it in errors. `spacing`: instead of the
/// text's, unless 0. Throws seismic::SettingsError.
[[nodiscard]] Settings parse_settings(std::string_view text, const std::filesystem::path& file,
                                      double spacing = 0.0);
/// Reads a parameter file, like parse_settings().
[[nodiscard]] Settings load_settings(const std::filesystem::path& file, double spacing = 0.0);

/// Command line options that both programs have.
struct CommonOptions {
  std::string file;
  std::string folder;    ///< instead of the file's; empty: that
  double spacing = 0.0;  ///< instead of the file's; 0: that
};

/// Reads the file that the options name and tries its folder. Throws seismic::SettingsError.
[[nodiscard]] Settings settings_of(const CommonOptions& options);

/// Throws seismic::SettingsError if a block were narrower than an edge.
void check_blocks(const Settings& settings, const std::array<std::int32_t, 2>& blocks);

}  // namespace sw4
