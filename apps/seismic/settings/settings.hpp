// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mesh/spacetree.hpp"
#include "model/boundaries.hpp"
#include "model/layers.hpp"
#include "model/material_grid.hpp"
#include "model/vertical_map.hpp"
#include "solve/adaptation.hpp"
#include "solve/receivers.hpp"
#include "sources/point_sources.hpp"

namespace seismic {

/// A box whose cells are divided `levels` times.
struct RefinedBox {
  Point lower{};
  Point upper{};
  int levels = 1;
};

/// The contents of a parameter file. Lengths in m, times in s, z downwards.
struct Settings {
  std::string title;
  int order = 5;
  Flux flux = Flux::godunov;
  double step_factor = 0.9;      ///< of the longest stable step
  bool uses_neighbours = false;  ///< for sources and receivers (PointSupport)
  double end = 1.0;
  RootGrid grid;
  std::vector<RefinedBox> refined;
  VerticalMap map;
  AdaptRule adapt;
  Boundaries boundaries{};
  double damping_thickness = 0.0;
  double damping_remainder = 1e-3;  ///< of the amplitude of a P wave that went through and back
  std::vector<Layer> layers;
  std::shared_ptr<const MaterialGrid> material_grid;  ///< holds where it is, if there is one
  std::vector<MomentSource> sources;
  std::vector<Receiver> receivers;
  std::filesystem::path folder = ".";  ///< of what is written
  double sampling = 0.01;              ///< of the seismograms
  double snapshots = 0.0;              ///< between those of the whole mesh; 0: none
  double frames = 0.0;                 ///< between pictures of the surface; 0: none
  double pixel = 0.0;                  ///< of these pictures, m
};

/// Reads TOML (README.md has the keys). `file` names it in errors; files that it names lie relative
/// to it. `order`: instead of the text's, unless 0. Throws SettingsError.
[[nodiscard]] Settings parse_settings(std::string_view text, const std::filesystem::path& file,
                                      int order = 0);
/// Reads a parameter file, like parse_settings().
[[nodiscard]] Settings load_settings(const std::filesystem::path& file, int order = 0);

}  // namespace seismic
