// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "solve/receivers.hpp"

namespace seismic {

/// Makes the folder and tries whether files can be written there. Throws SettingsError if not.
void prepare_folder(const std::filesystem::path& folder);

/// Writes for each receiver NAME.csv (lines `time,vx,vy,vz`, seconds and m/s, as many digits as a
/// double has) and NAME.npy (NumPy's format 1.0, float64, shape samples x 4). `interval`: s between
/// samples, the first at time 0. Throws std::runtime_error if a file cannot be written completely.
/// Blocks.
void write_seismograms(const std::vector<Receiver>& receivers, const Samples& samples,
                       double interval, const std::filesystem::path& folder);

}  // namespace seismic
