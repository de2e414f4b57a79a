// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cinttypes>
#include <cstdio>
#include <stdexcept>

#include "block.hpp"
#include "settings.hpp"

namespace jacobi {

struct Result {
  double change = 0;  ///< the largest of a cell in the last step
  std::uint64_t fingerprint = 0;
  double seconds = 0;  ///< of the steps
};

/// Computes all cells as one block.
template <int D>
Result serial(const Settings& settings) {
  Block<D> plate({}, settings.cells<D>(), settings.cells<D>());
  const Face none;
  std::array<const Face*, 2 * D> beyond;
  beyond.fill(&none);
  Result result;
  for (int step = 0; step < settings.steps; ++step) result.change = plate.relax(beyond);
  result.fingerprint = plate.fingerprint();
  return result;
}

/// Compares with the serial computation, if that is asked for, and prints the result and the time,
/// in lines of a name, two spaces or more and a value. Throws std::runtime_error at any other bit.
template <int D>
void report(const Settings& settings, const Result& result, int ranks) {
  if (settings.is_checked) {
    const Result expected = serial<D>(settings);
    if (result.fingerprint != expected.fingerprint || result.change != expected.change)
      throw std::runtime_error("the cells are not as one sweep over all of them makes them");
  }
  std::printf("cells                ");
  double cells = 1;
  for (std::size_t d = 0; d < D; ++d) {
    std::printf(d == 0 ? "%" PRId64 : " x %" PRId64, settings.cells<D>()[d]);
    cells *= static_cast<double>(settings.cells<D>()[d]);
  }
  std::printf(", %d ranks, %d steps\n", ranks, settings.steps);
  std::printf("last change          %.6g, fingerprint %016" PRIx64 "%s\n", result.change,
              result.fingerprint, settings.is_checked ? ", as one sweep makes it" : "");
  std::printf("time                 %.6f s\n", result.seconds);
  std::printf("rate                 %.3f million cells per second\n",
              1e-6 * cells * settings.steps / result.seconds);
}

}  // namespace jacobi
