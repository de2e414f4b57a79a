// SPDX-License-Identifier: Apache-2.0
// Promise: the subdomains are the mesh, cut: every tetrahedron once, connected parts, interfaces
// that fit, ids in the order of the distance to the feature, the same every time.

#include "cut/partition.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cut/dual_graph_cut.hpp"
#include "geometry/face_adjacency.hpp"
#include "pipeline.hpp"
#include "refine/tet_shape.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::partition_test {
namespace {

SizeField graded() {
  SizeField size;
  size.smallest = 0.02;
  size.growth = 0.1;
  size.largest = 0.2;
  return size;
}

TEST(Partition, covers_the_mesh) {
  const TetMesh mesh = cube_mesh(6);
  const auto parts = partition(mesh, graded(), {.subdomains = 16});
  ASSERT_EQ(parts.size(), 16U);
  std::size_t tets = 0;
  double volume = 0.0;
  std::map<std::array<std::uint32_t, 3>, int> sides;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].id, i);
    tets += parts[i].tets.size();
    volume += parts[i].coarse_volume;
    for (const InterfaceFace& face : parts[i].interface_faces()) ++sides[face.global];
  }
  EXPECT_EQ(tets, mesh.tets.size());
  EXPECT_NEAR(volume, 1.0, 1e-12);
  std::size_t surface = 0;
  for (const auto& [face, count] : sides) {
    EXPECT_LE(count, 2);
    surface += count == 1;
  }
  EXPECT_EQ(surface, boundary_of(mesh).triangles.size());
}

/// Faces of flat tetrahedra that lie between two subdomains.
std::size_t flat_interface_faces(const TetMesh& mesh, double degrees,
                                 const PartitionOptions& options) {
  std::map<std::array<std::uint32_t, 3>, int> sides;
  for (const Subdomain& s : partition(mesh, graded(), options)) {
    for (const InterfaceFace& face : s.interface_faces()) ++sides[face.global];
  }
  std::size_t count = 0;
  for (const Tetrahedron& tet : mesh.tets) {
    const auto& p = tet.point;
    if (dihedral_angles(
            {mesh.points[p[0]], mesh.points[p[1]], mesh.points[p[2]], mesh.points[p[3]]})
            .smallest >= degrees) {
      continue;
    }
    for (std::size_t f = 0; f < 4; ++f) {
      const auto entry = sides.find(sorted_corners(face_corners(tet, f)));
      count += entry != sides.end() && entry->second == 2;
    }
  }
  return count;
}

TEST(Partition, keeps_flat_elements_off_the_interfaces) {
  TetMesh mesh = cube_mesh(8);
  for (std::size_t p = 0; p < mesh.points.size(); p += 23) {
    Point3& x = mesh.points[p];
    if (x.z > 0.0 && x.z < 1.0) x.z -= 0.115;  // of 0.125
  }
  PartitionOptions options{.subdomains = 16};
  EXPECT_GT(flat_interface_faces(mesh, 10.0, options), 20U);
  options.least_interface_dihedral_degrees = 10.0;
  EXPECT_LT(flat_interface_faces(mesh, 10.0, options), 3U);
}

TEST(Partition, puts_boundary_points_first) {
  const TetMesh mesh = cube_mesh(6);
  for (const Subdomain& s : partition(mesh, graded(), {.subdomains = 4})) {
    std::set<PointIndex> boundary;
    for (const Triangle& t : s.fixed_faces) boundary.insert(t.point.begin(), t.point.end());
    ASSERT_EQ(boundary.size(), s.global_points.size());
    EXPECT_EQ(*boundary.rbegin(), s.global_points.size() - 1);
    for (std::size_t p = 0; p < s.global_points.size(); ++p) {
      EXPECT_EQ(s.points[p], mesh.points[s.global_points[p]]);
    }
  }
}

TEST(Partition, numbers_by_distance) {
  const auto parts = partition(cube_mesh(6), graded(), {.subdomains = 12});
  double last = 0.0;
  for (const Subdomain& s : parts) {
    Point3 sum;
    for (const Tetrahedron& t : s.tets) {
      for (const PointIndex p : t.point) sum = sum + s.points[p];
    }
    const double distance = norm(1.0 / (4.0 * static_cast<double>(s.tets.size())) * sum);
    EXPECT_GE(distance, last - 1e-12);
    last = distance;
  }
}

TEST(Partition, is_the_same_every_time) {
  const auto a = partition(cube_mesh(5), graded(), {.subdomains = 10});
  const auto b = partition(cube_mesh(5), graded(), {.subdomains = 10});
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i].checksum(), b[i].checksum());
}

TEST(Partition, takes_more_parts_than_tetrahedra) {
  const auto parts = partition(cube_mesh(1), graded(), {.subdomains = 100});
  std::size_t tets = 0;
  for (const Subdomain& s : parts) tets += s.tets.size();
  EXPECT_EQ(tets, 6U);
  EXPECT_THROW((void)partition(cube_mesh(1), graded(), {.subdomains = 0}), std::invalid_argument);
}

TEST(JoinCrumbs, connects_parts) {
  const TetMesh mesh = cube_mesh(3);
  const auto neighbours = face_neighbours(mesh.tets);
  std::vector<std::uint32_t> part(mesh.tets.size(), 0);
  part[70] = 1;  // a crumb of part 1 inside part 0
  for (std::size_t t = 120; t < part.size(); ++t) part[t] = 1;
  join_crumbs(neighbours, part);
  EXPECT_EQ(part[70], 0U);
  EXPECT_EQ(part[130], 1U);
}

TEST(BlockOwner, deals_out_consecutive_blocks) {
  std::vector<std::size_t> count(3, 0);
  std::size_t last = 0;
  for (std::size_t i = 0; i < 10; ++i) {
    const std::size_t owner = block_owner(i, 10, 3);
    EXPECT_GE(owner, last);
    last = owner;
    ++count.at(owner);
  }
  for (const std::size_t n : count) EXPECT_GE(n, 3U);
}

TEST(Grading, meets_the_number_of_elements) {
  const TetMesh mesh = cube_mesh(8);
  GradingOptions options;
  options.elements = 50'000;
  options.ratio = 3.0;
  const SizeField size = choose_size_field(boundary_of(mesh), options);
  EXPECT_NEAR(size.largest / size.smallest, 3.0, 1e-12);
  EXPECT_NEAR(expected_elements(boundary_of(mesh), size), 50'000, 1.0);
  // The same integral over the tetrahedra, coarsely; the constant is the mean tetrahedron's volume.
  double sum = 0.0;
  for (const Tetrahedron& t : mesh.tets) {
    const auto& p = t.point;
    const Point3 centre =
        0.25 * ((mesh.points[p[0]] + mesh.points[p[1]]) + (mesh.points[p[2]] + mesh.points[p[3]]));
    const double wanted = size.at(centre);
    sum +=
        signed_volume(mesh.points[p[0]], mesh.points[p[1]], mesh.points[p[2]], mesh.points[p[3]]) /
        (0.1 * wanted * wanted * wanted);
  }
  EXPECT_NEAR(sum, 50'000, 2'500);
}

}  // namespace
}  // namespace mesh_refine::test::partition_test
