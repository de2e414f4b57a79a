// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace task_bench {

/// Determines which tasks of a step the tasks of the next one need; see Graph.
enum class Pattern : std::uint8_t {
  trivial,
  no_comm,
  stencil_1d,
  stencil_1d_periodic,
  dom,
  tree,
  fft,
  all_to_all,
  nearest,
  spread,
  random_nearest
};
inline constexpr int pattern_count = 11;

/// What a task does between its inputs and its output; see run_kernel().
enum class Kernel : std::uint8_t { empty, compute_bound, memory_bound, load_imbalance };
inline constexpr int kernel_count = 4;

/// The name of a pattern: "stencil_1d".
[[nodiscard]] const char* name_of(Pattern pattern);
[[nodiscard]] const char* name_of(Kernel kernel);

/// One task graph as the command line describes it: `steps` rows of at most `width` tasks.
struct GraphSettings {
  std::int64_t steps = 4;
  std::int64_t width = 4;
  Pattern pattern = Pattern::trivial;
  std::int64_t radix = 3;   ///< inputs per task of nearest, spread and random_nearest
  std::int64_t period = 3;  ///< steps after which spread and random_nearest repeat
  double fraction = 0.25;   ///< probability with which a task of random_nearest needs a candidate
  Kernel kernel = Kernel::empty;
  std::int64_t iterations = 0;
  std::int64_t output_bytes = 16;
  std::int64_t scratch_bytes = 0;
  std::int64_t samples = 16;  ///< parts of the scratch memory, one of which is copied per iteration
  double imbalance = 0;       ///< of load_imbalance: tasks take 1 - imbalance/2 to 1 + imbalance/2
  bool is_persistent = false;  ///< the imbalance is that of a point, in all steps
};

/// Throws std::invalid_argument, naming the option, if there is no such graph.
void check(const GraphSettings& settings);

}  // namespace task_bench
