// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace mesh_refine {

/// Standard base64 with padding (RFC 4648, section 4).
[[nodiscard]] std::string base64(std::span<const std::byte> bytes);

}  // namespace mesh_refine
