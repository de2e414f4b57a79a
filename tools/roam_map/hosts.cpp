// SPDX-License-Identifier: Apache-2.0
#include "hosts.hpp"

#include <set>
#include <string_view>

#include "roam/core/error.hpp"
#include "roam/topology/detail/hosts.hpp"
#include "support/words.hpp"

namespace roam_map {

using roam::MachineTree;
using roam::TreeRange;

namespace {

std::vector<std::string> names_in(const MachineTree& tree, std::size_t level) {
  const auto& names = tree.parts().names;
  if (level < names.size() && !names[level].empty()) return names[level];
  if (level == 0) return {"localhost"};
  throw roam::ConfigError("--hosts: the machine's description has no names of " +
                          roam_tools::plural(tree.levels()[level].name) +
                          "; give them, as in --hosts tux[0-" +
                          std::to_string(tree.groups(level) - 1) + "]");
}

}  // namespace

Hosts::Hosts(const MachineTree& tree, std::size_t end, const HostChoice& choice)
    : tree_(tree),
      end_(end),
      level_(choice.level.value_or(tree.level_named("node").value_or(0))),
      names_(choice.names.empty() ? names_in(tree, level_)
                                  : roam::topology::expand_hosts(choice.names, "--hosts")) {
  const auto hosts = static_cast<std::size_t>(tree.groups(level_));
  if (names_.size() != hosts) {
    throw roam::ConfigError("--hosts: found " + std::to_string(names_.size()) +
                            " names, allowed are as many as there are hosts, " +
                            std::to_string(hosts));
  }
  std::set<std::string_view> known;
  for (const std::string& name : names_) {
    if (!known.insert(name).second)
      throw roam::ConfigError("--hosts: found " + name + " twice, allowed are different names");
  }
  if (end_ < level_) {
    throw roam::ConfigError("--end-at: a " + tree.levels()[end_].name +
                            " is not a part of one host; allowed are the level " +
                            tree.levels()[level_].name + " and those inside");
  }
}

const std::string& Hosts::name_of(std::int32_t place) const {
  const std::int32_t leaf = tree_.leaves_of(end_, place).first;
  return names_[static_cast<std::size_t>(tree_.ancestor(leaf, level_))];
}

std::string Hosts::slots_of(std::int32_t place) const {
  const std::size_t cores = tree_.level_named("core").value_or(tree_.depth());
  if (cores <= level_) {
    throw roam::ConfigError("--rankfile: the machine's description does not say which cores a " +
                            tree_.levels()[level_].name +
                            " has; allowed is one that does, as in topology.conf+node.xml");
  }
  const TreeRange leaves = tree_.leaves_of(end_, place);
  const std::int32_t first = tree_.ancestor(leaves.first, cores);
  const std::int32_t last = tree_.ancestor(leaves.last - 1, cores);
  const std::int32_t host_leaf =
      tree_.leaves_of(level_, tree_.ancestor(leaves.first, level_)).first;
  std::int32_t base = tree_.ancestor(host_leaf, cores);
  std::string slots;
  const std::size_t packages = tree_.level_named("package").value_or(0);
  if (packages > level_ && packages < cores) {
    const std::int32_t package = tree_.ancestor(leaves.first, packages);
    if (package == tree_.ancestor(leaves.last - 1, packages)) {
      slots = std::to_string(package - tree_.ancestor(host_leaf, packages)) + ":";
      base = tree_.ancestor(tree_.leaves_of(packages, package).first, cores);
    }
  }
  slots += std::to_string(first - base);
  return first == last ? slots : slots + "-" + std::to_string(last - base);
}

}  // namespace roam_map
