// SPDX-License-Identifier: Apache-2.0
#include "output/seismograms.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "output/npy.hpp"
#include "settings/settings_error.hpp"

namespace seismic {
namespace {

std::vector<double> rows(const std::vector<std::array<double, 3>>& samples, double interval) {
  std::vector<double> result;
  for (const auto& velocity : samples) {
    result.push_back(static_cast<double>(result.size() / 4) * interval);
    result.insert(result.end(), velocity.begin(), velocity.end());
  }
  return result;
}

std::string csv(const std::vector<double>& values) {
  std::string text = "time,vx,vy,vz\n";
  char line[128];
  for (std::size_t k = 0; k < values.size(); k += 4) {
    const int size = std::snprintf(line, sizeof line, "%.9g,%.17g,%.17g,%.17g\n", values[k],
                                   values[k + 1], values[k + 2], values[k + 3]);
    text.append(line, static_cast<std::size_t>(size));
  }
  return text;
}

}  // namespace

void prepare_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const std::filesystem::path trial = folder / ".seismic-trial";
  const bool is_writable = !error && std::ofstream(trial).good();
  std::filesystem::remove(trial, error);
  if (!is_writable) throw SettingsError(folder.string() + ": is no folder that can be written to");
}

void write_seismograms(const std::vector<Receiver>& receivers, const Samples& samples,
                       double interval, const std::filesystem::path& folder) {
  for (std::size_t r = 0; r < receivers.size(); ++r) {
    const std::vector<double> values = rows(samples[r], interval);
    write_file(folder / (receivers[r].name + ".csv"), csv(values));
    write_npy(folder / (receivers[r].name + ".npy"), values, {samples[r].size(), 4});
  }
}

}  // namespace seismic
