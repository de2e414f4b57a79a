// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam_map {

/// Which groups of a tree are hosts, and their names.
struct HostChoice {
  /// Level of the hosts; none: the level "node", or else the whole machine.
  std::optional<std::size_t> level;
  std::string names;  ///< a host list; "": the names in the tree
};

/// The names of ranks' places for launchers: names of hosts, and numbers of cores within them.
class Hosts {
 public:
  /// `end` is the level of the places, on which ranks are. Throws roam::ConfigError if hosts have
  /// no names, if there are more or fewer names than hosts, or if a place is no part of a host.
  Hosts(const roam::MachineTree& tree, std::size_t end, const HostChoice& choice);

  /// The name of the host that a place is on.
  [[nodiscard]] const std::string& name_of(std::int32_t place) const;
  /// The cores of a place as Open MPI's rankfiles give them, by logical numbers: "0:3", "1:0-3" for
  /// package and cores in it; "4-7" for cores of the host where it has no packages or the place is
  /// on several. Throws roam::ConfigError if the tree says nothing of what is in a host.
  [[nodiscard]] std::string slots_of(std::int32_t place) const;

 private:
  const roam::MachineTree& tree_;
  std::size_t end_;
  std::size_t level_;
  std::vector<std::string> names_;
};

}  // namespace roam_map
