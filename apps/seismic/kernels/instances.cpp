// SPDX-License-Identifier: Apache-2.0
// All orders for one instruction set; compiled once for each of them.
#include "kernels/instances.hpp"

#include "kernels/corrector.hpp"
#include "kernels/hanging.hpp"
#include "kernels/peak.hpp"
#include "kernels/predictor.hpp"
#include "kernels/riemann.hpp"
#include "kernels/riemann_tilted.hpp"

namespace seismic::ROAM_SEISMIC_ISA {
namespace {

template <int N>
void set(Kernels& kernels) {
  kernels.predict = &predict<N>;
  kernels.riemann = &riemann<N>;
  kernels.riemann_boundary = &riemann_boundary<N>;
  kernels.riemann_tilted = &riemann_tilted<N>;
  kernels.riemann_boundary_tilted = &riemann_boundary_tilted<N>;
  kernels.interpolate = &interpolate<N>;
  kernels.project = &project<N>;
  kernels.correct = &correct<N>;
}

template <int N>
void set_from(Kernels& kernels) {
  if (kernels.layout.nodes == N) {
    set<N>(kernels);
  } else if constexpr (N < most_nodes) {
    set_from<N + 1>(kernels);
  }
}

}  // namespace

void set_functions(Kernels& kernels) {
  set_from<lowest_order + 1>(kernels);
  kernels.multiply_add = &multiply_add;
}

}  // namespace seismic::ROAM_SEISMIC_ISA
