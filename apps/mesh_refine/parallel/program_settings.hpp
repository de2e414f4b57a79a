// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "pipeline.hpp"

namespace mesh_refine {

/// What the command line asks for.
struct ProgramSettings {
  std::filesystem::path input;
  std::filesystem::path vtu;    ///< to write the refined mesh to; empty: none
  std::filesystem::path json;   ///< to write the figures to; empty: none
  std::filesystem::path costs;  ///< to write each subdomain's cost to; empty: none
  bool verify = false;          ///< compare with a serial run
  bool quiet = false;           ///< print nothing but errors
  Parameters parameters;
};

/// Reads the program's own options, after Roam's were taken out. Returns the exit status if the
/// program should end here (help, errors), else -1.
int read_settings(int argc, char** argv, ProgramSettings& settings);

}  // namespace mesh_refine
