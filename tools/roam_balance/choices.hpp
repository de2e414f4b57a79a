// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "roam/core/machine.hpp"
#include "roam/placement/strategy.hpp"

namespace roam_balance {

/// The settings on the command line.
struct Choices {
  std::vector<std::string> paths;  ///< files; folders are replaced by the files in them
  struct Named {
    std::string name;  ///< as given
    std::unique_ptr<roam::placement::Strategy> strategy;
    bool must_run = true;  ///< false: named by "all"
  };
  std::vector<Named> strategies;
  std::optional<std::int64_t> phase;     ///< the only phase to be read; none: all
  double memory_bytes = 0;               ///< limit per rank; 0: none
  std::optional<roam::Machine> machine;  ///< machine of the ranks; none: all ranks equally near
  std::string output;                    ///< folder; "": nothing is written
};

/// Reads the command line. Returns -1 to go on, else the exit status; messages are printed.
int read_choices(int argc, char** argv, Choices& choices);

}  // namespace roam_balance
