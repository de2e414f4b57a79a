// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "roam/core/detail/machine_tree.hpp"

namespace roam_topology {

/// Where one rank of a job ran.
struct JobRank {
  std::string host;                      ///< empty: simulated
  std::vector<std::int32_t> processors;  ///< that it might use, by the system's numbers
  bool is_bound = false;                 ///< its workers were, one to each of these
};

/// The ranks of the job whose trace (--roam-trace) this file is, rank 0 first. Throws
/// roam::ConfigError, one line that starts with the path, for a file that is no such trace or lacks
/// ranks.
[[nodiscard]] std::vector<JobRank> read_job(const std::string& path);

/// For each rank the leaves of the tree on which it ran. A host is the group of the level "node"
/// with its name; a tree without named nodes is one host. Ranks of a simulated job are on the
/// leaves that may be used, in their order. Throws roam::ConfigError, one line that starts with
/// `path`, for a host, processors or ranks that the tree does not have.
[[nodiscard]] std::vector<std::vector<std::int32_t>> leaves_of(const std::vector<JobRank>& ranks,
                                                               const roam::MachineTree& tree,
                                                               const std::string& path);

}  // namespace roam_topology
