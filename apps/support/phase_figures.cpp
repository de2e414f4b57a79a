// SPDX-License-Identifier: Apache-2.0
#include "support/phase_figures.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace support {

void PhaseFigures::note(const roam::balance::PhaseReport& phase, std::int64_t iterations) {
  phases_.push_back({phase, iterations});
  if (phases_.size() == 1) phases_.back().report.seconds -= set_up_seconds_;
}

std::vector<double> PhaseFigures::sorted_seconds() const {
  if (phases_.empty()) throw roam::Error("there was no phase");
  std::vector<double> seconds;
  for (const Phase& phase : phases_) {
    seconds.push_back(phase.report.seconds / static_cast<double>(phase.iterations));
  }
  std::ranges::sort(seconds);
  return seconds;
}

double PhaseFigures::median_seconds() const {
  const std::vector<double> sorted = sorted_seconds();
  return (sorted[(sorted.size() - 1) / 2] + sorted[sorted.size() / 2]) / 2;
}

void PhaseFigures::print() const {
  const std::vector<double> sorted = sorted_seconds();
  std::uint64_t moved = 0;
  double decided = 0;
  for (const Phase& phase : phases_) {
    moved += phase.report.moved_objects;
    decided += phase.report.decision_seconds;
  }
  const roam::balance::PhaseReport& last = phases_.back().report;
  std::printf("phases                 %14zu\n", phases_.size());
  std::printf("iteration, lowest      %14.3f us\n", sorted.front() * 1e6);
  std::printf("iteration, median      %14.3f us\n", median_seconds() * 1e6);
  std::printf("iteration, highest     %14.3f us\n", sorted.back() * 1e6);
  std::printf("iteration, last        %14.3f us\n",
              last.seconds / static_cast<double>(phases_.back().iterations) * 1e6);
  std::printf("imbalance, last        %14.4f\n", last.imbalance());
  std::printf("decisions              %14.6f s\n", decided);
  std::printf("moved objects          %14" PRIu64 "\n", moved);
}

nlohmann::ordered_json PhaseFigures::json() const {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const Phase& phase : phases_) {
    phases.push_back({{"iterations", phase.iterations},
                      {"seconds", phase.report.seconds},
                      {"imbalance", phase.report.imbalance()},
                      {"moved_objects", phase.report.moved_objects},
                      {"decision_seconds", phase.report.decision_seconds},
                      {"gain_seconds", phase.report.gain_seconds},
                      {"cost_seconds", phase.report.cost_seconds}});
  }
  return phases;
}

void write_json(const nlohmann::ordered_json& figures, const std::string& path) {
  std::ofstream file(path);
  file << figures.dump(2) << '\n';
  if (!file.flush()) throw roam::Error("cannot write " + path);
}

}  // namespace support
