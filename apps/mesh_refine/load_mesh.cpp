// SPDX-License-Identifier: Apache-2.0
#include "load_mesh.hpp"

#include <algorithm>
#include <cctype>

#include "input_error.hpp"
#include "surface_check.hpp"
#include "surface_readers.hpp"
#include "tet_mesh_check.hpp"
#include "tet_readers.hpp"
#include "text_scanner.hpp"

namespace mesh_refine {
namespace {

std::string extension_of(const std::filesystem::path& file) {
  std::string extension = file.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

InputMesh load_mesh(const std::filesystem::path& file) {
  const std::string extension = extension_of(file);
  if (extension == ".node" || extension == ".ele") {
    return check_tet_mesh(read_tetgen(file), file);
  }
  const std::string text = read_file(file);
  if (extension == ".off") return check_surface(read_off(file, text), file);
  if (extension == ".stl") return check_surface(read_stl(file, text), file);
  if (extension == ".ply") return check_surface(read_ply(file, text), file);
  if (extension == ".mesh") return check_tet_mesh(read_medit(file, text), file);
  if (extension == ".vtk") return check_tet_mesh(read_vtk(file, text), file);
  if (extension == ".vtu") return check_tet_mesh(read_vtu(file, text), file);
  throw InputError(
      file, 0, extension.empty() ? "a name without extension" : "the extension " + shown(extension),
      "a surface (.off, .stl, .ply) or tetrahedra (.node, .ele, .mesh, .vtk, .vtu)");
}

std::span<const Point3> points_of(const InputMesh& mesh) {
  return std::visit([](const auto& m) -> std::span<const Point3> { return m.points; }, mesh);
}

}  // namespace mesh_refine
