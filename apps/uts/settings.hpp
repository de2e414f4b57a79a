// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "tree.hpp"

namespace uts {

struct Settings {
  std::string name = "T1";  ///< of a published tree; empty: the one below
  Tree tree;
  std::uint64_t known_nodes = 0;  ///< 0: nobody knows
  std::uint64_t nodes_per_call = 100;
  /// An object keeps the rest of its nodes up to so many instead of giving it to new objects.
  std::uint64_t keep = 0;
  double node_seconds = 0.17e-6;  ///< of virtual time, in simulated runs
  bool compares = false;          ///< with plain traversals on all workers before and after
  double least_efficiency = 0;    ///< the run fails below it
};

/// The published tree of that name, if there is one: sets `tree` and `known_nodes`.
void take_named_tree(Settings& settings);

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace uts
