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

/// What the command line asks for.
struct Choices {
  std::vector<std::string> paths;  ///< of files; folders are replaced by what is in them
  struct Named {
    std::string name;  ///< as given
    std::unique_ptr<roam::placement::Strategy> strategy;
    bool must_run = true;  ///< false: one of all that there are
  };
  std::vector<Named> strategies;
  std::optional<std::int64_t> phase;     ///< that one alone; none: all
  double memory_bytes = 0;               ///< of each rank; 0: without limit
  std::optional<roam::Machine> machine;  ///< that the ranks are on; none: all equally near
  std::string output;                    ///< folder; "": none
};

/// Reads the command line. Returns -1 to go on, else the exit status; messages are printed.
int read_choices(int argc, char** argv, Choices& choices);

}  // namespace roam_balance
