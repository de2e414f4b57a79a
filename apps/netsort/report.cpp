// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace netsort {

namespace {

/// Times as averages over all workers.
struct Shares {
  std::size_t workers = 0;
  double total_seconds = 0;
  double sorting_seconds = 0;
  double handlers_seconds = 0;  ///< in handlers apart from sorting: calls, packing, sending
  double outside_seconds = 0;   ///< scheduling, receiving, moving objects
  double idle_seconds = 0;
  std::uint64_t bytes_sent = 0;

  [[nodiscard]] double runtime_seconds() const { return handlers_seconds + outside_seconds; }
  [[nodiscard]] double runtime_percent() const {
    return total_seconds > 0 ? 100 * runtime_seconds() / total_seconds : 0;
  }
};

Shares shares(const Figures& figures, const std::vector<roam::RankStatistics>& ranks) {
  Shares sum;
  for (const roam::RankStatistics& rank : ranks) {
    sum.total_seconds = std::max(sum.total_seconds, rank.elapsed_seconds);
    sum.bytes_sent += rank.bytes_sent;
    for (const roam::WorkerStatistics& worker : rank.workers) {
      ++sum.workers;
      sum.handlers_seconds += worker.busy_seconds;
      sum.outside_seconds += worker.overhead_seconds;
      sum.idle_seconds += worker.idle_seconds;
    }
  }
  const auto workers = static_cast<double>(sum.workers);
  sum.sorting_seconds = figures.sorting_seconds / workers;
  sum.handlers_seconds = std::max(sum.handlers_seconds / workers - sum.sorting_seconds, 0.0);
  sum.outside_seconds /= workers;
  sum.idle_seconds /= workers;
  return sum;
}

std::string hexadecimal(std::uint64_t number) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return digits;
}

const char* name(Variant variant) { return variant == Variant::mobile ? "mobile" : "static"; }

void print(const Settings& settings, const Figures& figures, const Shares& shares,
           const roam::RunSummary& run, std::size_t ranks) {
  std::printf("variant                %14s\n", name(settings.variant));
  std::printf("ranks                  %14zu\n", ranks);
  std::printf("workers                %14zu\n", shares.workers);
  std::printf("integers               %14" PRId64 "   in %" PRId64 " blocks\n", settings.integers,
              settings.blocks());
  std::printf("comparisons            %14" PRIu64 "   of blocks\n", figures.comparisons);
  std::printf("total time             %14.4f s\n", shares.total_seconds);
  std::printf("sorting                %14.4f s per worker\n", shares.sorting_seconds);
  std::printf("runtime, in handlers   %14.4f s per worker: calls, packing, sending\n",
              shares.handlers_seconds);
  std::printf("runtime, outside       %14.4f s per worker: scheduling, receiving, moving\n",
              shares.outside_seconds);
  std::printf("idle                   %14.4f s per worker\n", shares.idle_seconds);
  std::printf("runtime / total        %14.2f %%\n", shares.runtime_percent());
  std::printf("messages               %14" PRIu64 "\n", run.messages_sent);
  std::printf("bytes                  %14" PRIu64 "\n", shares.bytes_sent);
  std::printf("migrations             %14" PRIu64 "\n", run.migrations);
  std::printf("migrated bytes         %14" PRIu64 "\n", run.migrated_bytes);
  std::printf("sorted: yes, fingerprint %s\n", hexadecimal(figures.fingerprint).c_str());
}

void write_json(const Settings& settings, const Figures& figures, const Shares& shares,
                const roam::RunSummary& run, std::size_t ranks) {
  const nlohmann::ordered_json figures_json = {
      {"program", "netsort"},
      {"variant", name(settings.variant)},
      {"ranks", ranks},
      {"workers", shares.workers},
      {"integers", settings.integers},
      {"block_size", settings.block_size},
      {"seed", settings.seed},
      {"comparisons", figures.comparisons},
      {"total_seconds", shares.total_seconds},
      {"sorting_seconds_per_worker", shares.sorting_seconds},
      {"runtime_seconds_per_worker", shares.runtime_seconds()},
      {"runtime_in_handlers_seconds_per_worker", shares.handlers_seconds},
      {"idle_seconds_per_worker", shares.idle_seconds},
      {"runtime_percent_of_total", shares.runtime_percent()},
      {"messages_sent", run.messages_sent},
      {"bytes_sent", shares.bytes_sent},
      {"migrations", run.migrations},
      {"migrated_bytes", run.migrated_bytes},
      {"fingerprint", hexadecimal(figures.fingerprint)}};
  std::ofstream file(settings.json);
  file << figures_json.dump(2) << '\n';
  if (!file.flush()) throw roam::Error("cannot write " + settings.json);
}

}  // namespace

void report(const Settings& settings, const Figures& figures,
            const std::vector<roam::RankStatistics>& ranks) {
  const roam::RunSummary run = roam::summarise(ranks);
  const Shares times = shares(figures, ranks);
  print(settings, figures, times, run, ranks.size());
  if (!settings.json.empty()) write_json(settings, figures, times, run, ranks.size());
}

}  // namespace netsort
