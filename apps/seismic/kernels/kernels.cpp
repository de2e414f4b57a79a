// SPDX-License-Identifier: Apache-2.0
#include "kernels/kernels.hpp"

#include <stdexcept>

#include "kernels/instances.hpp"

namespace seismic {

double Kernels::predict_operations() const {
  const double n = layout.nodes;
  const double nodes = n * n * n;
  // 18 derivatives of 2 n operations; 3 + 3 scalings, 11 for the normal stresses; the mean.
  const double sweep = nodes * (18 * 2 * n + 3 + 3 + 11);
  const double means = (n - 1) * nodes * quantities * 2;
  const double traces = faces * face_quantities * n * n * n * 2;
  return n * sweep + means + nodes * quantities + traces;
}

double Kernels::correct_operations() const {
  const double n = layout.nodes;
  // 18 lifted values of 4 operations less the first, and what puts them together.
  return n * n * n * (18 * 3 + 3 * 3 + 14 + 3 * 2 + quantities);
}

InstructionSet best_instruction_set() {
#ifdef ROAM_SEISMIC_AVX2
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return InstructionSet::avx2;
#endif
  return InstructionSet::baseline;
}

std::string name(InstructionSet set) { return set == InstructionSet::avx2 ? "avx2" : "baseline"; }

Kernels make_kernels(int order, InstructionSet set) {
  if (order < lowest_order || order > highest_order) {
    throw std::invalid_argument("order " + std::to_string(order) + " is not " +
                                std::to_string(lowest_order) + " to " +
                                std::to_string(highest_order));
  }
  if (set == InstructionSet::avx2 && best_instruction_set() != InstructionSet::avx2) {
    throw std::invalid_argument("this processor or build lacks AVX2 and FMA");
  }
  Kernels kernels{};
  kernels.layout = Layout{order + 1};
  kernels.operators = make_operators(Basis(order));
#ifdef ROAM_SEISMIC_AVX2
  if (set == InstructionSet::avx2) {
    avx2::set_functions(kernels);
    return kernels;
  }
#endif
  baseline::set_functions(kernels);
  return kernels;
}

}  // namespace seismic
