// SPDX-License-Identifier: Apache-2.0
#include "support/phased_run.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace support {

void RunFigures::print_job() const {
  std::printf("ranks                  %14d\n", ranks);
  std::printf("balancer               %14s\n", balancer.c_str());
}

void RunFigures::print_times() const {
  std::printf("total time             %14.6f s\n", total_seconds);
  phases.print();
}

nlohmann::ordered_json RunFigures::json(const char* program,
                                        const nlohmann::ordered_json& own) const {
  nlohmann::ordered_json all{{"program", program}, {"balancer", balancer}, {"ranks", ranks}};
  all.update(own);
  all["total_seconds"] = total_seconds;
  all["median_iteration_seconds"] = phases.median_seconds();
  all["messages_sent"] = run.messages_sent;
  all["migrations"] = run.migrations;
  all["phases"] = phases.json();
  return all;
}

void require(Start start, const roam::Runtime& rt) {
  const std::string problem = problem_with(start, rt.size());
  if (!problem.empty()) throw roam::Error(problem);
}

roam::Task<RunFigures> run_in_phases(
    roam::Runtime& rt, std::int64_t iterations, std::int64_t of_phase,
    std::function<void(std::int64_t first, std::int64_t last)> go_on) {
  RunFigures figures;
  figures.ranks = rt.size();
  figures.balancer = rt.options().balancer.name;
  co_await rt.quiescence();
  rt.begin_measurement();
  const roam::Instant begin = rt.now();
  figures.phases.begin(begin);
  for (std::int64_t first = 0; first < iterations;) {
    const std::int64_t last = std::min(iterations, first + of_phase);
    if (rt.rank() == 0) go_on(first, last);
    figures.phases.note(co_await rt.phase(), last - first);
    first = last;
  }
  figures.total_seconds = roam::seconds(rt.now() - begin);
  rt.end_measurement();
  figures.run = co_await rt.summarise_statistics();
  co_return figures;
}

}  // namespace support
