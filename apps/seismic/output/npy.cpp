// SPDX-License-Identifier: Apache-2.0
#include "output/npy.hpp"

#include <bit>
#include <fstream>
#include <stdexcept>

namespace seismic {
namespace {

static_assert(std::endian::native == std::endian::little,
              "arrays are written as they lie in memory");

template <class T>
void write(const std::filesystem::path& file, const std::string& type, std::span<const T> values,
           const std::vector<std::size_t>& shape) {
  std::string bytes = npy_header(type, shape);
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  write_file(file, bytes);
}

}  // namespace

// Magic, version, length of the header, header padded to a multiple of 64 bytes, data.
std::string npy_header(const std::string& type, const std::vector<std::size_t>& shape) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (";
  for (std::size_t k = 0; k < shape.size(); ++k) {
    header += (k == 0 ? "" : ", ") + std::to_string(shape[k]);
  }
  header += shape.size() == 1 ? ",), }" : "), }";
  while ((10 + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header;
}

void write_npy(const std::filesystem::path& file, std::span<const double> values,
               const std::vector<std::size_t>& shape) {
  write(file, "<f8", values, shape);
}

void write_npy(const std::filesystem::path& file, std::span<const float> values,
               const std::vector<std::size_t>& shape) {
  write(file, "<f4", values, shape);
}

void write_file(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (out.fail()) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace seismic
