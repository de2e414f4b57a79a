// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace uts {

using Digest = std::array<std::uint8_t, 20>;

/// SHA-1 of a digest followed by a number, most significant byte first.
[[nodiscard]] Digest sha1_of(const Digest& digest, std::uint32_t number);
/// SHA-1 of 16 zero bytes followed by a number.
[[nodiscard]] Digest sha1_of(std::uint32_t number);

}  // namespace uts
