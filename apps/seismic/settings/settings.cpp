// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include "settings/align_reader.hpp"
#include "settings/lists_reader.hpp"
#include "settings/toml_reader.hpp"

namespace seismic {
namespace {

constexpr double infinity = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::min();

constexpr std::array<std::string_view, 2> flux_names{"godunov", "rusanov"};
constexpr std::array<std::string_view, 2> support_names{"cell", "neighbours"};
constexpr std::array<std::string_view, 6> boundary_names{"free",      "absorbing",     "clamped",
                                                         "symmetric", "antisymmetric", "periodic"};
constexpr std::array<std::string_view, faces> side_names{"x_lower", "x_upper", "y_lower",
                                                         "y_upper", "z_lower", "z_upper"};

void read_solver(TomlReader reader, Settings& settings) {
  settings.order = reader.integer("order", lowest_order, highest_order, settings.order);
  if (reader.has("flux")) settings.flux = static_cast<Flux>(reader.choice("flux", flux_names));
  if (reader.has("point_support")) {
    settings.uses_neighbours = reader.choice("point_support", support_names) == 1;
  }
  settings.step_factor = reader.number("step_factor", 1e-3, 1.0, settings.step_factor);
  settings.end = reader.number("end", tiny, infinity);
  reader.finish();
}

void read_mesh(TomlReader reader, const std::filesystem::path& file, Settings& settings) {
  if (reader.has("origin")) settings.grid.origin = reader.numbers<3>("origin");
  settings.grid.size = reader.number("cell", tiny, infinity);
  settings.grid.refinement = reader.integer("refinement", 2, 3, settings.grid.refinement);
  const auto cells = reader.numbers<3>("cells");
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (cells[axis] < 1 || cells[axis] > 10'000 || cells[axis] != std::floor(cells[axis])) {
      reader.fail("cells must be three whole numbers from 1 to 10000");
    }
    settings.grid.count[axis] = static_cast<std::int32_t>(cells[axis]);
  }
  for (TomlReader box : reader.tables("refine")) {
    RefinedBox refined{box.numbers<3>("lower"), box.numbers<3>("upper"),
                       box.integer("levels", 1, 8, 1)};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (!(refined.lower[axis] < refined.upper[axis])) box.fail("upper must lie above lower");
    }
    box.finish();
    settings.refined.push_back(refined);
  }
  std::vector<Horizon> horizons;
  for (TomlReader align : reader.tables("align")) {
    horizons.push_back(read_horizon(align, settings.grid, file));
    try {
      settings.map = VerticalMap(settings.grid, horizons, settings.order);
    } catch (const std::invalid_argument& error) {
      align.fail(error.what());
    }
  }
  if (reader.has("adapt")) {
    TomlReader adapt = reader.table("adapt");
    settings.adapt = {adapt.number("interval", tiny, infinity),
                      adapt.number("divide_above", tiny, infinity),
                      adapt.number("join_below", 0.0, infinity), adapt.integer("levels", 1, 8, 1)};
    if (!(settings.adapt.join_below < settings.adapt.divide_above)) {
      adapt.fail("join_below must lie below divide_above");
    }
    adapt.finish();
  }
  reader.finish();
}

void read_boundaries(TomlReader reader, Settings& settings) {
  for (std::size_t face = 0; face < faces; ++face) {
    settings.boundaries[face] =
        static_cast<Boundary>(reader.choice(std::string(side_names[face]), boundary_names));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const bool lower = settings.boundaries[2 * axis] == Boundary::periodic;
    const bool upper = settings.boundaries[2 * axis + 1] == Boundary::periodic;
    if (lower != upper) reader.fail("opposite sides must both be periodic, or none of them");
    settings.grid.is_periodic[axis] = lower;
  }
  settings.damping_thickness = reader.number("damping", 0.0, infinity, 0.0);
  settings.damping_remainder = reader.number("remainder", 1e-12, 1.0, settings.damping_remainder);
  reader.finish();
}

/// Throws at `reader` if the point is outside of the mesh, for example in the air.
void check_place(const TomlReader& reader, const Settings& settings, const Point& point) {
  const RootGrid& grid = settings.grid;
  const Point reference = settings.map.reference(point);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double low = grid.origin[axis];
    const double high = low + grid.size * grid.count[axis];
    if (!(reference[axis] >= low && reference[axis] <= high)) {
      reader.fail("position is outside of the mesh");
    }
  }
}

}  // namespace

Settings parse_settings(std::string_view text, const std::filesystem::path& file, int order) {
  Settings settings;
  try {
    const toml::table table = toml::parse(text, file.string());
    TomlReader reader(table, file.string(), "");
    settings.title = reader.text("title", "");
    read_solver(reader.table("solver"), settings);
    if (order > 0) settings.order = order;
    read_mesh(reader.table("mesh"), file, settings);
    read_boundaries(reader.table("boundaries"), settings);
    const CheckPlace check = [&settings](const TomlReader& at, const Point& point) {
      check_place(at, settings, point);
    };
    if (reader.has("material_grid")) {
      settings.material_grid = read_material_grid(reader.table("material_grid"), file);
    }
    if (!settings.material_grid || reader.has("material")) settings.layers = read_layers(reader);
    settings.sources = read_sources(reader, file, check);
    settings.receivers = read_receivers(reader, check);
    if (reader.has("output")) {
      TomlReader output = reader.table("output");
      settings.folder = output.text("folder", settings.folder.string());
      settings.sampling = output.number("sampling", tiny, infinity, settings.sampling);
      settings.snapshots = output.number("snapshots", 0.0, infinity, 0.0);
      settings.frames = output.number("frames", 0.0, infinity, 0.0);
      settings.pixel = output.number("pixel", tiny, infinity, settings.grid.size / 8.0);
      if (settings.pixel * 4000.0 < settings.grid.size * settings.grid.count[0] ||
          settings.pixel * 4000.0 < settings.grid.size * settings.grid.count[1]) {
        output.fail("pixel is too small: pictures of the surface have 4000 x 4000 pixels at most");
      }
      output.finish();
    }
    reader.finish();
  } catch (const toml::parse_error& error) {
    throw SettingsError(file.string() + ":" + std::to_string(error.source().begin.line) + ": " +
                        std::string(error.description()));
  }
  return settings;
}

Settings load_settings(const std::filesystem::path& file, int order) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  if (!in || !(text << in.rdbuf())) throw SettingsError(file.string() + ": cannot be read");
  return parse_settings(text.str(), file, order);
}

}  // namespace seismic
