// SPDX-License-Identifier: Apache-2.0
#include "output/seismograms.hpp"

#include <bit>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "settings/settings_error.hpp"

namespace seismic {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

std::vector<double> rows(const Receivers& receivers, std::size_t receiver, double interval) {
  std::vector<double> result;
  for (const auto& velocity : receivers.samples(receiver)) {
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

/// Magic, version, length of the header, header padded to a multiple of 64 bytes, data.
std::string npy(const std::vector<double>& values) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(values.size() / 4) + ", 4), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return bytes;
}

void write(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out.fail()) throw std::runtime_error(file.string() + ": cannot be written");
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

void write_seismograms(const Receivers& receivers, double interval,
                       const std::filesystem::path& folder) {
  for (std::size_t r = 0; r < receivers.list().size(); ++r) {
    const std::vector<double> values = rows(receivers, r, interval);
    write(folder / (receivers.list()[r].name + ".csv"), csv(values));
    write(folder / (receivers.list()[r].name + ".npy"), npy(values));
  }
}

}  // namespace seismic
