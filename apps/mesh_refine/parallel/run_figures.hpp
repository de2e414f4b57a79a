// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <roam/roam.hpp>
#include <string>
#include <vector>

#include "check/verification.hpp"

namespace mesh_refine {

/// Everything known about a run at its end.
struct RunFigures {
  std::string input;  ///< name of the file
  std::string balancer;
  std::string transport;
  double preparation_seconds = 0.0;
  double tetgen_seconds = 0.0;     ///< of these; 0 without TetGen
  std::uint64_t tetgen_bytes = 0;  ///< most memory that TetGen took
  double thin_triangles = 0.0;     ///< share of the input's triangles with an angle below 5 degrees
  double refinement_seconds = 0.0;  ///< for all subdomains
  double cheapest_seconds = 0.0;    ///< for the fastest subdomain
  double costliest_seconds = 0.0;
  std::uint64_t away = 0;  ///< subdomains refined on another rank than the block assignment's
  std::optional<double> serial_seconds;  ///< with --verify
  MeshReport mesh;
  std::vector<roam::RankStatistics> ranks;
};

/// Prints the table of one run, and what failed, to standard output.
void print_figures(const RunFigures& figures);

/// Writes what roam report shows of the run beyond the trace. Throws std::runtime_error when the
/// file cannot be written.
void write_figures(const RunFigures& figures, const std::filesystem::path& file);

}  // namespace mesh_refine
