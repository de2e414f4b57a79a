// SPDX-License-Identifier: Apache-2.0
#include "input/settings.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "output/seismograms.hpp"
#include "settings/lists_reader.hpp"
#include "settings/settings_error.hpp"
#include "settings/toml_reader.hpp"

namespace sw4 {
namespace {

using seismic::SettingsError;
using seismic::TomlReader;

constexpr double infinity = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::min();
constexpr std::int32_t fewest_points = 12;    // outside of layers: the surface's closure, and some
constexpr std::int32_t most_points = 20'000;  // in a direction
constexpr double most_in_all = 1e10;

std::int32_t whole(const TomlReader& reader, const char* key, double length, double spacing) {
  const double count = length / spacing;
  if (!(std::abs(count - std::round(count)) < 1e-6)) {
    reader.fail(std::string(key) + " must be a multiple of the spacing");
  }
  if (count > most_points) reader.fail(std::string(key) + " has more than 20000 points");
  return static_cast<std::int32_t>(std::round(count));
}

void read_grid(TomlReader reader, double spacing, Grid& grid) {
  grid.spacing = reader.number("spacing", tiny, infinity);
  if (spacing > 0.0) grid.spacing = spacing;
  grid.origin = reader.numbers<2>("origin");
  const auto size = reader.numbers<3>("size");
  grid.layer = whole(reader, "layer", reader.number("layer", 0.0, infinity, 0.0), grid.spacing);
  grid.damping = reader.number("damping", 0.0, 0.02, grid.damping);
  double all = 1.0;
  for (std::size_t d = 0; d < 3; ++d) {
    grid.points[d] = whole(reader, "size", size[d], grid.spacing) + 1;
    all *= grid.points[d];
    const std::int32_t inside = grid.points[d] - (d < 2 ? 2 : 1) * grid.layer;
    if (inside < fewest_points) {
      reader.fail("size leaves less than " + std::to_string(fewest_points) +
                  " points between layers");
    }
  }
  if (all > most_in_all) reader.fail("the grid has more than 1e10 points");
  reader.finish();
}

}  // namespace

std::int64_t Settings::points() const {
  return std::int64_t{grid.points[0]} * grid.points[1] * grid.points[2];
}

Settings parse_settings(std::string_view text, const std::filesystem::path& file, double spacing) {
  Settings settings;
  try {
    const toml::table table = toml::parse(text, file.string());
    TomlReader reader(table, file.string(), "");
    settings.title = reader.text("title", "");
    TomlReader solver = reader.table("solver");
    settings.end = solver.number("end", tiny, infinity);
    settings.step_factor = solver.number("step_factor", 1e-3, 1.3, settings.step_factor);
    solver.finish();
    read_grid(reader.table("grid"), spacing, settings.grid);
    const seismic::CheckPlace check = [&settings](const TomlReader& at, const Point& point) {
      if (!settings.grid.has_inside(point)) {
        at.fail("position is outside of the grid or in one of its layers");
      }
    };
    settings.layers = seismic::read_layers(reader);
    settings.sources = seismic::read_sources(reader, file, check);
    settings.receivers = seismic::read_receivers(reader, check);
    if (reader.has("output")) {
      TomlReader output = reader.table("output");
      settings.folder = output.text("folder", settings.folder.string());
      settings.sampling = output.number("sampling", tiny, infinity, settings.sampling);
      output.finish();
    }
    if (settings.end / settings.sampling > 1e8) reader.fail("sampling is too short for end");
    reader.finish();
  } catch (const toml::parse_error& error) {
    throw SettingsError(file.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()));
  }
  return settings;
}

Settings load_settings(const std::filesystem::path& file, double spacing) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw SettingsError(file.string() + ": cannot be read");
  return parse_settings(text.str(), file, spacing);
}

Settings settings_of(const CommonOptions& options) {
  Settings settings = load_settings(options.file, options.spacing);
  if (!options.folder.empty()) settings.folder = options.folder;
  seismic::prepare_folder(settings.folder);
  return settings;
}

void check_blocks(const Settings& settings, const std::array<std::int32_t, 2>& blocks) {
  for (std::size_t d = 0; d < 2; ++d) {
    if (settings.grid.points[d] / blocks[d] >= Extent::halo) continue;
    throw SettingsError(std::to_string(blocks[d]) + " blocks of " +
                        std::to_string(settings.grid.points[d]) +
                        " points are narrower than the two points of an edge");
  }
}

}  // namespace sw4
