// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace imbalance {

void print_header() {
  std::printf("%9s %12s %12s %10s %10s %12s\n", "iteration", "seconds", "/ ideal", "imbalance",
              "moved", "decided in");
}

void print_phase(const roam::balance::PhaseReport& phase, double ideal_seconds) {
  std::printf("%9u %10.4f s %12.4f %10.4f %10llu %10.4f s\n", phase.phase, phase.seconds,
              phase.seconds / ideal_seconds, phase.imbalance(),
              static_cast<unsigned long long>(phase.moved_objects), phase.decision_seconds);
  std::fflush(stdout);
}

void print_summary(const Figures& figures) {
  const auto& last = figures.phases.back();
  std::printf("ranks                  %14d\n", figures.ranks);
  std::printf("balancer               %14s\n", figures.balancer.c_str());
  std::printf("objects                %14llu\n", static_cast<unsigned long long>(last.objects));
  std::printf("units of work done     %14lld\n", static_cast<long long>(figures.units_done));
  std::printf("all iterations         %14.4f s\n", figures.total_seconds);
  std::printf(
      "all / ideal            %14.4f\n",
      figures.total_seconds / (figures.ideal_seconds * static_cast<double>(figures.phases.size())));
  std::printf("last iteration / ideal %14.4f\n", last.seconds / figures.ideal_seconds);
}

void write_json(const Figures& figures, const std::string& path) {
  nlohmann::json phases = nlohmann::json::array();
  for (const auto& phase : figures.phases) {
    phases.push_back({{"seconds", phase.seconds},
                      {"imbalance", phase.imbalance()},
                      {"moved_objects", phase.moved_objects},
                      {"decision_seconds", phase.decision_seconds},
                      {"gain_seconds", phase.gain_seconds},
                      {"cost_seconds", phase.cost_seconds}});
  }
  std::ofstream file(path);
  file << nlohmann::json{{"ranks", figures.ranks},
                         {"balancer", figures.balancer},
                         {"objects", figures.phases.back().objects},
                         {"units_done", figures.units_done},
                         {"ideal_seconds", figures.ideal_seconds},
                         {"total_seconds", figures.total_seconds},
                         {"phases", phases}}
              .dump(2)
       << '\n';
  file.close();
  if (!file) throw roam::Error("cannot write " + path);
}

}  // namespace imbalance
