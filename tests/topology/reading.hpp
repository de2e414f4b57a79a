// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "roam/core/detail/machine_tree.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"
#include "roam/topology/detail/source.hpp"

namespace roam::test {

/// The inputs in the repository for the fuzz target, one of every shape.
inline std::string topology_file(const std::string& name) {
  return ROAM_SOURCE_FOLDER "/fuzz/corpus/topology/" + name;
}
inline MachineTree topology_tree(const std::string& name) {
  return topology::parse_tree(core::read_text_file(topology_file(name)), name);
}

/// What the ConfigError says that `read` throws.
template <class Read>
std::string config_error_of(const Read& read) {
  try {
    (void)read();
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    return error.what();
  }
  return "no error";
}

/// The levels' names, the root's first: "machine package core".
inline std::string level_names(const MachineTree& tree) {
  std::string names;
  for (const MachineLevel& level : tree.levels()) names += (names.empty() ? "" : ", ") + level.name;
  return names;
}
/// The names of a level's groups.
inline std::string group_names(const MachineTree& tree, const std::string& level) {
  const auto found = tree.level_named(level);
  if (!found) return "no level " + level;
  std::string names;
  for (std::int32_t group = 0; group < tree.groups(*found); ++group)
    names += (names.empty() ? "" : ", ") + tree.name(*found, group);
  return names;
}
inline std::string processor_numbers(const MachineTree& tree) {
  std::string numbers;
  for (std::int32_t leaf = 0; leaf < tree.leaves(); ++leaf)
    numbers += (leaf == 0 ? "" : " ") + std::to_string(tree.processor(leaf).value_or(-1));
  return numbers;
}

}  // namespace roam::test
