// SPDX-License-Identifier: Apache-2.0
#include "numerics/kernels.hpp"

#include "numerics/kernels_instances.hpp"
#include "numerics/strips.hpp"

namespace sw4 {

std::size_t scratch_size(const Extent& extent) {
  return static_cast<std::size_t>(extent.row() * lines_of_scratch);
}

const Kernels& portable_kernels() {
  static const Kernels result = baseline::instances();
  return result;
}

const Kernels& kernels() {
#ifdef ROAM_SW4_AVX2
  static const Kernels result =
      __builtin_cpu_supports("avx2") ? avx2::instances() : baseline::instances();
  return result;
#else
  return portable_kernels();
#endif
}

}  // namespace sw4
