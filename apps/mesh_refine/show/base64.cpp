// SPDX-License-Identifier: Apache-2.0
#include "show/base64.hpp"

#include <cstdint>

namespace mesh_refine {

std::string base64(std::span<const std::byte> bytes) {
  static constexpr char alphabet[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t present = bytes.size() - i < 3 ? bytes.size() - i : 3;
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = (group << 8U) | (k < present ? std::to_integer<std::uint32_t>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      text += k <= present ? alphabet[(group >> (18U - 6U * k)) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace mesh_refine
