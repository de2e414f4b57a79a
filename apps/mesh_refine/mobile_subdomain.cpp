// SPDX-License-Identifier: Apache-2.0
#include "mobile_subdomain.hpp"

#include <roam/roam.hpp>

namespace mesh_refine {

void MobileSubdomain::refine(const SizeField& size, const RefineSettings& settings) {
  const roam::Instant start = roam::here().now();
  subdomain.refine(size, settings);
  rank = roam::here().rank().value();
  seconds = roam::seconds(roam::here().now() - start);
}

SubdomainReport MobileSubdomain::report() const {
  return {subdomain.statistics(), subdomain.interface_faces(), rank, seconds};
}

}  // namespace mesh_refine
