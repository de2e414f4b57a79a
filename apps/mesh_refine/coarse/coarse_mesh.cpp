// SPDX-License-Identifier: Apache-2.0
#include "coarse/coarse_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "coarse/external_program.hpp"
#include "coarse/surface_diagnosis.hpp"
#include "coarse/temporary_directory.hpp"
#include "geometry/face_adjacency.hpp"
#include "read/input_error.hpp"
#include "read/surface_check.hpp"
#include "read/tet_mesh_check.hpp"
#include "read/tet_readers.hpp"

namespace mesh_refine {
namespace {

constexpr double volume_tolerance = 1e-10;

PreparationError no_room(const std::filesystem::path& directory, const std::string& what) {
  std::error_code error;
  const auto space = std::filesystem::space(directory, error);
  std::string text =
      "TetGen's files have no room in " + directory.parent_path().string() + ": " + what;
  if (!error) text += ", " + std::to_string(space.available >> 20U) + " MiB are free there";
  return PreparationError(text + "; set TMPDIR to a place with more room");
}

/// Closes the file and throws unless all of it has been written; TetGen cannot use an incomplete
/// one.
void finish(std::ofstream& out, const std::filesystem::path& file) {
  out.close();
  if (!out) throw no_room(file.parent_path(), "its input could not be written");
}

void write_poly(const SurfaceMesh& surface, const std::filesystem::path& file) {
  std::ofstream out(file);
  out.precision(17);
  out << surface.points.size() << " 3 0 0\n";
  for (std::size_t i = 0; i < surface.points.size(); ++i) {
    const Point3& p = surface.points[i];
    out << i << ' ' << p.x << ' ' << p.y << ' ' << p.z << '\n';
  }
  out << surface.triangles.size() << " 0\n";
  for (const Triangle& t : surface.triangles) {
    out << "1\n3 " << t.point[0] << ' ' << t.point[1] << ' ' << t.point[2] << '\n';
  }
  out << "0\n0\n";  // no holes, no regions
  finish(out, file);
}

/// Wanted edge length at every point, in the form TetGen's switch -m reads.
void write_sizes(const SurfaceMesh& surface, const SizeField& size, double factor,
                 const std::filesystem::path& file) {
  std::ofstream out(file);
  out.precision(17);
  out << surface.points.size() << " 1\n";
  for (const Point3& p : surface.points) out << factor * size.at(p) << '\n';
  finish(out, file);
}

std::string switches(const CoarseMeshOptions& options) {
  // p: fill a surface; Y: keep its triangles; q: shape; m: sizes from the .mtr file; S: most points
  // to add.
  std::ostringstream text;
  text << "-pYmq" << options.radius_edge_ratio;
  if (options.least_dihedral_degrees > 0.0) {
    // O: levels of optimisation, by flips, smoothing and new points.
    text << '/' << options.least_dihedral_degrees << "O5/7";
  }
  text << 'S' << options.most_new_points;
  return text.str();
}

/// Finds out what is wrong with the surface, since TetGen fails without a message.
[[noreturn]] void fail_to_fill(const std::filesystem::path& file, const SurfaceMesh& input,
                               const std::string& otherwise) {
  if (const auto fault = diagnose(input)) {
    throw InputError(file, 0, *fault, "a closed surface that does not touch or intersect itself");
  }
  throw InputError(file, 0, otherwise,
                   "a simpler surface, without details of less than 1e-8 of its extent, or a "
                   "tetrahedral mesh");
}

TetMesh read_result(const TemporaryDirectory& directory, const std::filesystem::path& mesh_file) {
  try {
    return read_tetgen(mesh_file);
  } catch (const InputError& error) {
    // TetGen does not check whether its files could be written.
    throw no_room(directory.path(), "its result is not whole (" + error.found() + " in " +
                                        error.file().filename().string() + ")");
  }
}

CoarseMesh run_tetgen(const SurfaceMesh& surface, const SurfaceMesh& input,
                      const std::filesystem::path& file, const SizeField& size,
                      const CoarseMeshOptions& options) {
  const TemporaryDirectory directory;
  const std::filesystem::path poly = directory.path() / "surface.poly";
  write_poly(surface, poly);
  write_sizes(surface, size, options.size_factor, directory.path() / "surface.mtr");
  const ProgramResult result =
      run_program({"tetgen", switches(options), poly.string()}, directory, options.time_limit,
                  "install it (apt-get install tetgen), or give a tetrahedral mesh "
                  "(.mesh, .node with .ele, .vtk or .vtu) instead of a surface");
  const std::filesystem::path mesh_file = directory.path() / "surface.1.ele";
  if (result.timed_out) {
    fail_to_fill(file, input,
                 "a surface that TetGen could not fill in " +
                     std::to_string(options.time_limit.count() / 1000) + " s");
  }
  if (result.exit_status != 0 || !std::filesystem::exists(mesh_file)) {
    fail_to_fill(file, input,
                 "a surface that TetGen cannot fill (its exit status is " +
                     std::to_string(result.exit_status) + ")");
  }
  return {read_result(directory, mesh_file), result.seconds, result.peak_bytes};
}

struct OrientedFace {
  std::array<PointIndex, 3> key{};
  bool ascending = false;  ///< sense of rotation seen from outside, relative to the key

  friend auto operator<=>(const OrientedFace&, const OrientedFace&) = default;
};

OrientedFace oriented(const std::array<PointIndex, 3>& c) {
  return {sorted_corners(c), (c[0] < c[1]) == ((c[1] < c[2]) == (c[0] < c[2]))};
}

std::vector<OrientedFace> outward_faces(const SurfaceMesh& surface) {
  std::vector<OrientedFace> faces;
  faces.reserve(surface.triangles.size());
  for (const Triangle& t : surface.triangles) faces.push_back(oriented(t.point));
  std::ranges::sort(faces);
  return faces;
}

/// Whether the surface triangle with the corners of a face of `tet` has it on its inner side.
enum class Side { no_surface, inner, outer };

Side side_of(const std::vector<OrientedFace>& surface, const Tetrahedron& tet, std::size_t face) {
  auto corners = face_corners(tet, face);
  std::swap(corners[1], corners[2]);  // as seen from outside the tetrahedron
  OrientedFace seen = oriented(corners);
  if (std::ranges::binary_search(surface, seen)) return Side::inner;
  seen.ascending = !seen.ascending;
  return std::ranges::binary_search(surface, seen) ? Side::outer : Side::no_surface;
}

/// Removes what TetGen fills beyond the surface's outward side: it fills voids, too.
void drop_voids(TetMesh& mesh, const std::vector<OrientedFace>& surface) {
  const auto neighbours = face_neighbours(mesh.tets);
  std::vector<bool> outside(mesh.tets.size(), false);
  std::vector<TetIndex> front;
  std::vector<std::array<Side, 4>> sides(mesh.tets.size());
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      sides[t][f] = side_of(surface, mesh.tets[t], f);
      if (sides[t][f] == Side::outer && !outside[t]) {
        outside[t] = true;
        front.push_back(static_cast<TetIndex>(t));
      }
    }
  }
  while (!front.empty()) {
    const TetIndex t = front.back();
    front.pop_back();
    for (std::size_t f = 0; f < 4; ++f) {
      const TetIndex other = neighbours[t][f];
      if (sides[t][f] != Side::no_surface || other == no_tet || outside[other]) continue;
      outside[other] = true;
      front.push_back(other);
    }
  }
  std::size_t kept = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    if (!outside[t]) mesh.tets[kept++] = mesh.tets[t];
  }
  mesh.tets.resize(kept);
}

/// Whether the boundary of the mesh is the surface, seen from the inside.
bool has_boundary(const TetMesh& mesh, const std::vector<OrientedFace>& surface) {
  const auto neighbours = face_neighbours(mesh.tets);
  std::size_t boundary = 0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      if (neighbours[t][f] != no_tet) continue;
      ++boundary;
      if (side_of(surface, mesh.tets[t], f) != Side::inner) return false;
    }
  }
  return boundary == surface.size();
}

}  // namespace

CoarseMesh coarse_mesh(const SurfaceMesh& surface, const SurfaceMesh& input,
                       const std::filesystem::path& file, const SizeField& size,
                       const CoarseMeshOptions& options) {
  CoarseMesh result = run_tetgen(surface, input, file, size, options);
  TetMesh& mesh = result.mesh;
  if (mesh.points.size() < surface.points.size()) {
    fail_to_fill(file, input, "a surface with points that TetGen dropped");
  }
  // TetGen prints one digit too few to give back every coordinate as it was.
  std::ranges::copy(surface.points, mesh.points.begin());
  const std::vector<OrientedFace> faces = outward_faces(surface);
  mesh = check_tet_mesh(std::move(mesh), file);
  drop_voids(mesh, faces);
  if (!has_boundary(mesh, faces)) {
    fail_to_fill(file, input, "a surface whose triangles TetGen could not keep");
  }
  mesh = check_tet_mesh(std::move(mesh), file);

  const double expected = enclosed_volume(surface);
  const double found = total_volume(mesh);
  if (!(std::abs(found - expected) <= volume_tolerance * expected)) {
    fail_to_fill(file, input,
                 "a surface that encloses " + std::to_string(expected) + " whose mesh has volume " +
                     std::to_string(found));
  }
  return result;
}

}  // namespace mesh_refine
