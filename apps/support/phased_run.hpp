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

/// What a program that goes on in phases reports of any run.
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
  /// Into the figures of `program`, before and behind those of its own.
  [[nodiscard]] nlohmann::ordered_json json(const char* program,
                                            const nlohmann::ordered_json& own) const;
};

/// Throws roam::Error if the start needs another number of ranks.
void require(Start start, const roam::Runtime& rt);

/// Measures `iterations` iterations in phases of `of_phase`, or less in the last one. `go_on(first,
/// last)` has the program's objects do those from `first` to `last`; it is called on rank 0 at the
/// beginning of each phase. Called by all ranks, once the objects are there.
[[nodiscard]] roam::Task<RunFigures> run_in_phases(
    roam::Runtime& rt, std::int64_t iterations, std::int64_t of_phase,
    std::function<void(std::int64_t first, std::int64_t last)> go_on);

}  // namespace support
