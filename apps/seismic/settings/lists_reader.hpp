// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "model/layers.hpp"
#include "settings/toml_reader.hpp"
#include "solve/receivers.hpp"
#include "sources/point_sources.hpp"

namespace seismic {

/// Throws at the table that the reader reads if a point is where none may be.
using CheckPlace = std::function<void(const TomlReader&, const Point&)>;

/// Reads all [[material]]. Throws SettingsError.
[[nodiscard]] std::vector<Layer> read_layers(TomlReader& reader);
/// Reads all [[source]]; files that they name lie relative to `file`. Throws SettingsError.
[[nodiscard]] std::vector<MomentSource> read_sources(TomlReader& reader,
                                                     const std::filesystem::path& file,
                                                     const CheckPlace& check);
/// Reads all [[receiver]]. Throws SettingsError.
[[nodiscard]] std::vector<Receiver> read_receivers(TomlReader& reader, const CheckPlace& check);

}  // namespace seismic
