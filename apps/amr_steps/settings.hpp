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

/// From this step on ranks have other numbers of cells.
struct Refinement {
  std::uint32_t step = 0;
  std::vector<std::uint32_t> cells;  ///< as Settings::cells
};

struct Settings {
  std::vector<std::uint32_t> cells = {90, 30};  ///< by rank; the last also of those behind it
  std::vector<Refinement> refinements;          ///< by step
  double optimistic = 0;     ///< part of the cells whose next prediction begins in the present step
  double spawn_seconds = 0;  ///< of the main program, before it spawns a task
  bool waits_for_master = false;  ///< ranks wait for rank 0, which waits for the last of them
  std::uint32_t steps = 20;
  std::uint32_t warm_up = 10;  ///< steps that the summary leaves out
  double task_seconds = 300e-6;
  double other_share = 0.03;  ///< of a cell's time that is no task
  std::size_t input_bytes = 100'000;
  std::size_t output_bytes = 92'000;
  std::optional<Delay> delay;
  std::string csv;           ///< a line per step; empty: none
  std::string json;          ///< all figures; empty: none
  double least_speedup = 0;  ///< of what offloading could gain at most; 0: not asked for
  bool shows_steps = false;
};

/// Reads the program's own arguments; -1: go on, else the exit status.
[[nodiscard]] int read_settings(int argc, char** argv, Settings& settings);
/// Of this rank in this step.
[[nodiscard]] std::uint32_t cells_of(const Settings& settings, std::int32_t rank,
                                     std::uint32_t step);
/// What a step takes at least on so many ranks of so many workers, without and with offloading, by
/// the numbers of cells alone.
struct LeastSeconds {
  double alone = 0;     ///< of the fullest rank
  double levelled = 0;  ///< of all ranks, in the mean
};
[[nodiscard]] LeastSeconds least_seconds(const Settings& settings, std::int32_t ranks,
                                         std::uint32_t workers, std::uint32_t step);

}  // namespace amr_steps
