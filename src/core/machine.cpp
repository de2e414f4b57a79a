// SPDX-License-Identifier: Apache-2.0
#include "roam/core/machine.hpp"

#include <cstdio>

#include "machine_check.hpp"
#include "roam/core/error.hpp"

namespace roam {

namespace core {

namespace {

using Problem = std::optional<MachineProblem>;

Problem check_number(const std::string& path, double value, double low, double high,
                     const char* unit, bool may_be_zero = false) {
  if (value >= low && value <= high) return {};  // false for NaN
  if (may_be_zero && value == 0) return {};
  std::string allowed = std::string(may_be_zero ? "0 or " : "") + "a number from " +
                        short_number(low) + " to " + short_number(high);
  if (*unit != '\0') allowed += std::string(" (") + unit + ")";
  return MachineProblem{path, "found " + short_number(value) + ", allowed is " + allowed};
}

/// The number of groups on a level; the levels inside it have been checked.
std::int32_t groups_on(const Machine& machine, std::size_t index) {
  const NetworkLevel& level = machine.network[index];
  if (!level.parents.empty()) return level.parents.back() + 1;
  return level.group_ranks > 0 ? (machine.ranks - 1) / level.group_ranks + 1 : 1;
}

/// The groups, or ranks, that the groups of a level hold.
std::int32_t groups_inside(const Machine& machine, std::size_t index) {
  return index == 0 ? machine.ranks : groups_on(machine, index - 1);
}

/// Checks a level whose groups are given one by one.
Problem check_parents(const Machine& machine, std::size_t index) {
  const NetworkLevel& level = machine.network[index];
  const std::string path = level_path(index, "parents");
  if (level.group_ranks != 0)
    return MachineProblem{path, "found beside group_ranks, allowed is one of the two"};
  if (index + 1 == machine.network.size()) {
    return MachineProblem{path,
                          "found on the last (outermost) level, which spans all ranks; leave "
                          "it out"};
  }
  const std::int32_t inside = groups_inside(machine, index);
  if (level.parents.size() != static_cast<std::size_t>(inside)) {
    return MachineProblem{
        path, "found " + std::to_string(level.parents.size()) +
                  " numbers, allowed is one for each " +
                  (index == 0 ? std::string("rank") : "group of the level inside it") + ", " +
                  std::to_string(inside)};
  }
  std::int32_t last = -1;
  for (const std::int32_t parent : level.parents) {
    if (parent != last && parent != last + 1) {
      return MachineProblem{path, "found " + std::to_string(parent) +
                                      (last < 0 ? " first" : " after " + std::to_string(last)) +
                                      ", allowed are numbers from 0 that do not decrease and leave "
                                      "out none"};
    }
    last = parent;
  }
  return {};
}

Problem check_group(const Machine& machine, std::size_t index) {
  if (!machine.network[index].parents.empty()) return check_parents(machine, index);
  const NetworkLevel& level = machine.network[index];
  const std::string path = level_path(index, "group_ranks");
  const bool outermost = index + 1 == machine.network.size();
  const std::string found = "found " + std::to_string(level.group_ranks) + ", allowed is ";
  if (outermost && level.group_ranks == 0) return {};
  const std::string ranks = std::to_string(machine.ranks);
  if (outermost && level.group_ranks < machine.ranks) {
    return MachineProblem{path,
                          found + "at least the number of ranks, " + ranks +
                              ", on the last (outermost) level; leave it out to span all ranks"};
  }
  if (level.group_ranks < 1 || level.group_ranks > max_ranks) {
    return MachineProblem{path,
                          found + "a whole number from 1 to " + std::to_string(max_ranks) +
                              (outermost ? "" : " on every level but the last, innermost first")};
  }
  if (index == 0) return {};
  if (!outermost && !machine.network[index - 1].parents.empty()) {
    return MachineProblem{path,
                          "found around a level with parents, allowed is a list of parents "
                          "here, too"};
  }
  const std::int32_t inner = machine.network[index - 1].group_ranks;
  if (level.group_ranks > inner && level.group_ranks % inner == 0) return {};
  return MachineProblem{path, found + "a multiple of the level inside it (\"" +
                                  machine.network[index - 1].name + "\", " + std::to_string(inner) +
                                  " ranks), larger than it"};
}

Problem check_level(const Machine& machine, std::size_t index) {
  const NetworkLevel& level = machine.network[index];
  if (level.name.empty()) return MachineProblem{level_path(index, "name"), "found an empty name"};
  for (std::size_t other = 0; other < index; ++other) {
    if (machine.network[other].name == level.name) {
      return MachineProblem{level_path(index, "name"),
                            "found \"" + level.name +
                                "\" a second time, allowed is a name of its own for each level"};
    }
  }
  if (auto problem = check_group(machine, index)) return problem;
  for (const LevelField& field : level_fields) {
    if (auto problem = check_number(level_path(index, field.key), level.*field.member, field.low,
                                    field.high, field.unit, field.may_be_zero)) {
      return problem;
    }
  }
  return find_link_problem(machine, index, groups_on(machine, index),
                           groups_inside(machine, index));
}

Problem check_speeds(const Machine& machine) {
  for (const double speed : machine.speeds) {
    if (auto problem = check_number("speed", speed, 1e-6, 1e6, "1: normal speed")) return problem;
  }
  const std::size_t count = machine.speeds.size();
  if (count > 0 && static_cast<std::size_t>(machine.ranks) % count == 0) return {};
  return MachineProblem{
      "speed", "found " + std::to_string(count) +
                   " values, allowed is one for all ranks, one for each, or a pattern whose length "
                   "divides the number of ranks, " +
                   std::to_string(machine.ranks)};
}

}  // namespace

std::string short_number(double value) {
  char buffer[40];
  std::snprintf(buffer, sizeof buffer, "%.10g", value);
  return buffer;
}

std::string level_path(std::size_t index, std::string_view key) {
  return "network level " + std::to_string(index + 1) + ", " + std::string(key);
}

std::optional<MachineProblem> find_problem(const Machine& machine) {
  if (machine.ranks < 1 || machine.ranks > max_ranks) {
    return MachineProblem{"ranks", "found " + std::to_string(machine.ranks) +
                                       ", allowed is a whole number from 1 to " +
                                       std::to_string(max_ranks)};
  }
  if (machine.workers_per_rank < 1 || machine.workers_per_rank > max_workers_per_rank) {
    return MachineProblem{"workers", "found " + std::to_string(machine.workers_per_rank) +
                                         ", allowed is a whole number from 1 to " +
                                         std::to_string(max_workers_per_rank)};
  }
  for (const MachineField& field : machine_fields) {
    if (auto problem =
            check_number(field.key, machine.*field.member, field.low, field.high, field.unit)) {
      return problem;
    }
  }
  if (auto problem = check_speeds(machine)) return problem;
  if (machine.network.empty() || machine.network.size() > max_network_levels) {
    return MachineProblem{"network", "found " + std::to_string(machine.network.size()) +
                                         " levels, allowed are 1 to " +
                                         std::to_string(max_network_levels)};
  }
  for (std::size_t index = 0; index < machine.network.size(); ++index) {
    if (auto problem = check_level(machine, index)) return problem;
  }
  return {};
}

}  // namespace core

void check(const Machine& machine, std::string_view origin) {
  if (const auto problem = core::find_problem(machine)) {
    throw ConfigError(std::string(origin) + ": " + problem->path + ": " + problem->text);
  }
}

std::vector<NetworkLevel> detail::default_network() { return {NetworkLevel{}}; }

}  // namespace roam
