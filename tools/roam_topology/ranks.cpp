// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <string_view>

#include "roam/core/error.hpp"
#include "roam/core/text.hpp"

namespace roam_topology {

namespace {

std::int32_t read_leaf(std::string_view text, const roam::MachineTree& tree) {
  const std::int32_t leaf = roam::core::read_number<std::int32_t>(text).value_or(-1);
  if (leaf < 0 || leaf >= tree.leaves()) {
    throw roam::ConfigError("--ranks: found \"" + std::string(text) +
                            "\", allowed are leaves 0 to " + std::to_string(tree.leaves() - 1) +
                            " and ranges, as in 0-3,8");
  }
  return leaf;
}

}  // namespace

RanksOnLeaves::RanksOnLeaves(const std::string& text, const roam::MachineTree& tree)
    : on_leaf_(static_cast<std::size_t>(tree.leaves())) {
  std::int32_t rank = 0;
  for (const std::string_view entry : roam::core::split(text, ',')) {
    const std::size_t dash = entry.find('-');
    const std::int32_t first = read_leaf(entry.substr(0, dash), tree);
    const std::int32_t last =
        dash == std::string_view::npos ? first : read_leaf(entry.substr(dash + 1), tree);
    for (std::int32_t leaf = first; leaf <= last; ++leaf) {
      if (!tree.is_usable(leaf)) {
        throw roam::ConfigError("--ranks: rank " + std::to_string(rank) + " is put on leaf " +
                                std::to_string(leaf) + ", which may not be used");
      }
      on_leaf_[static_cast<std::size_t>(leaf)].push_back(rank++);
    }
  }
}

std::string RanksOnLeaves::text(std::int32_t leaf) const {
  std::string text;
  if (empty()) return text;
  for (const std::int32_t rank : on_leaf_[static_cast<std::size_t>(leaf)])
    text += (text.empty() ? "r" : " r") + std::to_string(rank);
  return text;
}

std::int32_t RanksOnLeaves::count(std::int32_t leaf) const {
  return empty() ? 0 : static_cast<std::int32_t>(on_leaf_[static_cast<std::size_t>(leaf)].size());
}

}  // namespace roam_topology
