// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "numerics/kernels.hpp"

namespace sw4 {

namespace baseline {
[[nodiscard]] Kernels instances();
}
namespace avx2 {
[[nodiscard]] Kernels instances();
}

}  // namespace sw4
