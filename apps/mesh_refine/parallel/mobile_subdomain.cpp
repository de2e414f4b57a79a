// SPDX-License-Identifier: Apache-2.0
#include "parallel/mobile_subdomain.hpp"

#include <ctime>
#include <roam/roam.hpp>

namespace mesh_refine {
namespace {

// Virtual time does not advance while a handler computes, so simulated runs are charged by the size
// of the result.
constexpr double simulated_seconds_per_tet = 14e-6;

// CPU time of this thread, so that other programs on the machine do not count.
double thread_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void MobileSubdomain::refine(const SizeField& size, const RefineSettings& settings) {
  const double start = thread_seconds();
  subdomain.refine(size, settings);
  seconds = thread_seconds() - start;
  if (roam::here().is_simulated()) {
    seconds = simulated_seconds_per_tet * static_cast<double>(subdomain.tets.size());
    roam::here().compute(roam::from_seconds(seconds));
  }
  rank = roam::here().rank().value();
}

SubdomainReport MobileSubdomain::report() const {
  return {subdomain.statistics(), subdomain.interface_faces(), rank, seconds};
}

}  // namespace mesh_refine
