// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "model/layers.hpp"
#include "model/material_grid.hpp"
#include "settings/toml_reader.hpp"
#include "solve/receivers.hpp"
#include "sources/point_sources.hpp"

namespace seismic {

/// Throws at the table that the reader reads if a point is where none may be.
using CheckPlace = std::function<void(const TomlReader&, const Point&)>;

/// Reads all [[material]]. Throws SettingsError.
[[nodiscard]] std::vector<Layer> read_layers(TomlReader& reader);
/// Reads [material_grid], whose file lies relative to `file`. Throws SettingsError.
[[nodiscard]] std::shared_ptr<const MaterialGrid> read_material_grid(
    TomlReader reader, const std::filesystem::path& file);
/// Reads all [[source]]; files that they name lie relative to `file`. Throws SettingsError.
[[nodiscard]] std::vector<MomentSource> read_sources(TomlReader& reader,
                                                     const std::filesystem::path& file,
                                                     const CheckPlace& check);
/// Reads all [[receiver]]. Throws SettingsError.
[[nodiscard]] std::vector<Receiver> read_receivers(TomlReader& reader, const CheckPlace& check);

}  // namespace seismic
