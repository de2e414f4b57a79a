// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "text_scanner.hpp"

namespace mesh_refine {

static_assert(std::endian::native == std::endian::little,
              "binary STL and PLY are read as little-endian without swapping");

/// Takes values from a binary section, checking its end. Throws InputError through the scanner that
/// read the header.
class ByteReader {
 public:
  ByteReader(const TextScanner& scanner, std::string_view bytes)
      : scanner_(&scanner), bytes_(bytes) {}

  template <class T>
  [[nodiscard]] T take() {
    static_assert(std::is_arithmetic_v<T>);
    if (bytes_.size() < sizeof(T)) {
      scanner_->fail("the end of the file", "more binary data (is the file truncated?)");
    }
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

 private:
  const TextScanner* scanner_;
  std::string_view bytes_;
};

}  // namespace mesh_refine
