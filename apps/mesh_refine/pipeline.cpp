// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

#include "load_mesh.hpp"
#include "surface_check.hpp"
#include "surface_subdivision.hpp"
#include "tet_mesh_check.hpp"

namespace mesh_refine {

Parameters demo_parameters() { return {}; }

Parameters test_parameters() {
  Parameters parameters;
  parameters.grading.elements = 5e4;
  parameters.partition.subdomains = 48;
  return parameters;
}

Problem prepare(const std::filesystem::path& file, const Parameters& parameters) {
  InputMesh input = load_mesh(file);
  Problem problem;
  TetMesh mesh;
  if (const auto* surface = std::get_if<SurfaceMesh>(&input)) {
    problem.size = choose_size_field(*surface, parameters.grading);
    problem.volume = enclosed_volume(*surface);
    mesh = coarse_mesh(subdivide_surface(*surface, problem.size, parameters.coarse.size_factor),
                       file, problem.size, parameters.coarse);
  } else {
    mesh = std::get<TetMesh>(std::move(input));
    problem.size = choose_size_field(boundary_of(mesh), parameters.grading);
    problem.volume = total_volume(mesh);
  }
  problem.coarse_tets = mesh.tets.size();
  problem.subdomains = partition(mesh, problem.size, parameters.partition);
  return problem;
}

std::size_t block_owner(std::size_t subdomain, std::size_t subdomains, std::size_t ranks) {
  return subdomain * ranks / subdomains;
}

}  // namespace mesh_refine
