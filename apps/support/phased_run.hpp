// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <roam/roam.hpp>
#include <string>

#include "support/phase_figures.hpp"
#include "support/start.hpp"

namespace support {

/// The common figures of programs that run in phases.
struct RunFigures {
  std::int32_t ranks = 0;
  std::string balancer;
  double total_seconds = 0;  ///< balancing included
  roam::RunSummary run;
  PhaseFigures phases;

  /// The first lines of a table: ranks and balancer.
  void print_job() const;
  /// The total time, and that of phases.
  void print_times() const;
  /// The figures as JSON, with common ones before and after those of the program itself.
  [[nodiscard]] nlohmann::ordered_json json(const char* program,
                                            const nlohmann::ordered_json& own) const;
};

/// Throws roam::Error if the start is not possible with this number of ranks.
void require(Start start, const roam::Runtime& rt);

/// Measures `iterations` iterations in phases of `of_phase` iterations (the last one may be
/// shorter). `go_on(first, last)` runs the iterations from `first` to `last` on the program's
/// objects; it is called on rank 0 at the beginning of each phase. To be called by all ranks, once
/// the objects exist.
[[nodiscard]] roam::Task<RunFigures> run_in_phases(
    roam::Runtime& rt, std::int64_t iterations, std::int64_t of_phase,
    std::function<void(std::int64_t first, std::int64_t last)> go_on);

}  // namespace support
