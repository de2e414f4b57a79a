// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "mesh/spacetree.hpp"
#include "model/vertical_map.hpp"
#include "settings/toml_reader.hpp"

namespace seismic {

/// Reads one [[mesh.align]]: a horizon by its depth or by a file of elevations, for a mesh on
/// `grid`. The file lies relative to `file`. Throws SettingsError.
[[nodiscard]] Horizon read_horizon(TomlReader& reader, const RootGrid& grid,
                                   const std::filesystem::path& file);

}  // namespace seismic
