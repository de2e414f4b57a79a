// SPDX-License-Identifier: Apache-2.0
#include "read/load_mesh.hpp"

#include "read/input_error.hpp"
#include "read/library_reader.hpp"
#include "read/surface_check.hpp"
#include "read/surface_readers.hpp"
#include "read/tet_mesh_check.hpp"
#include "read/tet_readers.hpp"
#include "read/text_scanner.hpp"

namespace mesh_refine {
namespace {

InputMesh check(std::variant<SurfaceMesh, TetMesh> mesh, const std::filesystem::path& file) {
  if (auto* tets = std::get_if<TetMesh>(&mesh)) return check_tet_mesh(std::move(*tets), file);
  return check_surface(std::get<SurfaceMesh>(std::move(mesh)), file);
}

}  // namespace

InputMesh load_mesh(const std::filesystem::path& file) {
  const std::string extension = lower_case(file.extension().string());
  if (extension == ".node" || extension == ".ele") {
    return check_tet_mesh(read_tetgen(file), file);
  }
  if (is_read_by_library(extension)) return check(read_by_library(file), file);
  const std::string text = read_file(file);
  if (extension == ".off") return check_surface(read_off(file, text), file);
  if (extension == ".stl") return check_surface(read_stl(file, text), file);
  if (extension == ".obj") return check_surface(read_obj(file, text), file);
  if (extension == ".mesh") return check_tet_mesh(read_medit(file, text), file);
  if (extension == ".ply") return check_surface(read_ply(file, text), file);
  throw InputError(
      file, 0, extension.empty() ? "a name without extension" : "the extension " + shown(extension),
      "a surface (.off .stl .ply .obj .vtp), tetrahedra (.node .ele .mesh .meshb), or either of "
      "them "
      "(.vtk .vtu .msh .inp .bdf .vol .su2 .med)");
}

std::span<const Point3> points_of(const InputMesh& mesh) {
  return std::visit([](const auto& m) -> std::span<const Point3> { return m.points; }, mesh);
}

}  // namespace mesh_refine
