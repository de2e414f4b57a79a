// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "read/text_scanner.hpp"

namespace mesh_refine {

/// Takes values of either byte order from a binary section, checking its end. Throws InputError
/// through the scanner that read the header.
class ByteReader {
 public:
  ByteReader(const TextScanner& scanner, std::string_view bytes,
             std::endian order = std::endian::little)
      : scanner_(&scanner), bytes_(bytes), swap_(order != std::endian::native) {}

  template <class T>
  [[nodiscard]] T take() {
    static_assert(std::is_arithmetic_v<T>);
    if (bytes_.size() < sizeof(T)) {
      scanner_->fail("the end of the file", "more binary data (is the file truncated?)");
    }
    std::array<char, sizeof(T)> raw;
    std::memcpy(raw.data(), bytes_.data(), sizeof(T));
    if (swap_) std::ranges::reverse(raw);
    const T value = std::bit_cast<T>(raw);
    bytes_.remove_prefix(sizeof(T));
    return value;
  }

 private:
  const TextScanner* scanner_;
  std::string_view bytes_;
  bool swap_;
};

}  // namespace mesh_refine
