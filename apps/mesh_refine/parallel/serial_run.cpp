// SPDX-License-Identifier: Apache-2.0
#include "parallel/serial_run.hpp"

#include <chrono>

namespace mesh_refine {

SerialRun compare_with_serial(std::vector<Subdomain> subdomains, const SizeField& size,
                              const RefineSettings& settings,
                              const std::vector<SubdomainStatistics>& parallel) {
  SerialRun run;
  for (std::size_t i = 0; i < subdomains.size(); ++i) {
    const auto start = std::chrono::steady_clock::now();
    subdomains[i].refine(size, settings);
    run.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (i >= parallel.size() || subdomains[i].statistics() != parallel[i]) {
      run.failures.push_back("subdomain " + std::to_string(i) + " differs from the serial run's");
    }
    subdomains[i] = {};
  }
  return run;
}

}  // namespace mesh_refine
