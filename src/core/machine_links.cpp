// SPDX-License-Identifier: Apache-2.0
#include "machine_check.hpp"

namespace roam::core {

namespace {

using Problem = std::optional<MachineProblem>;

Problem check_uplinks(const Machine& machine, std::size_t index, std::int32_t groups) {
  const NetworkLevel& level = machine.network[index];
  const bool shared = level.uplink_bandwidth_bytes_per_second > 0;
  if (shared && index + 1 == machine.network.size()) {
    return MachineProblem{level_path(index, "uplink_bandwidth_bytes_per_second"),
                          "found on the last (outermost) level, which no message leaves; leave it "
                          "out"};
  }
  const std::string path = level_path(index, "uplinks");
  const std::string found = "found " + std::to_string(level.uplinks);
  if (level.uplinks < 1 || level.uplinks > max_uplinks) {
    return MachineProblem{
        path, found + ", allowed is a whole number from 1 to " + std::to_string(max_uplinks)};
  }
  if (level.uplinks > 1 && !shared)
    return MachineProblem{path, found + " without uplink_bandwidth_bytes_per_second"};
  if (std::int64_t{groups} * level.uplinks > max_links_of_level) {
    return MachineProblem{path, found + " for each of " + std::to_string(groups) +
                                    " groups, allowed are " + std::to_string(max_links_of_level) +
                                    " in all"};
  }
  return {};
}

Problem check_torus(const Machine& machine, std::size_t index, std::int32_t inside) {
  const NetworkLevel& level = machine.network[index];
  const std::string path = level_path(index, "torus");
  if (index + 1 != machine.network.size())
    return MachineProblem{path, "found, allowed on the last (outermost) level only"};
  if (level.torus.size() > max_torus_dimensions) {
    return MachineProblem{path, "found " + std::to_string(level.torus.size()) +
                                    " sizes, allowed are 1 to " +
                                    std::to_string(max_torus_dimensions)};
  }
  std::int64_t nodes = 1;
  for (const std::int32_t size : level.torus) {
    if (size < 1 || size > max_ranks || nodes * size > max_ranks) {
      return MachineProblem{path, "found the size " + std::to_string(size) +
                                      ", allowed are whole numbers from 1 whose product is at "
                                      "most " +
                                      std::to_string(max_ranks)};
    }
    nodes *= size;
  }
  if (nodes < inside) {
    return MachineProblem{path, "found " + std::to_string(nodes) + " nodes, allowed are at least " +
                                    std::to_string(inside) + ", one for each " +
                                    (index == 0 ? "rank" : "group of the level inside it")};
  }
  if (level.link_bandwidth_bytes_per_second <= 0) {
    return MachineProblem{level_path(index, "link_bandwidth_bytes_per_second"),
                          "found 0 beside a torus, allowed is a number from 1 (bytes per second)"};
  }
  if (level.shared_bandwidth_bytes_per_second > 0) {
    return MachineProblem{level_path(index, "shared_bandwidth_bytes_per_second"),
                          "found beside a torus, allowed is one of the two"};
  }
  return {};
}

}  // namespace

std::optional<MachineProblem> find_link_problem(const Machine& machine, std::size_t index,
                                                std::int32_t groups, std::int32_t inside) {
  if (auto problem = check_uplinks(machine, index, groups)) return problem;
  const NetworkLevel& level = machine.network[index];
  if (!level.torus.empty()) return check_torus(machine, index, inside);
  if (level.link_bandwidth_bytes_per_second > 0) {
    return MachineProblem{level_path(index, "link_bandwidth_bytes_per_second"),
                          "found without a torus; leave it out"};
  }
  if (level.hop_latency_seconds > 0) {
    return MachineProblem{level_path(index, "hop_latency_seconds"),
                          "found without a torus; leave it out"};
  }
  return {};
}

}  // namespace roam::core
