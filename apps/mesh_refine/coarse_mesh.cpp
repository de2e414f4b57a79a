// SPDX-License-Identifier: Apache-2.0
#include "coarse_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "external_program.hpp"
#include "face_adjacency.hpp"
#include "input_error.hpp"
#include "surface_check.hpp"
#include "temporary_directory.hpp"
#include "tet_mesh_check.hpp"
#include "tet_readers.hpp"

namespace mesh_refine {
namespace {

constexpr double volume_tolerance = 1e-10;

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
}

/// Wanted edge length at every point, in the form TetGen's switch -m reads.
void write_sizes(const SurfaceMesh& surface, const SizeField& size, double factor,
                 const std::filesystem::path& file) {
  std::ofstream out(file);
  out.precision(17);
  out << surface.points.size() << " 1\n";
  for (const Point3& p : surface.points) out << factor * size.at(p) << '\n';
}

std::string switches(const CoarseMeshOptions& options) {
  // p: fill a surface; Y: keep its triangles; q: shape; m: sizes from the .mtr file.
  std::ostringstream text;
  text << "-pYmq" << options.radius_edge_ratio;
  return text.str();
}

ProgramResult run(const std::string& switches, const std::filesystem::path& poly,
                  const CoarseMeshOptions& options) {
  return run_program({"tetgen", switches, poly.string()}, poly.parent_path() / "log",
                     options.time_limit,
                     "install it (apt-get install tetgen), or give a tetrahedral mesh "
                     "(.mesh, .node with .ele, .vtk or .vtu) instead of a surface");
}

/// TetGen gives up without a word; asked for intersections alone it tells their number in a line
/// "!! Found 205 pairs of faces are intersecting."
[[noreturn]] void fail_to_fill(const std::filesystem::path& file, const std::filesystem::path& poly,
                               const CoarseMeshOptions& options) {
  std::string found = "a surface that TetGen cannot fill";
  std::istringstream lines(run("-d", poly, options).output);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string mark;
    std::string verb;
    std::string count;
    if (words >> mark >> verb >> count && mark == "!!" && verb == "Found") {
      found = "a surface that intersects itself, " + count + " pairs of triangles";
    }
  }
  throw InputError(file, 0, found, "a closed surface that does not intersect itself");
}

TetMesh run_tetgen(const SurfaceMesh& surface, const std::filesystem::path& file,
                   const SizeField& size, const CoarseMeshOptions& options) {
  const TemporaryDirectory directory;
  const std::filesystem::path poly = directory.path() / "surface.poly";
  write_poly(surface, poly);
  write_sizes(surface, size, options.size_factor, directory.path() / "surface.mtr");
  const ProgramResult result = run(switches(options), poly, options);
  const std::filesystem::path mesh_file = directory.path() / "surface.1.ele";
  if (result.timed_out) {
    throw InputError(file, 0, "a surface that TetGen could not fill in time",
                     "a simpler surface, or a tetrahedral mesh");
  }
  if (result.exit_status != 0 || !std::filesystem::exists(mesh_file)) {
    fail_to_fill(file, poly, options);
  }
  return read_tetgen(mesh_file);
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

/// TetGen fills voids as well; keeps what the outward side of the surface does not see.
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

void check_boundary(const TetMesh& mesh, const std::vector<OrientedFace>& surface,
                    const std::filesystem::path& file) {
  const auto neighbours = face_neighbours(mesh.tets);
  std::size_t boundary = 0;
  bool same = true;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) {
    for (std::size_t f = 0; f < 4; ++f) {
      if (neighbours[t][f] != no_tet) continue;
      ++boundary;
      same = same && side_of(surface, mesh.tets[t], f) == Side::inner;
    }
  }
  if (same && boundary == surface.size()) return;
  throw InputError(file, 0, "a surface whose triangles TetGen could not keep",
                   "a closed surface that does not touch or intersect itself");
}

}  // namespace

TetMesh coarse_mesh(const SurfaceMesh& surface, const std::filesystem::path& file,
                    const SizeField& size, const CoarseMeshOptions& options) {
  TetMesh mesh = run_tetgen(surface, file, size, options);
  if (mesh.points.size() < surface.points.size()) {
    throw InputError(file, 0, "a surface with points that TetGen dropped", "distinct points");
  }
  // TetGen prints one digit too few to give back every coordinate as it was.
  std::ranges::copy(surface.points, mesh.points.begin());
  const std::vector<OrientedFace> faces = outward_faces(surface);
  mesh = check_tet_mesh(std::move(mesh), file);
  drop_voids(mesh, faces);
  check_boundary(mesh, faces, file);
  mesh = check_tet_mesh(std::move(mesh), file);

  const double expected = enclosed_volume(surface);
  const double found = total_volume(mesh);
  if (!(std::abs(found - expected) <= volume_tolerance * expected)) {
    throw InputError(file, 0, "a surface whose mesh has volume " + std::to_string(found),
                     "the enclosed volume " + std::to_string(expected));
  }
  return mesh;
}

}  // namespace mesh_refine
