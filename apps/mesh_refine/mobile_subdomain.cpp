// SPDX-License-Identifier: Apache-2.0
#include "mobile_subdomain.hpp"

#include <roam/roam.hpp>

namespace mesh_refine {
namespace {

// Virtual time stands still while a handler computes, so simulated runs are charged for the result.
constexpr double simulated_seconds_per_tet = 14e-6;

}  // namespace

void MobileSubdomain::refine(const SizeField& size, const RefineSettings& settings) {
  const roam::Instant start = roam::here().now();
  subdomain.refine(size, settings);
  if (roam::here().is_simulated()) {
    const auto tets = static_cast<double>(subdomain.tets.size());
    roam::here().compute(roam::from_seconds(simulated_seconds_per_tet * tets));
  }
  rank = roam::here().rank().value();
  seconds = roam::seconds(roam::here().now() - start);
}

SubdomainReport MobileSubdomain::report() const {
  return {subdomain.statistics(), subdomain.interface_faces(), rank, seconds};
}

}  // namespace mesh_refine
