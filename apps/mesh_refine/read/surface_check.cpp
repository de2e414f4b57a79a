// SPDX-License-Identifier: Apache-2.0
#include "read/surface_check.hpp"

#include <algorithm>
#include <limits>

#include "check/compensated_sum.hpp"
#include "geometry/face_adjacency.hpp"
#include "read/input_error.hpp"
#include "read/winding_number.hpp"

namespace mesh_refine {
namespace {

struct EdgeRecord {
  std::array<PointIndex, 2> key{};  ///< ends in ascending order
  std::uint32_t triangle = 0;
  bool ascending = false;  ///< the triangle runs from the smaller to the larger end

  friend bool operator<(const EdgeRecord& a, const EdgeRecord& b) {
    return a.key != b.key ? a.key < b.key : a.triangle < b.triangle;
  }
};

/// Triangle behind an edge, and whether both run through it in the same direction (and so cannot
/// both be oriented alike).
struct EdgeNeighbour {
  std::uint32_t triangle = 0;
  bool same_direction = false;
};

using Neighbours = std::vector<std::array<EdgeNeighbour, 3>>;

std::vector<EdgeRecord> sorted_edges(const SurfaceMesh& mesh) {
  std::vector<EdgeRecord> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    for (std::size_t i = 0; i < 3; ++i) {
      const PointIndex a = mesh.triangles[t].point[i];
      const PointIndex b = mesh.triangles[t].point[(i + 1) % 3];
      edges.push_back({{std::min(a, b), std::max(a, b)}, static_cast<std::uint32_t>(t), a < b});
    }
  }
  std::ranges::sort(edges, [](const EdgeRecord& a, const EdgeRecord& b) { return a < b; });
  return edges;
}

/// Number of triangles whose corners are those of an earlier one.
std::size_t count_repeated(const SurfaceMesh& mesh) {
  std::vector<std::array<PointIndex, 3>> keys;
  for (const Triangle& t : mesh.triangles) keys.push_back(sorted_corners(t.point));
  std::ranges::sort(keys);
  const auto repeated = std::ranges::unique(keys);
  return repeated.size();
}

[[noreturn]] void refuse_edge(const SurfaceMesh& mesh, const std::array<PointIndex, 2>& ends,
                              std::size_t triangles, const std::filesystem::path& file) {
  const std::size_t repeated = count_repeated(mesh);
  std::string found = triangles == 1 ? "an open surface" : "a branching surface";
  if (repeated > 0) {
    found = "a surface with " + std::to_string(repeated) + " triangle(s) more than once";
  }
  throw InputError(file, 0,
                   found + ": " + std::to_string(triangles) +
                       " triangle(s) at the edge of points " + std::to_string(ends[0]) + " and " +
                       std::to_string(ends[1]) + " (counted from 0)",
                   "a closed surface with exactly two triangles at every edge");
}

Neighbours join_triangles(const SurfaceMesh& mesh, const std::filesystem::path& file) {
  const std::vector<EdgeRecord> edges = sorted_edges(mesh);
  Neighbours neighbours(mesh.triangles.size());
  std::vector<std::size_t> filled(mesh.triangles.size(), 0);
  for (std::size_t begin = 0; begin < edges.size();) {
    std::size_t end = begin;
    while (end < edges.size() && edges[end].key == edges[begin].key) ++end;
    if (end - begin != 2) refuse_edge(mesh, edges[begin].key, end - begin, file);
    const EdgeRecord& one = edges[begin];
    const EdgeRecord& two = edges[begin + 1];
    const bool same = one.ascending == two.ascending;
    neighbours[one.triangle][filled[one.triangle]++] = {two.triangle, same};
    neighbours[two.triangle][filled[two.triangle]++] = {one.triangle, same};
    begin = end;
  }
  return neighbours;
}

void flip(Triangle& triangle) { std::swap(triangle.point[1], triangle.point[2]); }

/// Connected part of the surface.
struct Shell {
  std::vector<std::uint32_t> triangles;
  Point3 low;
  Point3 high;
  double volume = 0.0;
};

/// Collects the shell of `seed` and orients it like the majority of its triangles.
Shell orient_shell(SurfaceMesh& mesh, const Neighbours& neighbours, std::uint32_t seed,
                   std::vector<signed char>& turned, const std::filesystem::path& file) {
  Shell shell;
  shell.triangles.push_back(seed);
  turned[seed] = 0;
  std::size_t turned_count = 0;
  for (std::size_t i = 0; i < shell.triangles.size(); ++i) {
    const std::uint32_t t = shell.triangles[i];
    turned_count += turned[t] != 0;
    for (const EdgeNeighbour& neighbour : neighbours[t]) {
      const bool turn = (turned[t] != 0) != neighbour.same_direction;
      signed char& other = turned[neighbour.triangle];
      if (other < 0) {
        other = turn ? 1 : 0;
        shell.triangles.push_back(neighbour.triangle);
      } else if ((other != 0) != turn) {
        throw InputError(file, 0, "a surface whose triangles cannot be oriented alike",
                         "an orientable closed surface");
      }
    }
  }
  const bool majority_turned = 2 * turned_count > shell.triangles.size();
  for (const std::uint32_t t : shell.triangles) {
    if ((turned[t] != 0) != majority_turned) flip(mesh.triangles[t]);
  }
  return shell;
}

void measure(const SurfaceMesh& mesh, Shell& shell) {
  const double infinity = std::numeric_limits<double>::infinity();
  shell.low = {infinity, infinity, infinity};
  shell.high = {-infinity, -infinity, -infinity};
  CompensatedSum volume;
  for (const std::uint32_t t : shell.triangles) {
    const auto& p = mesh.triangles[t].point;
    for (const PointIndex corner : p) {
      const Point3& x = mesh.points[corner];
      shell.low = {std::min(shell.low.x, x.x), std::min(shell.low.y, x.y),
                   std::min(shell.low.z, x.z)};
      shell.high = {std::max(shell.high.x, x.x), std::max(shell.high.y, x.y),
                    std::max(shell.high.z, x.z)};
    }
    volume.add(
        signed_volume(mesh.points[0], mesh.points[p[0]], mesh.points[p[1]], mesh.points[p[2]]));
  }
  shell.volume = volume.value();
}

bool box_encloses(const Shell& outer, const Shell& inner) {
  return outer.low.x < inner.low.x && outer.low.y < inner.low.y && outer.low.z < inner.low.z &&
         outer.high.x > inner.high.x && outer.high.y > inner.high.y && outer.high.z > inner.high.z;
}

/// Whether a shell lies inside another one; they must not intersect.
bool encloses(const SurfaceMesh& mesh, const Shell& outer, const Shell& inner) {
  if (!box_encloses(outer, inner)) return false;
  const PointIndex p = mesh.triangles[inner.triangles[0]].point[0];
  return winding_number(mesh, outer.triangles, mesh.points[p]) != 0;
}

/// Orients the shells. A shell inside an odd number of others bounds a void and must be inside out;
/// if it is not, it is a body within a body. Elsewhere a shell that is inside out is a mistake and
/// is turned.
void turn_outward(SurfaceMesh& mesh, const std::vector<Shell>& shells,
                  const std::filesystem::path& file) {
  std::vector<char> turn(shells.size(), 0);
  for (std::size_t s = 0; s < shells.size(); ++s) {
    const auto around = std::ranges::count_if(
        shells, [&](const Shell& other) { return encloses(mesh, other, shells[s]); });
    const bool is_void = around % 2 == 1;
    if (is_void && shells[s].volume > 0.0) {
      const PointIndex p = mesh.triangles[shells[s].triangles[0]].point[0];
      throw InputError(
          file, 0, "a body inside another one, at point " + std::to_string(p) + " (counted from 0)",
          "bodies that do not overlap; the surface of a void is inside out");
    }
    turn[s] = !is_void && shells[s].volume < 0.0 ? 1 : 0;
  }
  for (std::size_t s = 0; s < shells.size(); ++s) {
    if (turn[s] == 0) continue;
    for (const std::uint32_t t : shells[s].triangles) flip(mesh.triangles[t]);
  }
}

}  // namespace

double enclosed_volume(const SurfaceMesh& mesh) {
  CompensatedSum volume;
  for (const Triangle& t : mesh.triangles) {
    volume.add(signed_volume(mesh.points[0], mesh.points[t.point[0]], mesh.points[t.point[1]],
                             mesh.points[t.point[2]]));
  }
  return volume.value();
}

SurfaceMesh check_surface(SurfaceMesh mesh, const std::filesystem::path& file) {
  if (mesh.triangles.size() < 4) {
    throw InputError(file, 0, std::to_string(mesh.triangles.size()) + " triangles",
                     "a closed surface of at least 4 triangles");
  }
  drop_unused_points(mesh.points, mesh.triangles);
  const Neighbours neighbours = join_triangles(mesh, file);
  std::vector<signed char> turned(mesh.triangles.size(), -1);
  std::vector<Shell> shells;
  for (std::uint32_t t = 0; t < mesh.triangles.size(); ++t) {
    if (turned[t] >= 0) continue;
    shells.push_back(orient_shell(mesh, neighbours, t, turned, file));
    measure(mesh, shells.back());
  }
  turn_outward(mesh, shells, file);
  if (!(enclosed_volume(mesh) > 0.0)) {
    throw InputError(file, 0, "a surface that encloses no volume", "a closed surface of a body");
  }
  return mesh;
}

}  // namespace mesh_refine
