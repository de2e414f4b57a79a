// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace amr_steps {

/// A rank that is delayed at intervals.
struct Delay {
  std::int32_t rank = 0;
  double seconds = 0;
  std::uint32_t every = 10;  ///< in steps
};

/// New numbers of cells per rank, from a step on.
struct Refinement {
  std::uint32_t step = 0;
  std::vector<std::uint32_t> cells;  ///< as Settings::cells
};

struct Settings {
  std::vector<std::uint32_t> cells = {90, 30};  ///< by rank; further ranks have the last number
  std::vector<Refinement> refinements;          ///< by step
  double optimistic = 0;     ///< part of the cells whose next prediction begins in the present step
  double spawn_seconds = 0;  ///< of the main program, before it spawns a task
  bool waits_for_master = false;  ///< true: ranks wait for rank 0, which waits for the slowest
  std::uint32_t steps = 20;
  std::uint32_t warm_up = 10;  ///< steps that the summary leaves out
  double task_seconds = 300e-6;
  /// In place of task_seconds: what tasks have taken elsewhere, one after the other, in a line for
  /// each rank there; see task_seconds_of().
  std::vector<std::vector<double>> recorded;
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
/// The number of cells of a rank in a step.
[[nodiscard]] std::uint32_t cells_of(const Settings& settings, std::int32_t rank,
                                     std::uint32_t step);
/// What the prediction of a cell takes. Recorded ones follow each other through the cells of a step
/// and from step to step. Where there are more ranks than recorded ones, these come again, each
/// time a third of a step further on.
[[nodiscard]] double task_seconds_of(const Settings& settings, std::int32_t rank,
                                     std::uint32_t step, std::size_t cell);
/// What a step takes at least on so many ranks of so many workers, without and with offloading, by
/// the numbers of cells and what they take.
struct LeastSeconds {
  double alone = 0;     ///< time of the rank with most cells
  double levelled = 0;  ///< average over all ranks
};
[[nodiscard]] LeastSeconds least_seconds(const Settings& settings, std::int32_t ranks,
                                         std::uint32_t workers, std::uint32_t step);

}  // namespace amr_steps
