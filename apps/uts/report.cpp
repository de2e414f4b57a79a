// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>

namespace uts {

namespace {

std::size_t workers_of(const Result& result) {
  std::size_t workers = 0;
  for (const auto& rank : result.ranks) workers += rank.workers.size();
  return workers;
}

double busy_part(const roam::RunSummary& sum) {
  return sum.mean_busy_seconds / sum.makespan_seconds;
}

}  // namespace

double efficiency(const Result& result) {
  const roam::RunSummary sum = roam::summarise(result.ranks);
  if (result.plain_seconds <= 0) return busy_part(sum);
  return result.plain_seconds / (sum.makespan_seconds * static_cast<double>(workers_of(result)));
}

void print_report(const Settings& settings, const Result& result) {
  const roam::RunSummary sum = roam::summarise(result.ranks);
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("tree                   %14s\n", settings.name.c_str());
  std::printf("ranks                  %14zu\n", result.ranks.size());
  std::printf("workers                %14zu\n", workers_of(result));
  std::printf("balancer               %14s\n", result.balancer.c_str());
  std::printf("nodes                  %14llu%s\n", number(result.nodes),
              settings.known_nodes == result.nodes ? "   (as published)" : "");
  std::printf("calls                  %14llu\n", number(result.calls));
  std::printf("makespan               %14.4f s\n", sum.makespan_seconds);
  std::printf("longest worker         %14.4f s\n", sum.max_busy_seconds);
  std::printf("shortest worker        %14.4f s\n", sum.min_busy_seconds);
  std::printf("mean worker            %14.4f s\n", sum.mean_busy_seconds);
  std::printf("mean / longest worker  %14.4f\n", sum.efficiency);
  std::printf("busy / time            %14.4f   (in calls, of all workers' time)\n", busy_part(sum));
  if (result.plain_seconds > 0) {
    std::printf("without Roam           %14.4f s on one worker, with all of them busy\n",
                result.plain_seconds);
    std::printf("speed-up               %14.4f\n", result.plain_seconds / sum.makespan_seconds);
    std::printf("efficiency             %14.4f   (speed-up / workers)\n", efficiency(result));
  }
  std::printf("migrations             %14llu\n", number(sum.migrations));
  std::printf("migrated bytes         %14llu\n", number(sum.migrated_bytes));
  std::printf("messages               %14llu\n", number(sum.messages_sent));
}

}  // namespace uts
