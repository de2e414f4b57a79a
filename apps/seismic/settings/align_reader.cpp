// SPDX-License-Identifier: Apache-2.0
#include "settings/align_reader.hpp"

#include <limits>
#include <memory>

#include "model/surface_grid.hpp"
#include "settings/file_reader.hpp"

namespace seismic {
namespace {

std::shared_ptr<const SurfaceGrid> load_surface(const std::filesystem::path& file) {
  return std::make_shared<const SurfaceGrid>(read_file(file, SurfaceGrid::read));
}

}  // namespace

Horizon read_horizon(TomlReader& reader, const RootGrid& grid, const std::filesystem::path& file) {
  constexpr double infinity = std::numeric_limits<double>::max();
  Horizon horizon{reader.number("reference", -infinity, infinity), {}};
  if (reader.has("depth") == reader.has("elevations")) {
    reader.fail("a horizon has either a depth or a file of elevations");
  }
  if (reader.has("depth")) {
    const double depth = reader.number("depth", -infinity, infinity);
    horizon.depth = [depth](double, double) { return depth; };
  } else {
    const std::filesystem::path path = file.parent_path() / reader.text("elevations");
    const auto surface = load_surface(path);
    if (!surface->covers(grid.origin[0], grid.origin[0] + grid.size * grid.count[0], grid.origin[1],
                         grid.origin[1] + grid.size * grid.count[1])) {
      throw SettingsError(path.string() + ": does not cover the mesh");
    }
    horizon.depth = [surface](double x, double y) { return -surface->elevation(x, y); };
  }
  reader.finish();
  return horizon;
}

}  // namespace seismic
