// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <roam/roam.hpp>
#include <string>
#include <vector>

namespace support {

/// The times and moves of a run's phases.
class PhaseFigures {
 public:
  /// Begins the first phase. Roam counts all the time before as part of it; here it is left out.
  void begin(roam::Instant now) { set_up_seconds_ = roam::seconds(now - roam::Instant{0}); }
  /// Adds a phase of `iterations` iterations of the program that has ended.
  void note(const roam::balance::PhaseReport& phase, std::int64_t iterations);

  /// The time of an iteration (lowest, median and highest phase), what moved, and how long was
  /// decided, in lines of a name, two spaces or more and a value.
  void print() const;
  [[nodiscard]] nlohmann::ordered_json json() const;
  /// The median over the phases of the time per iteration. Throws roam::Error if there were none.
  [[nodiscard]] double median_seconds() const;

 private:
  struct Phase {
    roam::balance::PhaseReport report;
    std::int64_t iterations;
  };
  /// Seconds of an iteration of each phase, the shortest first.
  [[nodiscard]] std::vector<double> sorted_seconds() const;

  double set_up_seconds_ = 0;
  std::vector<Phase> phases_;
};

/// Writes a run's figures to a file. Throws roam::Error if it cannot.
void write_json(const nlohmann::ordered_json& figures, const std::string& path);

}  // namespace support
