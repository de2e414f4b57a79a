// SPDX-License-Identifier: Apache-2.0
#include "roam/topology/detail/pinning.hpp"

#include <algorithm>
#include <string>

#include "roam/core/error.hpp"

namespace roam::topology {
namespace {

std::size_t core_level(const MachineTree& tree) {
  return tree.level_named("core").value_or(tree.depth());
}

/// The usable cores of one group, neighbours far apart.
std::vector<std::int32_t> far_apart(const MachineTree& tree, std::size_t level, std::int32_t group,
                                    std::size_t cores_at) {
  if (tree.usable_in(level, group) == 0) return {};
  if (level == cores_at) return {group};
  std::vector<std::vector<std::int32_t>> parts;
  std::size_t cores = 0;
  const TreeRange children = tree.children(level, group);
  for (std::int32_t child = children.first; child < children.last; ++child) {
    parts.push_back(far_apart(tree, level + 1, child, cores_at));
    cores += parts.back().size();
  }
  std::vector<std::int32_t> dealt;
  for (std::size_t round = 0; dealt.size() < cores; ++round) {
    for (const std::vector<std::int32_t>& part : parts) {
      if (round < part.size()) dealt.push_back(part[round]);
    }
  }
  return dealt;
}

/// The usable processors of a core.
Processors processors_of(const MachineTree& tree, std::size_t level, std::int32_t core) {
  Processors all;
  const TreeRange leaves = tree.leaves_of(level, core);
  for (std::int32_t leaf = leaves.first; leaf < leaves.last; ++leaf) {
    if (tree.is_usable(leaf)) all.push_back(tree.processor(leaf).value_or(leaf));
  }
  return all;
}

}  // namespace

std::vector<std::int32_t> cores_in_order(const MachineTree& tree) {
  const std::size_t level = core_level(tree);
  std::vector<std::int32_t> cores;
  for (std::int32_t core = 0; core < tree.groups(level); ++core) {
    if (tree.usable_in(level, core) > 0) cores.push_back(core);
  }
  return cores;
}

std::vector<std::int32_t> cores_far_apart(const MachineTree& tree) {
  return far_apart(tree, 0, 0, core_level(tree));
}

Processors processors_of_cores(const MachineTree& tree, std::span<const std::int32_t> cores,
                               std::string_view origin) {
  const std::size_t level = core_level(tree);
  std::vector<Processors> of_cores;
  std::size_t most = 0;
  for (const std::int32_t core : cores) {
    if (core < 0 || core >= tree.groups(level)) {
      throw ConfigError(std::string(origin) + ": found core " + std::to_string(core) +
                        ", allowed is 0 to " + std::to_string(tree.groups(level) - 1));
    }
    of_cores.push_back(processors_of(tree, level, core));
    if (of_cores.back().empty()) {
      throw ConfigError(std::string(origin) + ": core " + std::to_string(core) +
                        " may not be used");
    }
    most = std::max(most, of_cores.back().size());
  }
  if (of_cores.empty()) throw ConfigError(std::string(origin) + ": found no core");
  Processors processors;
  for (std::size_t thread = 0; thread < most; ++thread) {
    for (const Processors& of_core : of_cores) {
      if (thread < of_core.size()) processors.push_back(of_core[thread]);
    }
  }
  return processors;
}

}  // namespace roam::topology
