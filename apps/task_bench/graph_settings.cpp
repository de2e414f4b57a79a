// SPDX-License-Identifier: Apache-2.0
#include "graph_settings.hpp"

#include <array>
#include <stdexcept>

namespace task_bench {

namespace {

constexpr std::array<const char*, pattern_count> patterns{
    "trivial",    "no_comm", "stencil_1d", "stencil_1d_periodic", "dom", "tree", "fft",
    "all_to_all", "nearest", "spread",     "random_nearest"};
constexpr std::array<const char*, kernel_count> kernels{"empty", "compute_bound", "memory_bound",
                                                        "load_imbalance"};

void require(bool holds, const char* words) {
  if (!holds) throw std::invalid_argument(words);
}

}  // namespace

const char* name_of(Pattern pattern) { return patterns.at(static_cast<std::size_t>(pattern)); }
const char* name_of(Kernel kernel) { return kernels.at(static_cast<std::size_t>(kernel)); }

void check(const GraphSettings& settings) {
  require(settings.steps >= 1 && settings.steps <= 1'000'000'000, "-steps must be 1 to 10^9");
  require(settings.width >= 1 && settings.width <= 100'000'000, "-width must be 1 to 10^8");
  require(settings.radix >= 0 && settings.radix <= settings.width,
          "-radix must be 0 to the width of the graph");
  require(settings.period >= 1 && settings.period <= 1000, "-period must be 1 to 1000");
  require(settings.fraction >= 0 && settings.fraction <= 1, "-fraction must be 0 to 1");
  require(settings.iterations >= 0, "-iter must not be negative");
  require(settings.output_bytes >= 16 && settings.output_bytes % 16 == 0,
          "-output must be a multiple of 16, which is what an output's stamp takes");
  require(settings.samples >= 1, "-sample must be 1 or more");
  require(settings.scratch_bytes >= 0 && settings.scratch_bytes % (16 * settings.samples) == 0,
          "-scratch must be a multiple of 16 bytes times -sample");
  require(settings.imbalance >= 0 && settings.imbalance <= 2, "-imbalance must be 0 to 2");
  require(settings.kernel != Kernel::memory_bound || settings.scratch_bytes > 0,
          "-kernel memory_bound needs -scratch");
  require(settings.pattern != Pattern::dom || settings.steps >= settings.width,
          "-type dom needs at least as many steps as it is wide");
}

}  // namespace task_bench
