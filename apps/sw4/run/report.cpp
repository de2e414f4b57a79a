// SPDX-License-Identifier: Apache-2.0
#include "run/report.hpp"

#include <cstdio>

namespace sw4 {

void print_figures(const Wave& wave, std::int32_t blocks, double seconds) {
  const auto points = wave.settings().points();
  std::printf("points            %lld\n", static_cast<long long>(points));
  std::printf("blocks            %d\n", blocks);
  std::printf("steps             %lld of %.6g s\n", static_cast<long long>(wave.steps()),
              wave.step());
  std::printf("wall clock        %.6f s\n", seconds);
  std::printf("points a second   %.4g million\n",
              static_cast<double>(points) * static_cast<double>(wave.steps()) / seconds * 1e-6);
}

}  // namespace sw4
