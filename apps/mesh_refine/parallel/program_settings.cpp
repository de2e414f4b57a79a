// SPDX-License-Identifier: Apache-2.0
#include "parallel/program_settings.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace mesh_refine {

int read_settings(int argc, char** argv, ProgramSettings& settings) {
  CLI::App app(
      "Refines the mesh of a part in parallel: fills it with tetrahedra, cuts them into "
      "subdomains, "
      "and refines each\nsubdomain wherever it is moved to (PREMA, section 5.3.2).\n"
      "Roam's own options (--roam-ranks, --roam-balancer, ...) are listed by --roam-help.");
  std::string preset = "demo";
  std::optional<double> elements;
  std::optional<std::uint32_t> subdomains;
  bool remesh = false;
  RemeshOptions remesh_options;
  app.add_option(
         "input", settings.input,
         "closed surface (.off .stl .ply .obj .vtp) or tetrahedra (.node+.ele), or either of "
         "them (.vtk .vtu .msh .mesh)")
      ->required();
  app.add_option("--preset", preset, "size of the problem: demo (20 s of one core) or test (1 s)")
      ->check(CLI::IsMember({"demo", "test"}))
      ->capture_default_str();
  app.add_option("--elements", elements, "wanted number of tetrahedra, approximately")
      ->check(CLI::Range(1e3, 1e9));
  app.add_option("--subdomains", subdomains, "parts the mesh is cut into")
      ->check(CLI::Range(1, 1'000'000));
  app.add_flag("--remesh", remesh,
               "give a surface better triangles first (its volume changes a little)");
  app.add_option("--remesh-length", remesh_options.length,
                 "the edge length of these, if not one that suits the surface")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--sharp-angle", remesh_options.sharp_degrees,
         "edges at which the surface bends by more degrees stay when it is remeshed; 180 for "
         "parts that are round everywhere")
      ->check(CLI::Range(1, 180))
      ->capture_default_str();
  app.add_option("--vtu", settings.vtu, "write the refined mesh to this VTK file");
  app.add_option("--json", settings.json,
                 "write the figures to this file, for roam report --result");
  app.add_option("--write-costs", settings.costs,
                 "write what each subdomain took to this file, for synthetic --costs-file");
  app.add_flag("--verify", settings.verify, "refine serially as well and compare");
  app.add_flag("--quiet", settings.quiet, "print nothing but errors");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  settings.parameters = preset == "test" ? test_parameters() : demo_parameters();
  if (elements) settings.parameters.grading.elements = *elements;
  if (subdomains) settings.parameters.partition.subdomains = *subdomains;
  if (remesh || remesh_options.length > 0.0) settings.parameters.remesh = remesh_options;
  return -1;
}

}  // namespace mesh_refine
