// SPDX-License-Identifier: Apache-2.0
#include "check/verification.hpp"

#include <algorithm>
#include <cmath>

#include "check/checksum.hpp"
#include "check/compensated_sum.hpp"

namespace mesh_refine {
namespace {

constexpr double agreement_tolerance = 1e-10;

bool volumes_agree(double a, double b) {
  return std::abs(a - b) <= agreement_tolerance * std::abs(b);
}

void check_subdomain(const SubdomainStatistics& s, std::vector<std::string>& failures) {
  const std::string name = "subdomain " + std::to_string(s.id);
  if (s.refined == 0) failures.push_back(name + " has not been refined");
  if (s.inverted_tets > 0) {
    failures.push_back(name + " has " + std::to_string(s.inverted_tets) +
                       " tetrahedra that are not positively oriented");
  }
  if (s.changed_faces > 0) {
    failures.push_back(name + " has " + std::to_string(s.changed_faces) +
                       " changed boundary faces");
  }
  if (!volumes_agree(s.volume, s.coarse_volume)) {
    failures.push_back(name + " has changed its volume");
  }
}

void check_ids(std::vector<SubdomainStatistics>& statistics, std::uint64_t expected,
               std::vector<std::string>& failures) {
  std::ranges::sort(statistics, {}, &SubdomainStatistics::id);
  bool complete = statistics.size() == expected;
  for (std::size_t i = 0; i < statistics.size() && complete; ++i) complete = statistics[i].id == i;
  if (!complete) {
    failures.push_back(std::to_string(statistics.size()) + " subdomains reported instead of " +
                       std::to_string(expected) + " different ones");
  }
}

/// Counts faces with one and two sides; anything else is a failure.
void check_faces(std::vector<InterfaceFace>& faces, MeshReport& report) {
  std::ranges::sort(faces);
  std::uint64_t broken = 0;
  for (std::size_t begin = 0; begin < faces.size();) {
    std::size_t end = begin + 1;
    bool same_place = true;
    while (end < faces.size() && faces[end].global == faces[begin].global) {
      same_place = same_place && faces[end].position == faces[begin].position;
      ++end;
    }
    const std::size_t sides = end - begin;
    if (sides > 2 || !same_place) ++broken;
    if (sides == 1) ++report.surface_faces;
    if (sides == 2) ++report.interface_faces;
    begin = end;
  }
  if (broken > 0) {
    report.failures.push_back(std::to_string(broken) +
                              " interface faces are not identical on both sides");
  }
}

}  // namespace

void Verifier::add(const SubdomainStatistics& statistics, const std::vector<InterfaceFace>& faces) {
  statistics_.push_back(statistics);
  faces_.insert(faces_.end(), faces.begin(), faces.end());
}

MeshReport Verifier::finish(std::uint64_t subdomains, double input_volume) {
  MeshReport report;
  check_ids(statistics_, subdomains, report.failures);
  CompensatedSum volume;
  CompensatedSum quality;
  Checksum checksum;
  for (const SubdomainStatistics& s : statistics_) {  // by id, whatever the order of arrival
    check_subdomain(s, report.failures);
    ++report.subdomains;
    report.tets += s.tets;
    report.coarse_tets += s.coarse_tets;
    report.inserted_points += s.inserted_points;
    report.worst_quality = std::min(report.worst_quality, s.worst_quality);
    report.smallest_dihedral_degrees =
        std::min(report.smallest_dihedral_degrees, s.smallest_dihedral_degrees);
    report.largest_dihedral_degrees =
        std::max(report.largest_dihedral_degrees, s.largest_dihedral_degrees);
    report.slivers += s.slivers;
    volume.add(s.volume);
    quality.add(s.quality_sum);
    checksum.add(std::uint64_t{s.id});
    checksum.add(s.checksum);
  }
  check_faces(faces_, report);
  report.checksum = checksum.value();
  report.volume = volume.value();
  report.volume_error = (report.volume - input_volume) / input_volume;
  report.mean_quality = report.tets > 0 ? quality.value() / static_cast<double>(report.tets) : 0.0;
  if (!volumes_agree(report.volume, input_volume)) {
    report.failures.push_back("the volumes sum to " + std::to_string(report.volume) +
                              " instead of " + std::to_string(input_volume));
  }
  return report;
}

}  // namespace mesh_refine
