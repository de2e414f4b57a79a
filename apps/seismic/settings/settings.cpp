// SPDX-License-Identifier: Apache-2.0
#include "settings/settings.hpp"

#include <fstream>
#include <limits>
#include <sstream>

#include "settings/align_reader.hpp"
#include "settings/toml_reader.hpp"

namespace seismic {
namespace {

constexpr double infinity = std::numeric_limits<double>::max();
constexpr double tiny = std::numeric_limits<double>::min();

constexpr std::array<std::string_view, 2> flux_names{"godunov", "rusanov"};
constexpr std::array<std::string_view, 6> boundary_names{"free",      "absorbing",     "clamped",
                                                         "symmetric", "antisymmetric", "periodic"};
constexpr std::array<std::string_view, faces> side_names{"x_lower", "x_upper", "y_lower",
                                                         "y_upper", "z_lower", "z_upper"};
constexpr std::array<std::string_view, 3> rate_names{"brune", "gaussian", "table"};

void read_solver(TomlReader reader, Settings& settings) {
  settings.order = reader.integer("order", lowest_order, highest_order, settings.order);
  if (reader.has("flux")) settings.flux = static_cast<Flux>(reader.choice("flux", flux_names));
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

SourceRate read_table(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw SettingsError(file.string() + ": cannot be read");
  std::vector<std::pair<double, double>> table;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::pair<double, double> entry;
    std::string rest;
    if (!(words >> entry.first >> entry.second) || words >> rest) {
      throw SettingsError(file.string() + ":" + std::to_string(number) +
                          ": must be a time and a rate");
    }
    table.push_back(entry);
  }
  try {
    return tabulated_rate(std::move(table));
  } catch (const std::invalid_argument& error) {
    throw SettingsError(file.string() + ": " + error.what());
  }
}

SourceRate read_rate(TomlReader reader, const std::filesystem::path& file) {
  SourceRate rate;
  switch (reader.choice("kind", rate_names)) {
    case 0:
      rate = brune_rate(reader.number("time", tiny, infinity));
      break;
    case 1:
      rate = gaussian_rate(reader.number("sigma", tiny, infinity),
                           reader.number("center", -infinity, infinity));
      break;
    default:
      rate = read_table(file.parent_path() / reader.text("file"));
  }
  reader.finish();
  return rate;
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

void read_lists(TomlReader& reader, const std::filesystem::path& file, Settings& settings) {
  for (TomlReader layer : reader.tables("material")) {
    settings.layers.push_back(
        {layer.number("top", -infinity, infinity, 0.0),
         {layer.number("density", tiny, infinity), layer.number("p_speed", tiny, infinity),
          layer.number("s_speed", tiny, infinity)}});
    layer.finish();
    try {
      static_cast<void>(LayeredModel(settings.layers));
    } catch (const std::invalid_argument& error) {
      layer.fail(error.what());
    }
  }
  if (settings.layers.empty()) reader.fail("[[material]] is missing");
  for (TomlReader source : reader.tables("source")) {
    settings.sources.push_back({source.numbers<3>("position"), source.numbers<6>("moment"),
                                read_rate(source.table("rate"), file)});
    source.finish();
    check_place(source, settings, settings.sources.back().position);
  }
  for (TomlReader receiver : reader.tables("receiver")) {
    settings.receivers.push_back({receiver.text("name"), receiver.numbers<3>("position")});
    receiver.finish();
    check_place(receiver, settings, settings.receivers.back().position);
    const std::string& name = settings.receivers.back().name;
    if (name.empty() || name.find_first_of("/\\,\"") != std::string::npos) {
      receiver.fail("name must be one that a file can have");
    }
    for (std::size_t k = 0; k + 1 < settings.receivers.size(); ++k) {
      if (settings.receivers[k].name == name) receiver.fail("two receivers are called " + name);
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
    read_lists(reader, file, settings);
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
