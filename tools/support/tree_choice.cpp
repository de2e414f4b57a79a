// SPDX-License-Identifier: Apache-2.0
#include "support/tree_choice.hpp"

#include "roam/core/detail/suggest.hpp"
#include "roam/core/detail/text.hpp"
#include "roam/core/error.hpp"

namespace roam_tools {

namespace {

std::int32_t read_leaf(std::string_view text, const roam::MachineTree& tree,
                       std::string_view option) {
  const std::int32_t leaf = roam::core::read_number<std::int32_t>(text).value_or(-1);
  if (leaf < 0 || leaf >= tree.leaves()) {
    throw roam::ConfigError(std::string(option) + ": found \"" + std::string(text) +
                            "\", allowed are leaves 0 to " + std::to_string(tree.leaves() - 1) +
                            " and ranges, as in 0-3,8");
  }
  return leaf;
}

}  // namespace

std::string help_on_sources() {
  return "SOURCE is one of\n"
         "  here                     this machine, of it what this process may use\n"
         "  8:2:4@100:10:1!7         nodes, packages, cores; distances; leaves that may not be "
         "used\n"
         "  \"package:2 core:4 pu:2\"  hwloc's synthetic notation\n"
         "  ranks=64,workers=1       a simulated machine\n"
         "  FILE                     XML of lstopo, topology.conf or topology.yaml of Slurm, the\n"
         "                           description of a simulated machine\n"
         "  FILE#NAME                one topology of a topology.yaml\n"
         "  OUTER+INNER              each leaf of OUTER is a machine like INNER: "
         "topology.conf+here";
}

std::size_t level_named(const roam::MachineTree& tree, const std::string& name, std::size_t first,
                        std::string_view option) {
  const auto level = tree.level_named(name);
  if (level && *level >= first) return *level;
  std::vector<std::string> names;
  for (const roam::MachineLevel& known : tree.levels().subspan(first)) names.push_back(known.name);
  throw roam::ConfigError(std::string(option) + ": there is no level \"" + name + "\"" +
                          (first > 0 ? " below the root" : "") +
                          roam::core::did_you_mean(name, names) +
                          "; levels are: " + roam::core::join_names(names));
}

std::vector<std::int32_t> read_leaves_of_ranks(std::string_view text, const roam::MachineTree& tree,
                                               std::string_view option) {
  std::vector<std::int32_t> leaves;
  for (const std::string_view entry : roam::core::split(text, ',')) {
    const std::size_t dash = entry.find('-');
    const std::int32_t first = read_leaf(entry.substr(0, dash), tree, option);
    const std::int32_t last =
        dash == std::string_view::npos ? first : read_leaf(entry.substr(dash + 1), tree, option);
    for (std::int32_t leaf = first; leaf <= last; ++leaf) {
      if (!tree.is_usable(leaf)) {
        throw roam::ConfigError(std::string(option) + ": rank " + std::to_string(leaves.size()) +
                                " is put on leaf " + std::to_string(leaf) +
                                ", which may not be used");
      }
      leaves.push_back(leaf);
    }
  }
  return leaves;
}

}  // namespace roam_tools
