// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace seismic {

/// The header of a NumPy file (version 1.0) of numbers of type `type` ("<f8", "<f4") in this shape.
[[nodiscard]] std::string npy_header(const std::string& type,
                                     const std::vector<std::size_t>& shape);
/// Throws std::runtime_error if the file cannot be written.
void write_npy(const std::filesystem::path& file, std::span<const double> values,
               const std::vector<std::size_t>& shape);
void write_npy(const std::filesystem::path& file, std::span<const float> values,
               const std::vector<std::size_t>& shape);
/// Writes any bytes to a file; throws like write_npy().
void write_file(const std::filesystem::path& file, const std::string& bytes);

}  // namespace seismic
