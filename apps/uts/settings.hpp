// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tree.hpp"

namespace uts {

struct Settings {
  std::string name = "T1";  ///< name of a published tree; empty: the one below
  Tree tree;
  std::uint64_t known_nodes = 0;  ///< 0: not known
  std::uint64_t nodes_per_call = 100;
  /// Number of remaining nodes up to which an object keeps them instead of giving them to new
  /// objects.
  std::uint64_t keep = 0;
  double node_seconds = 0.17e-6;  ///< in virtual time, in simulated runs
  bool compares = false;        ///< also measures plain traversals on all workers before and after
  double least_efficiency = 0;  ///< the run fails below it
};

/// If `name` is that of a published tree, sets `tree` and `known_nodes`.
void take_named_tree(Settings& settings);

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace uts
