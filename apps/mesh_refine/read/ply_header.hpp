// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <string>
#include <vector>

#include "read/text_scanner.hpp"

namespace mesh_refine {

enum class PlyType { int8, uint8, int16, uint16, int32, uint32, float32, float64 };

struct PlyProperty {
  std::string name;
  PlyType type = PlyType::float32;
  bool is_list = false;
  PlyType length_type = PlyType::uint8;
};

struct PlyElement {
  std::string name;
  std::size_t count = 0;
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  bool binary = false;
  std::endian order = std::endian::little;  ///< of the bytes, if binary
  std::vector<PlyElement> elements;
};

/// Reads up to and including "end_header". Throws InputError.
[[nodiscard]] PlyHeader read_ply_header(TextScanner& scanner);

}  // namespace mesh_refine
