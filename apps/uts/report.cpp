// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>

namespace uts {

double print_report(const Settings& settings, const Figures& figures,
                    const std::vector<roam::RankStatistics>& ranks) {
  const roam::RunSummary sum = roam::summarise(ranks);
  std::size_t workers = 0;
  for (const auto& rank : ranks) workers += rank.workers.size();
  const double time = sum.makespan_seconds * static_cast<double>(workers);
  const auto number = [](std::uint64_t n) { return static_cast<unsigned long long>(n); };
  std::printf("tree                   %14s\n", settings.name.c_str());
  std::printf("ranks                  %14zu\n", ranks.size());
  std::printf("workers                %14zu\n", workers);
  std::printf("balancer               %14s\n", figures.balancer.c_str());
  std::printf("nodes                  %14llu%s\n", number(figures.nodes),
              settings.known_nodes == figures.nodes ? "   (as published)" : "");
  std::printf("calls                  %14llu\n", number(figures.calls));
  std::printf("makespan               %14.4f s\n", sum.makespan_seconds);
  std::printf("longest worker         %14.4f s\n", sum.max_busy_seconds);
  std::printf("shortest worker        %14.4f s\n", sum.min_busy_seconds);
  std::printf("mean worker            %14.4f s\n", sum.mean_busy_seconds);
  std::printf("mean / longest worker  %14.4f\n", sum.efficiency);
  const double busy = sum.mean_busy_seconds / sum.makespan_seconds;
  std::printf("busy / time            %14.4f   (in calls, of all workers' time)\n", busy);
  const double efficiency = figures.plain_seconds > 0 ? figures.plain_seconds / time : busy;
  if (figures.plain_seconds > 0) {
    std::printf("without Roam           %14.4f s on one worker\n", figures.plain_seconds);
    std::printf("speed-up               %14.4f\n", figures.plain_seconds / sum.makespan_seconds);
    std::printf("efficiency             %14.4f   (speed-up / workers)\n", efficiency);
  }
  std::printf("migrations             %14llu\n", number(sum.migrations));
  std::printf("migrated bytes         %14llu\n", number(sum.migrated_bytes));
  std::printf("messages               %14llu\n", number(sum.messages_sent));
  return efficiency;
}

}  // namespace uts
