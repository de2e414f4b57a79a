// SPDX-License-Identifier: Apache-2.0
#include "machine_text.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace roam_calibrate {

namespace {

// Messages that take this many times longer have crossed another level of the network.
constexpr double another_level = 1.5;

roam::NetworkLevel level_of(const LinkCosts& costs) {
  roam::NetworkLevel level;
  level.overhead_seconds = costs.send_seconds;
  level.latency_seconds = std::max(0.0, costs.one_way_seconds - 2 * costs.send_seconds);
  level.gap_seconds = costs.gap_seconds;
  level.bandwidth_bytes_per_second = std::clamp(costs.bytes_per_second, 1.0, 1e15);
  return level;
}

std::string line(const char* key, double value) {
  char text[96];
  std::snprintf(text, sizeof text, "%s = %.4g\n", key, value);
  return text;
}

}  // namespace

roam::Machine machine_of(const Costs& costs, std::int32_t ranks, std::uint32_t workers) {
  roam::Machine machine;
  machine.ranks = ranks;
  machine.workers_per_rank = workers;
  machine.noise = std::min(costs.noise, 10.0);
  machine.handler_overhead_seconds = costs.handler_seconds;
  if (costs.links.empty()) return machine;
  machine.network = {level_of(costs.links.front())};
  double one_way = costs.links.front().one_way_seconds;
  for (const LinkCosts& link : costs.links) {
    if (link.one_way_seconds <= another_level * one_way) continue;
    machine.network.back().group_ranks = link.rank;  // the first rank that is further away
    machine.network.push_back(level_of(link));
    one_way = link.one_way_seconds;
  }
  for (std::size_t i = 0; i < machine.network.size(); ++i) {
    machine.network[i].name =
        i + 1 == machine.network.size() ? "machine" : "level " + std::to_string(i + 1);
  }
  return machine;
}

std::string machine_text(const roam::Machine& machine, const std::string& origin) {
  std::string text = "# " + origin + "\n# A machine for PROGRAM --roam-simulate FILE.\n\n";
  text += "ranks = " + std::to_string(machine.ranks) + "\n";
  text += "workers = " + std::to_string(machine.workers_per_rank) + "\n";
  text += line("noise", machine.noise);
  text += line("handler_overhead_seconds", machine.handler_overhead_seconds);
  for (const roam::NetworkLevel& level : machine.network) {
    text += "\n[[network]]\nname = \"" + level.name + "\"\n";
    if (level.group_ranks > 0) text += "group_ranks = " + std::to_string(level.group_ranks) + "\n";
    text += line("latency_seconds", level.latency_seconds);
    text += line("overhead_seconds", level.overhead_seconds);
    text += line("gap_seconds", level.gap_seconds);
    text += line("bandwidth_bytes_per_second", level.bandwidth_bytes_per_second);
  }
  return text;
}

}  // namespace roam_calibrate
