// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "cut/subdomain.hpp"

namespace mesh_refine {

/// The report of a refined subdomain to rank 0.
struct SubdomainReport {
  SubdomainStatistics statistics;
  std::vector<InterfaceFace> faces;
  std::int32_t rank = -1;  ///< rank that refined it
  double seconds = 0.0;    ///< CPU time that it took

  template <class Archive>
  void serialize(Archive& archive) {
    archive(statistics, faces, rank, seconds);
  }
};

/// A subdomain as a mobile object: it is refined wherever the runtime has moved it.
struct MobileSubdomain {
  Subdomain subdomain;
  std::int32_t rank = -1;
  double seconds = 0.0;

  void refine(const SizeField& size, const RefineSettings& settings);
  [[nodiscard]] SubdomainReport report() const;
  [[nodiscard]] Subdomain mesh() const { return subdomain; }

  template <class Archive>
  void serialize(Archive& archive) {
    archive(subdomain, rank, seconds);
  }
};

}  // namespace mesh_refine
