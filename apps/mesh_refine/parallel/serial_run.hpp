// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cut/subdomain.hpp"
#include "refine/refine_settings.hpp"

namespace mesh_refine {

struct SerialRun {
  double seconds = 0.0;               ///< of refinement
  std::vector<std::string> failures;  ///< one line per subdomain that differs
};

/// Refines the subdomains one after the other on the calling thread and compares each with the
/// statistics (checksum of all points and tetrahedra included) of the parallel run, by id.
[[nodiscard]] SerialRun compare_with_serial(std::vector<Subdomain> subdomains,
                                            const SizeField& size, const RefineSettings& settings,
                                            const std::vector<SubdomainStatistics>& parallel);

}  // namespace mesh_refine
