// SPDX-License-Identifier: Apache-2.0
#include "parallel/run_figures.hpp"

#include <array>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mesh_refine {
namespace {

std::string hexadecimal(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016" PRIx64, value);
  return text.data();
}

double fold(const RunFigures& figures) {
  return figures.cheapest_seconds > 0 ? figures.costliest_seconds / figures.cheapest_seconds : 1.0;
}

double workers(const RunFigures& figures) {
  std::size_t workers = 0;
  for (const roam::RankStatistics& rank : figures.ranks) workers += rank.workers.size();
  return static_cast<double>(workers);
}

void print_times(const RunFigures& figures) {
  const roam::RunSummary sum = roam::summarise(figures.ranks);
  const double mean_load = figures.refinement_seconds / workers(figures);
  std::printf("preparation           %12.3f s", figures.preparation_seconds);
  if (figures.tetgen_seconds > 0.0) {
    std::printf("   TetGen %.3f s and %.0f MiB", figures.tetgen_seconds,
                static_cast<double>(figures.tetgen_bytes) / 1048576.0);
  }
  std::printf("\n");
  std::printf("makespan              %12.3f s\n", sum.makespan_seconds);
  std::printf("mean load             %12.3f s   refinement, per worker\n", mean_load);
  std::printf("makespan / mean load  %12.4f\n", sum.makespan_seconds / mean_load);
  std::printf("busy per worker       %12.3f s   (%.3f to %.3f s)\n", sum.mean_busy_seconds,
              sum.min_busy_seconds, sum.max_busy_seconds);
  std::printf("efficiency            %12.4f     (mean / max busy)\n", sum.efficiency);
  std::printf("subdomain's cost      %12.3f s   to %.3f s, %.0f-fold\n", figures.cheapest_seconds,
              figures.costliest_seconds, fold(figures));
  std::printf("migrations            %12" PRIu64 "     %" PRIu64 " bytes\n", sum.migrations,
              sum.migrated_bytes);
  std::printf("refined elsewhere     %12" PRIu64 "     of %" PRIu64 " subdomains\n", figures.away,
              figures.mesh.subdomains);
}

void print_mesh(const MeshReport& mesh, double thin_triangles) {
  std::printf("tetrahedra            %12" PRIu64 "     from %" PRIu64 "\n", mesh.tets,
              mesh.coarse_tets);
  std::printf("faces                 %12" PRIu64 "     at interfaces, %" PRIu64 " of the surface\n",
              mesh.interface_faces, mesh.surface_faces);
  std::printf("quality               %12.4f     mean, worst %.4f\n", mesh.mean_quality,
              mesh.worst_quality);
  std::printf("dihedral angles       %12.2f     to %.2f degrees\n", mesh.smallest_dihedral_degrees,
              mesh.largest_dihedral_degrees);
  std::printf("slivers               %12" PRIu64
              "     below %.0f degrees, %.1f %%; of the surface's "
              "triangles: %.1f %%\n",
              mesh.slivers, sliver_degrees,
              100.0 * static_cast<double>(mesh.slivers) / static_cast<double>(mesh.tets),
              100.0 * thin_triangles);
  std::printf("volume                %12.6g     relative error %.0e\n", mesh.volume,
              std::abs(mesh.volume_error));
  std::printf("checksum          %s\n", hexadecimal(mesh.checksum).c_str());
}

}  // namespace

void print_figures(const RunFigures& figures) {
  const std::size_t workers = figures.ranks.empty() ? 0 : figures.ranks.front().workers.size();
  std::printf("input                 %12s\n", figures.input.c_str());
  std::printf("ranks x workers       %8zu x %zu     %s\n", figures.ranks.size(), workers,
              figures.transport.c_str());
  std::printf("balancer              %12s\n", figures.balancer.c_str());
  print_times(figures);
  print_mesh(figures.mesh, figures.thin_triangles);
  if (figures.serial_seconds) {
    std::printf("serial run            %12.3f s   %s\n", *figures.serial_seconds,
                figures.mesh.passed() ? "the same mesh" : "see below");
  }
}

void write_figures(const RunFigures& figures, const std::filesystem::path& file) {
  const MeshReport& mesh = figures.mesh;
  nlohmann::ordered_json rows;
  rows["elements"] = mesh.tets;
  rows["elements before"] = mesh.coarse_tets;
  rows["subdomains"] = mesh.subdomains;
  rows["costliest / cheapest subdomain"] = fold(figures);
  rows["worst quality"] = mesh.worst_quality;
  rows["mean quality"] = mesh.mean_quality;
  rows["smallest dihedral angle, degrees"] = mesh.smallest_dihedral_degrees;
  rows["volume error"] = std::abs(mesh.volume_error);
  rows["checksum"] = hexadecimal(mesh.checksum);
  rows["checks"] = mesh.passed() ? "passed" : mesh.failures.front();
  if (figures.serial_seconds) rows["serial run, seconds"] = *figures.serial_seconds;
  nlohmann::ordered_json root;
  root["title"] = "Mesh refinement: " + figures.input;
  root["runs"] = nlohmann::ordered_json::array({{{"rows", rows}}});
  std::ofstream stream(file);
  stream << root.dump(2) << "\n";
  if (!stream.flush()) throw std::runtime_error(file.string() + ": cannot be written");
}

}  // namespace mesh_refine
