// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amr_steps {

/// One rank that is held up now and then.
struct Delay {
  std::int32_t rank = 0;
  double seconds = 0;
  std::uint32_t every = 10;  ///< steps
};

struct Settings {
  std::vector<std::uint32_t> cells = {90, 30};  ///< by rank; the last also of those behind it
  std::uint32_t steps = 20;
  std::uint32_t warm_up = 10;  ///< steps that the summary leaves out
  double task_seconds = 300e-6;
  double other_share = 0.03;  ///< of a cell's time that is no task
  std::size_t input_bytes = 100'000;
  std::size_t output_bytes = 92'000;
  std::optional<Delay> delay;
  std::string csv;           ///< a line per step; empty: none
  double least_speedup = 0;  ///< of what offloading could gain at most; 0: not asked for
  bool shows_steps = false;
};

/// Reads the program's own arguments; -1: go on, else the exit status.
[[nodiscard]] int read_settings(int argc, char** argv, Settings& settings);
/// Of this rank.
[[nodiscard]] std::uint32_t cells_of(const Settings& settings, std::int32_t rank);
/// What a step takes at least on so many ranks of so many workers, without and with offloading, by
/// the numbers of cells alone.
[[nodiscard]] double longest_seconds(const Settings& settings, std::int32_t ranks,
                                     std::uint32_t workers);
[[nodiscard]] double mean_seconds(const Settings& settings, std::int32_t ranks,
                                  std::uint32_t workers);

}  // namespace amr_steps
