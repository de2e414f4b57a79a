// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roam_map {

/// The settings on the command line; empty texts are options that were not given.
struct Settings {
  std::vector<std::string> paths;  ///< recorded loads; none: a matrix is read
  std::string matrix;
  std::optional<std::int64_t> phase;
  std::string topology;
  std::string end_at;
  std::string ranks_on;
  std::string hosts;
  std::string host_level;
  std::string rankfile;
  std::string slurm;
  std::string mpich;
  std::string order;

  [[nodiscard]] bool names_hosts() const {
    return !rankfile.empty() || !slurm.empty() || !mpich.empty();
  }
};

/// Reads the command line. Returns -1 to go on, else the exit status; messages are printed.
int read_settings(int argc, char** argv, Settings& settings);

}  // namespace roam_map
