// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "field.hpp"
#include "settings.hpp"

namespace stencil3d {

/// The same cube after the same steps, computed as one box.
[[nodiscard]] Outcome serial_outcome(const Settings& settings);

}  // namespace stencil3d
