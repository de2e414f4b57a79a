// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace amr_steps {

double usual_step_seconds(const Settings& settings, const Result& result) {
  const auto first = std::min<std::size_t>(settings.warm_up, result.step_seconds.size() - 1);
  std::vector<double> times(result.step_seconds.begin() + static_cast<std::ptrdiff_t>(first),
                            result.step_seconds.end());
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

void print_report(const Settings& settings, const Result& result, std::int32_t ranks,
                  std::uint32_t workers) {
  if (settings.shows_steps) {
    for (std::size_t step = 0; step < result.step_seconds.size(); ++step)
      std::printf("step %4zu  %.6f s\n", step, result.step_seconds[step]);
  }
  const double usual = usual_step_seconds(settings, result);
  const auto [longest, mean] = least_seconds(settings, ranks, workers, settings.steps - 1);
  const auto count = [&](const char* name) {
    return roam::value_of(result.summary.counters, name);
  };
  std::printf("%d ranks of %u workers, %zu steps; a step (median after %u): %.6f s\n", ranks,
              workers, result.step_seconds.size(), settings.warm_up, usual);
  std::printf("the cells of the fullest rank alone: %.6f s, of all ranks in the mean: %.6f s\n",
              longest, mean);
  std::printf("speed-up over the fullest rank %.3f of at most %.3f\n", longest / usual,
              longest / mean);
  std::printf(
      "tasks %.0f, offloaded %.0f, returned in time %.0f, computed again %.0f, of these in "
      "vain %.0f, sent back %.0f\n",
      count("tasks_spawned"), count("tasks_offloaded"), count("tasks_returned"),
      count("tasks_recomputed"), count("late_results"), count("tasks_sent_back"));
  std::printf("checksum %016llx\n", static_cast<unsigned long long>(result.checksum));
}

void write_csv(const Settings& settings, const Result& result) {
  if (settings.csv.empty()) return;
  std::ofstream file(settings.csv);
  file << "step,seconds\n";
  for (std::size_t step = 0; step < result.step_seconds.size(); ++step)
    file << step << ',' << result.step_seconds[step] << '\n';
  if (!file.flush()) throw roam::Error("cannot write " + settings.csv);
}

void write_json(const Settings& settings, const Result& result, std::int32_t ranks,
                std::uint32_t workers) {
  if (settings.json.empty()) return;
  using nlohmann::json;
  json alone = json::array();
  json levelled = json::array();
  for (std::uint32_t step = 0; step < settings.steps; ++step) {
    const LeastSeconds least = least_seconds(settings, ranks, workers, step);
    alone.push_back(least.alone);
    levelled.push_back(least.levelled);
  }
  json counters = json::object();
  for (const roam::Counter& counter : result.summary.counters)
    counters[counter.name] = counter.value;
  json offloading = json::array();
  for (const roam::trace::OffloadStep& step : result.offloading) {
    json waits = json::array();
    for (const auto& one : step.waits)
      waits.push_back({one.from.value(), one.to.value(), one.seconds});
    json flows = json::array();
    for (const auto& one : step.flows)
      flows.push_back({one.from.value(), one.to.value(), one.offloaded, one.allowed});
    json reasons = json::object();
    for (const auto& one : step.emergencies_by_reason) reasons[one.reason] = one.times;
    offloading.push_back({{"step", step.step},
                          {"time_seconds", roam::seconds(step.time)},
                          {"seconds", step.seconds},
                          {"critical", step.critical.value()},
                          {"victim", step.victim.value()},
                          {"waits_left_out", step.waits_left_out},
                          {"flows_left_out", step.flows_left_out},
                          {"waits", std::move(waits)},
                          {"flows", std::move(flows)},
                          {"tasks", step.tasks},
                          {"offloaded", step.offloaded},
                          {"allowed", step.allowed},
                          {"recomputed", step.recomputed},
                          {"in_vain", step.in_vain},
                          {"emergencies", step.emergencies},
                          {"emergency_reasons", std::move(reasons)},
                          {"relaxation", step.relaxation},
                          {"blacklisted", step.blacklisted},
                          {"blacklist_reasons", step.blacklist_reasons}});
  }
  std::ofstream file(settings.json);
  file << json{{"step_seconds", result.step_seconds},
               {"alone_seconds", alone},
               {"levelled_seconds", levelled},
               {"checksum", std::to_string(result.checksum)},
               {"counters", counters},
               {"offloading", offloading}};
  if (!file.flush()) throw roam::Error("cannot write " + settings.json);
}

}  // namespace amr_steps
