// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/kernels.hpp"

namespace seismic {

/// Sets the functions of `kernels` to those for its number of nodes.
using SetFunctions = void (*)(Kernels& kernels);

namespace baseline {
void set_functions(Kernels& kernels);
}
#ifdef ROAM_SEISMIC_AVX2
namespace avx2 {
void set_functions(Kernels& kernels);
}
#endif

}  // namespace seismic
