// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

namespace stencil {

void report(const Settings& settings, const Figures& figures,
            const std::vector<roam::RankStatistics>& ranks) {
  const roam::RunSummary run = roam::summarise(ranks);
  std::size_t workers = 0;
  for (const roam::RankStatistics& rank : ranks) workers += rank.workers.size();
  const double all_steps = double(settings.blocks) * settings.blocks * settings.steps;
  const double cells = double(settings.block_side) * settings.block_side;
  // The time of all handlers, including edges: the least time of a simulated step.
  const double busy_seconds = run.mean_busy_seconds * static_cast<double>(workers);
  const double cell_seconds = busy_seconds / (all_steps * cells);
  std::printf("ranks                  %14zu\n", ranks.size());
  std::printf("workers                %14zu\n", workers);
  std::printf("balancer               %14s\n", figures.balancer.c_str());
  std::printf("blocks                 %14d   of %d x %d cells\n", settings.blocks * settings.blocks,
              settings.block_side, settings.block_side);
  std::printf("steps                  %14d\n", settings.steps);
  std::printf("total time             %14.6f s\n", run.makespan_seconds);
  std::printf("inside handlers        %14.6f s per worker\n", run.mean_busy_seconds);
  std::printf("a step of a cell       %14.4g s, edges included\n", cell_seconds);
  std::printf("messages               %14" PRIu64 "\n", run.messages_sent);
  std::printf("migrations             %14" PRIu64 "\n", run.migrations);
  std::printf("fingerprint %016" PRIx64 "%s\n", figures.fingerprint,
              settings.is_checked ? ", as computed serially" : "");
  if (settings.json.empty()) return;
  const nlohmann::ordered_json json = {{"program", "stencil"},
                                       {"balancer", figures.balancer},
                                       {"ranks", ranks.size()},
                                       {"workers", workers},
                                       {"total_seconds", run.makespan_seconds},
                                       {"busy_seconds", busy_seconds},
                                       {"cell_seconds", cell_seconds},
                                       {"messages_sent", run.messages_sent},
                                       {"migrations", run.migrations}};
  std::ofstream file(settings.json);
  file << json.dump(2) << '\n';
  if (!file.flush()) throw roam::Error("cannot write " + settings.json);
}

}  // namespace stencil
