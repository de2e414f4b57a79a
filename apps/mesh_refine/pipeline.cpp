// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "coarse/surface_processing.hpp"
#include "coarse/surface_subdivision.hpp"
#include "read/input_error.hpp"
#include "read/load_mesh.hpp"
#include "read/surface_check.hpp"
#include "read/tet_mesh_check.hpp"
#include "refine/tet_shape.hpp"

namespace mesh_refine {

Parameters demo_parameters() { return {}; }

Parameters test_parameters() {
  Parameters parameters;
  parameters.grading.elements = 5e4;
  parameters.partition.subdomains = 48;
  return parameters;
}

namespace {

/// The least dihedral angle of the coarse mesh when the surface is remeshed.
constexpr double wanted_dihedral_degrees = 12.0;

std::string text(const char* format, auto... values) {
  const int size = std::snprintf(nullptr, 0, format, values...);
  std::string result(static_cast<std::size_t>(size), '\0');
  std::snprintf(result.data(), result.size() + 1, format, values...);
  return result;
}

double thin_share(const SurfaceMesh& surface) {
  constexpr double thin_degrees = 5.0;
  std::size_t thin = 0;
  for (const Triangle& t : surface.triangles) {
    thin += smallest_angle_degrees(surface.points[t.point[0]], surface.points[t.point[1]],
                                   surface.points[t.point[2]]) < thin_degrees;
  }
  return static_cast<double>(thin) / static_cast<double>(surface.triangles.size());
}

/// Edge length of equilateral triangles of the same number and area.
double mean_edge(const SurfaceMesh& surface) {
  double area = 0.0;
  for (const Triangle& t : surface.triangles) {
    const Point3& corner = surface.points[t.point[0]];
    area +=
        0.5 * norm(cross(surface.points[t.point[1]] - corner, surface.points[t.point[2]] - corner));
  }
  const double regular = 0.25 * std::sqrt(3.0);
  return std::sqrt(area / (regular * static_cast<double>(surface.triangles.size())));
}

SurfaceMesh remesh(const SurfaceMesh& surface, const std::filesystem::path& file,
                   const RemeshOptions& options, double longest, const Progress& progress) {
  constexpr double shorter = 0.6;
  constexpr int attempts = 4;
  double length =
      options.length > 0.0 ? options.length : std::min(longest, shorter * mean_edge(surface));
  for (int i = 0; i < attempts; ++i, length *= 0.5) {
    progress(text("the surface is remeshed to edges of %.4g", length));
    try {
      SurfaceMesh result =
          check_surface(remesh_surface(surface, length, options.sharp_degrees), file);
      if (find_faults(result).intersecting_pairs > 0) continue;
      progress(text("remeshed to %zu triangles, the volume changed by %.2g %%",
                    result.triangles.size(),
                    100.0 * (enclosed_volume(result) / enclosed_volume(surface) - 1.0)));
      return result;
    } catch (const std::runtime_error& error) {
      throw InputError(file, 0,
                       std::string("a surface that cannot be remeshed (") + error.what() + ")",
                       "no --remesh");
    }
  }
  throw InputError(file, 0,
                   "a surface that crosses itself when it is remeshed to edges of " +
                       text("%.4g", 2.0 * length) + " and longer",
                   "a smaller --remesh-length, another --sharp-angle, or no --remesh");
}

TetMesh fill(SurfaceMesh input, const std::filesystem::path& file, const Parameters& parameters,
             Problem& problem, const Progress& progress) {
  problem.size = choose_size_field(input, parameters.grading);
  const CoarseMeshOptions& coarse = parameters.coarse;
  if (parameters.remesh) {
    input = remesh(input, file, *parameters.remesh, coarse.size_factor * problem.size.largest,
                   progress);
  }
  problem.volume = enclosed_volume(input);
  problem.thin_triangles = thin_share(input);
  const double elements = parameters.grading.elements;
  const BoundedSubdivision cut =
      subdivide_within(input, problem.size, coarse.size_factor, static_cast<std::size_t>(elements));
  problem.size = cut.size;
  if (cut.enlargement > 1.0) {
    problem.note = text(
        "the body is thin: edges as short as %.0f elements would have elsewhere take about %.2g "
        "triangles for its surface alone, so they are made %.3g times as long; for shorter ones "
        "ask for more --elements",
        elements, cut.wanted_triangles, cut.enlargement);
  }
  progress(text("TetGen fills the surface, cut into %zu triangles", cut.surface.triangles.size()));
  CoarseMeshOptions options = coarse;
  options.most_new_points = std::min(options.most_new_points, static_cast<std::uint64_t>(elements));
  if (parameters.remesh) options.least_dihedral_degrees = wanted_dihedral_degrees;
  CoarseMesh filled = coarse_mesh(cut.surface, input, file, problem.size, options);
  problem.tetgen_seconds = filled.tetgen_seconds;
  problem.tetgen_bytes = filled.tetgen_bytes;
  progress(text("TetGen made %zu tetrahedra in %.1f s and %.0f MiB", filled.mesh.tets.size(),
                filled.tetgen_seconds, static_cast<double>(filled.tetgen_bytes) / 1048576.0));
  return std::move(filled.mesh);
}

}  // namespace

Problem prepare(const std::filesystem::path& file, const Parameters& parameters,
                const Progress& progress) {
  InputMesh input = load_mesh(file);
  Problem problem;
  TetMesh mesh;
  if (auto* surface = std::get_if<SurfaceMesh>(&input)) {
    progress(text("%s is a surface of %zu triangles", file.filename().c_str(),
                  surface->triangles.size()));
    mesh = fill(std::move(*surface), file, parameters, problem, progress);
  } else {
    mesh = std::get<TetMesh>(std::move(input));
    progress(text("%s is a mesh of %zu tetrahedra", file.filename().c_str(), mesh.tets.size()));
    const SurfaceMesh boundary = boundary_of(mesh);
    problem.size = choose_size_field(boundary, parameters.grading);
    problem.volume = total_volume(mesh);
    problem.thin_triangles = thin_share(boundary);
  }
  problem.coarse_tets = mesh.tets.size();
  PartitionOptions cut = parameters.partition;
  // With a better surface the elements at it should be better, too.
  if (parameters.remesh) cut.least_interface_dihedral_degrees = wanted_dihedral_degrees;
  problem.subdomains = partition(mesh, problem.size, cut);
  progress(text("cut into %zu subdomains", problem.subdomains.size()));
  return problem;
}

std::size_t block_owner(std::size_t subdomain, std::size_t subdomains, std::size_t ranks) {
  return subdomain * ranks / subdomains;
}

}  // namespace mesh_refine
