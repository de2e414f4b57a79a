// SPDX-License-Identifier: Apache-2.0
// What offloading costs where nothing is offloaded: a task that stays, from its spawning to its
// result, with an empty function; what a decision on the loads of many ranks takes; and how many
// bytes each rank sends for it, up the tree of ranks.
//   bench_offload_costs [--short] [--repeats N] [--json FILE]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <roam/core/detail/rank_tree.hpp>
#include <roam/core/random.hpp>
#include <roam/offload/offload.hpp>
#include <roam/offload/strategy.hpp>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "../support/report.hpp"

namespace {

namespace offload = roam::offload;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + std::ssize(values) / 2);
  return values[values.size() / 2];
}

void nothing() {}

/// Seconds per task in bursts on rank 0, while the other ranks wait.
double seconds_per_task(std::int32_t ranks, const std::string& strategy, int tasks) {
  roam::Options options;
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  options.edit<roam::OffloadOptions>().strategy = roam::parse_plugin_choice(strategy);
  double seconds = 0;
  const int status = roam::run(options, [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    constexpr int burst = 64;
    const Clock::time_point begin = Clock::now();
    for (int done = 0; done < tasks; done += burst) {
      std::vector<offload::Result<void>> results;
      results.reserve(burst);
      for (int i = 0; i < burst; ++i) results.push_back(offload::spawn<&nothing>(rt));
      co_await offload::when_all(std::move(results));
    }
    seconds = seconds_since(begin) / tasks;
  });
  if (status != 0) std::exit(1);
  return seconds;
}

/// A step whose loads differ from rank to rank, as on an adaptive mesh.
std::vector<offload::RankStep> uneven_step(std::int32_t ranks) {
  roam::core::Random random(1);
  std::vector<offload::RankStep> step;
  for (std::int32_t rank = 0; rank < ranks; ++rank) {
    const auto tasks = static_cast<std::uint32_t>(50 + random.below(150));
    const float busy = 1e-3F * static_cast<float>(tasks);
    step.push_back({.rank = rank,
                    .seconds = 0.2F,
                    .idle_seconds = 0.2F - busy,
                    .busy_seconds = busy,
                    .task_seconds = 1e-3F,
                    .tasks = tasks,
                    .computed = tasks,
                    .keeps = 1});
  }
  return step;
}

double seconds_per_decision(const std::string& strategy, std::int32_t ranks, int decisions) {
  const auto decides = offload::make_strategy({strategy, {}}, ranks);
  std::vector<offload::RankStep> step = uneven_step(ranks);
  const std::vector<offload::Wait> waits = offload::waits_for_the_latest(step);
  std::vector<double> seconds;
  for (int i = 0; i < decisions; ++i) {
    const Clock::time_point begin = Clock::now();
    const auto quotas = decides->decide(
        {.step = static_cast<std::uint64_t>(i), .ranks = step, .waits = waits, .emergencies = {}});
    seconds.push_back(seconds_since(begin));
    if (strategy != "auto" || i == 0) continue;
    if (quotas.empty()) std::exit(1);  // offloading must have something to gain
    if (i == 1) {
      for (offload::RankStep& rank : step) rank.seconds *= 0.75F;  // as if offloading had gained it
    }
  }
  return median(seconds);
}

/// What the ranks report of a step in which nothing was offloaded.
struct ReportBytes {
  double mean = 0;  ///< sent by a rank
  double most = 0;  ///< received by one: by rank 0
};
ReportBytes report_bytes(std::int32_t ranks) {
  std::vector<double> reported(static_cast<std::size_t>(ranks), sizeof(offload::RankStep));
  ReportBytes bytes;
  for (std::int32_t rank = ranks - 1; rank > 0; --rank) {  // a parent's number is lower
    const roam::Rank parent = *roam::core::RankTree(roam::Rank(rank), ranks).parent();
    const double own = reported[static_cast<std::size_t>(rank)];
    reported[parent.index()] += own;
    bytes.mean += own / ranks;
  }
  bytes.most = reported.front() - sizeof(offload::RankStep);
  return bytes;
}

}  // namespace

int main(int argc, char** argv) {
  const bench::Settings settings = bench::read_settings(argc, argv);
  const int tasks = settings.is_short ? 6'400 : 640'000;
  nlohmann::json rows = nlohmann::json::array();
  const auto row = [&](const std::string& name, double seconds, double scale, const char* unit) {
    std::printf("%-44s %10.4g %s\n", name.c_str(), seconds * scale, unit);
    rows.push_back({{"name", name}, {"seconds", seconds}});
  };
  for (const auto& [ranks, strategy] : {std::pair{1, "none"}, std::pair{2, "auto"}}) {
    std::vector<double> seconds;
    for (int i = 0; i < settings.repeats; ++i)
      seconds.push_back(seconds_per_task(ranks, strategy, tasks));
    row("task that stays, " + std::to_string(ranks) + " rank(s), " + strategy, median(seconds), 1e9,
        "ns");
  }
  for (const std::int32_t ranks : {1'000, 10'000}) {
    if (settings.is_short && ranks > 1'000) continue;
    for (const char* strategy : {"auto", "diffusion", "ccp"}) {
      row(std::string("decision, ") + strategy + ", " + std::to_string(ranks) + " ranks",
          seconds_per_decision(strategy, ranks, 5 + 2 * settings.repeats), 1e3, "ms");
    }
    const ReportBytes bytes = report_bytes(ranks);
    const std::string name = "reports, " + std::to_string(ranks) + " ranks, ";
    std::printf("%-44s %10.4g bytes\n", (name + "sent by a rank").c_str(), bytes.mean);
    std::printf("%-44s %10.4g bytes\n", (name + "received by rank 0").c_str(), bytes.most);
    rows.push_back({{"name", name}, {"mean_bytes", bytes.mean}, {"most_bytes", bytes.most}});
  }
  bench::write_json(settings.json, rows);
}
