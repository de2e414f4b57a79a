// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cstdio>

namespace synthetic {

double print_report(const Figures& figures, const std::vector<roam::RankStatistics>& ranks) {
  const roam::RunSummary sum = roam::summarise(ranks);
  std::size_t workers = 0;
  for (const auto& rank : ranks) workers += rank.workers.size();
  const double mean_load = figures.planned_seconds / static_cast<double>(workers);
  std::printf("ranks                  %14zu\n", ranks.size());
  std::printf("workers                %14zu\n", workers);
  std::printf("objects                %14lld\n", static_cast<long long>(figures.objects));
  std::printf("balancer               %14s\n", figures.balancer.c_str());
  std::printf("mean load              %14.4f s\n", mean_load);
  std::printf("makespan               %14.4f s\n", sum.makespan_seconds);
  std::printf("longest worker         %14.4f s\n", sum.max_busy_seconds);
  std::printf("shortest worker        %14.4f s\n", sum.min_busy_seconds);
  std::printf("mean worker            %14.4f s\n", sum.mean_busy_seconds);
  std::printf("efficiency             %14.4f   (mean / longest)\n", sum.efficiency);
  std::printf("longest / mean load    %14.4f\n", sum.max_busy_seconds / mean_load);
  std::printf("makespan / mean load   %14.4f\n", sum.makespan_seconds / mean_load);
  std::printf("migrations             %14llu\n", static_cast<unsigned long long>(sum.migrations));
  std::printf("migrated bytes         %14llu\n",
              static_cast<unsigned long long>(sum.migrated_bytes));
  std::printf("messages               %14llu\n",
              static_cast<unsigned long long>(sum.messages_sent));
  return sum.makespan_seconds / mean_load;
}

}  // namespace synthetic
