// SPDX-License-Identifier: Apache-2.0
#include "coarse/surface_processing.hpp"

#include <CGAL/Constrained_Delaunay_triangulation_2.h>
#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Polygon_mesh_processing/detect_features.h>
#include <CGAL/Polygon_mesh_processing/polygon_soup_to_polygon_mesh.h>
#include <CGAL/Polygon_mesh_processing/remesh.h>
#include <CGAL/Surface_mesh.h>
#include <CGAL/Triangulation_face_base_with_info_2.h>
#include <CGAL/Triangulation_vertex_base_with_info_2.h>
#include <CGAL/box_intersection_d.h>

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

namespace mesh_refine {
namespace {

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
namespace processing = CGAL::Polygon_mesh_processing;

enum class Place : unsigned char { unknown, inside, outside };

using VertexBase = CGAL::Triangulation_vertex_base_with_info_2<PointIndex, Kernel>;
using FaceBase =
    CGAL::Triangulation_face_base_with_info_2<Place, Kernel,
                                              CGAL::Constrained_triangulation_face_base_2<Kernel>>;
using Delaunay = CGAL::Constrained_Delaunay_triangulation_2<
    Kernel, CGAL::Triangulation_data_structure_2<VertexBase, FaceBase>,
    CGAL::No_constraint_intersection_tag>;

/// Twice the area of the polygon's projection along each axis (Newell's formula).
Point3 area_vector(std::span<const Point3> points, std::span<const PointIndex> corner) {
  Point3 sum;
  const Point3& origin = points[corner[0]];
  for (std::size_t i = 1; i + 1 < corner.size(); ++i) {
    sum = sum + cross(points[corner[i]] - origin, points[corner[i + 1]] - origin);
  }
  return sum;
}

/// A view along the axis in which the polygon has the largest projected area, with
/// counter-clockwise corners: two of the coordinates are used unchanged, so that exact tests stay
/// exact.
class Projection {
 public:
  explicit Projection(const Point3& area) {
    const std::array<double, 3> size{std::abs(area.x), std::abs(area.y), std::abs(area.z)};
    axis_ = static_cast<std::size_t>(std::ranges::max_element(size) - size.begin());
    mirrored_ = std::array{area.x, area.y, area.z}[axis_] < 0.0;
  }

  Kernel::Point_2 operator()(const Point3& p) const {
    const std::array<double, 3> x{p.x, p.y, p.z};
    const double u = x[(axis_ + 1) % 3];
    const double v = x[(axis_ + 2) % 3];
    return mirrored_ ? Kernel::Point_2(v, u) : Kernel::Point_2(u, v);
  }

 private:
  std::size_t axis_ = 0;
  bool mirrored_ = false;
};

/// A polygon's edges as constraints of a Delaunay triangulation of its corners.
class PolygonCutter {
 public:
  PolygonCutter(std::span<const Point3> points, std::span<const PointIndex> corner)
      : points_(points), corner_(corner) {}

  std::string run(std::vector<Triangle>& triangles) {
    const Point3 area = area_vector(points_, corner_);
    if (!(norm(area) > 0.0)) return "has no area";
    if (!insert_corners(Projection(area))) return "has two corners at one place";
    if (!insert_edges()) return "crosses or touches itself";
    find_inside();
    for (const auto face : delaunay_.finite_face_handles()) {
      if (face->info() != Place::inside) continue;
      triangles.push_back(
          {{face->vertex(0)->info(), face->vertex(1)->info(), face->vertex(2)->info()}});
    }
    return {};
  }

 private:
  using Vertex = Delaunay::Vertex_handle;
  using Edge = std::pair<Vertex, Vertex>;

  static Edge edge(Vertex a, Vertex b) { return a < b ? Edge(a, b) : Edge(b, a); }

  bool insert_corners(const Projection& projection) {
    for (const PointIndex p : corner_) {
      const std::size_t before = delaunay_.number_of_vertices();
      const Vertex vertex = delaunay_.insert(projection(points_[p]));
      if (delaunay_.number_of_vertices() > before) vertex->info() = p;
      if (vertex->info() != p) return false;
      vertices_.push_back(vertex);
    }
    return true;
  }

  bool insert_edges() {
    for (std::size_t i = 0; i < vertices_.size(); ++i) {
      const Vertex a = vertices_[i];
      const Vertex b = vertices_[(i + 1) % vertices_.size()];
      const auto [entry, is_new] = is_border_.try_emplace(edge(a, b), false);
      entry->second = !entry->second;  // an edge that is run through twice leads to a hole
      if (!is_new) continue;
      try {
        delaunay_.insert_constraint(a, b);
      } catch (const Delaunay::Intersection_of_constraints_exception&) {
        return false;
      }
    }
    return std::ranges::all_of(is_border_, [&](const auto& entry) {
      return delaunay_.is_edge(entry.first.first, entry.first.second);
    });
  }

  /// Marks the triangles inside: those behind an odd number of borders, counted from outside.
  void find_inside() {
    for (const auto face : delaunay_.all_face_handles()) face->info() = Place::unknown;
    std::vector<Delaunay::Face_handle> front{delaunay_.infinite_face()};
    front.back()->info() = Place::outside;
    while (!front.empty()) {
      const auto face = front.back();
      front.pop_back();
      for (int i = 0; i < 3; ++i) {
        const auto other = face->neighbor(i);
        if (other->info() != Place::unknown) continue;
        const auto found =
            is_border_.find(edge(face->vertex(Delaunay::cw(i)), face->vertex(Delaunay::ccw(i))));
        const bool border = found != is_border_.end() && found->second;
        const bool inside = (face->info() == Place::inside) != border;
        other->info() = inside ? Place::inside : Place::outside;
        front.push_back(other);
      }
    }
  }

  std::span<const Point3> points_;
  std::span<const PointIndex> corner_;
  Delaunay delaunay_;
  std::vector<Vertex> vertices_;    ///< of the corners, in order
  std::map<Edge, bool> is_border_;  ///< whether the edge is run through an odd number of times
};

Kernel::Point_3 convert(const Point3& p) { return {p.x, p.y, p.z}; }

/// Two triangles, neither of them degenerate.
class TrianglePair {
 public:
  TrianglePair(const SurfaceMesh& surface, const Triangle& a, const Triangle& b)
      : surface_(surface), a_(a.point), b_(b.point) {
    // Common corners come first, in the same order.
    for (std::size_t i = 0; i < 3; ++i) {
      const auto found = std::find(b_.begin() + shared_, b_.end(), a_[i]);
      if (found == b_.end()) continue;
      std::iter_swap(found, b_.begin() + shared_);
      std::swap(a_[i], a_[static_cast<std::size_t>(shared_)]);
      ++shared_;
    }
  }

  /// Whether they share more than common corners and edges.
  [[nodiscard]] bool intersect() const {
    switch (shared_) {
      case 0:
        return CGAL::do_intersect(triangle(a_), triangle(b_));
      case 1:
        return CGAL::do_intersect(triangle(a_), far_edge(b_)) ||
               CGAL::do_intersect(triangle(b_), far_edge(a_));
      case 2:
        return CGAL::coplanar(at(a_[0]), at(a_[1]), at(a_[2]), at(b_[2])) &&
               CGAL::coplanar_orientation(at(a_[0]), at(a_[1]), at(a_[2]), at(b_[2])) ==
                   CGAL::POSITIVE;
      default:
        return true;
    }
  }

 private:
  using Corners = std::array<PointIndex, 3>;

  [[nodiscard]] Kernel::Point_3 at(PointIndex p) const { return convert(surface_.points[p]); }
  [[nodiscard]] Kernel::Triangle_3 triangle(const Corners& c) const {
    return {at(c[0]), at(c[1]), at(c[2])};
  }
  [[nodiscard]] Kernel::Segment_3 far_edge(const Corners& c) const { return {at(c[1]), at(c[2])}; }

  const SurfaceMesh& surface_;
  Corners a_;
  Corners b_;
  std::ptrdiff_t shared_ = 0;
};

}  // namespace

std::string triangulate_polygon(std::span<const Point3> points, std::span<const PointIndex> corner,
                                std::vector<Triangle>& triangles) {
  if (corner.size() < 3) return "has fewer than 3 corners";
  for (std::size_t i = 0; i < corner.size(); ++i) {
    if (corner[i] == corner[(i + 1) % corner.size()]) return "names a point twice";
  }
  if (corner.size() > 3) return PolygonCutter(points, corner).run(triangles);
  triangles.push_back({{corner[0], corner[1], corner[2]}});
  return {};
}

SurfaceFaults find_faults(const SurfaceMesh& surface) {
  using Box = CGAL::Box_intersection_d::Box_with_info_d<double, 3, std::uint32_t>;
  SurfaceFaults faults;
  std::vector<Box> boxes;
  for (std::uint32_t t = 0; t < surface.triangles.size(); ++t) {
    const auto& p = surface.triangles[t].point;
    const Kernel::Triangle_3 triangle(convert(surface.points[p[0]]), convert(surface.points[p[1]]),
                                      convert(surface.points[p[2]]));
    if (!triangle.is_degenerate()) {
      boxes.emplace_back(triangle.bbox(), t);
    } else if (faults.flat_triangles++ == 0) {
      faults.first_flat = t;
    }
  }
  std::optional<std::array<std::uint32_t, 2>> first;
  CGAL::box_self_intersection_d(boxes.begin(), boxes.end(), [&](const Box& x, const Box& y) {
    const std::array<std::uint32_t, 2> pair{std::min(x.info(), y.info()),
                                            std::max(x.info(), y.info())};
    const TrianglePair both(surface, surface.triangles[pair[0]], surface.triangles[pair[1]]);
    if (!both.intersect()) return;
    ++faults.intersecting_pairs;
    if (!first || pair < *first) first = pair;
  });
  if (first) faults.first_pair = *first;
  return faults;
}

SurfaceMesh remesh_surface(const SurfaceMesh& surface, double edge_length, double sharp_degrees) {
  using Mesh = CGAL::Surface_mesh<Kernel::Point_3>;
  constexpr unsigned iterations = 10;
  std::vector<Kernel::Point_3> points;
  for (const Point3& p : surface.points) points.push_back(convert(p));
  std::vector<std::array<std::size_t, 3>> faces;
  for (const Triangle& t : surface.triangles) {
    faces.push_back({t.point[0], t.point[1], t.point[2]});
  }
  if (!processing::is_polygon_soup_a_polygon_mesh(faces)) {
    throw std::runtime_error("a surface that touches itself in a point");
  }
  Mesh mesh;
  processing::polygon_soup_to_polygon_mesh(points, faces, mesh);
  auto sharp = mesh.add_property_map<Mesh::Edge_index, bool>("e:sharp", false).first;
  processing::detect_sharp_edges(mesh, sharp_degrees, sharp);
  processing::isotropic_remeshing(mesh.faces(), edge_length, mesh,
                                  CGAL::parameters::number_of_iterations(iterations)
                                      .number_of_relaxation_steps(1)
                                      .edge_is_constrained_map(sharp));
  mesh.collect_garbage();
  SurfaceMesh result;
  for (const auto vertex : mesh.vertices()) {
    const Kernel::Point_3& p = mesh.point(vertex);
    result.points.push_back({p.x(), p.y(), p.z()});
  }
  for (const auto face : mesh.faces()) {
    Triangle triangle;
    std::size_t i = 0;
    for (const auto vertex : mesh.vertices_around_face(mesh.halfedge(face))) {
      triangle.point.at(i++) = static_cast<PointIndex>(vertex.idx());
    }
    result.triangles.push_back(triangle);
  }
  return result;
}

}  // namespace mesh_refine
