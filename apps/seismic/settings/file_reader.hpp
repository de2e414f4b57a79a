// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "model/line_reader.hpp"
#include "settings/settings_error.hpp"

namespace seismic {

/// read(stream) of a file that a parameter file names. Throws SettingsError with the file and,
/// where it is known, the line. Blocks.
template <class Read>
auto read_file(const std::filesystem::path& file, const Read& read) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw SettingsError(file.string() + ": cannot be read");
  try {
    return read(in);
  } catch (const LineError& error) {
    const std::string line = error.line() > 0 ? ":" + std::to_string(error.line()) : "";
    throw SettingsError(file.string() + line + ": " + error.what());
  }
}

}  // namespace seismic
