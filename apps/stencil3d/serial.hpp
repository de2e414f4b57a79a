// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "field.hpp"
#include "settings.hpp"

namespace stencil3d {

/// The result of computing the whole cube as one box, with the same steps.
[[nodiscard]] Outcome serial_outcome(const Settings& settings);

}  // namespace stencil3d
