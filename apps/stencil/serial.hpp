// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "settings.hpp"

namespace stencil {

/// The fingerprint of the same plate after the same steps, computed as one square.
[[nodiscard]] std::uint64_t serial_fingerprint(const Settings& settings);

}  // namespace stencil
