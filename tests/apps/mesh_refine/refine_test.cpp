// SPDX-License-Identifier: Apache-2.0
// Promise: refinement of a subdomain reaches the size field inside, never changes the boundary,
// keeps all tetrahedra positively oriented and the volume, ends, and is a function of the subdomain
// alone, bit for bit, wherever and in which thread it runs and after any serialisation.

#include <gtest/gtest.h>

#include <cereal/archives/binary.hpp>
#include <sstream>
#include <thread>

#include "cut/partition.hpp"
#include "cut/subdomain.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::refine_test {
namespace {

Subdomain cube_subdomain(std::uint32_t cells) {
  return partition(cube_mesh(cells), SizeField{}, {.subdomains = 1}).front();
}

SizeField graded() {
  SizeField size;
  size.smallest = 0.04;
  size.growth = 0.15;
  size.largest = 0.2;
  return size;
}

void expect_sound(const Subdomain& s) {
  const SubdomainStatistics statistics = s.statistics();
  EXPECT_EQ(statistics.inverted_tets, 0U);
  EXPECT_EQ(statistics.changed_faces, 0U);
  EXPECT_NEAR(statistics.volume, statistics.coarse_volume, 1e-12 * statistics.coarse_volume);
}

TEST(Refine, keeps_what_it_must_keep) {
  Subdomain s = cube_subdomain(6);
  const std::vector<InterfaceFace> faces = s.interface_faces();
  s.refine(graded());
  expect_sound(s);
  EXPECT_EQ(s.refined, 1U);
  EXPECT_GT(s.tets.size(), 2 * s.coarse_tets);
  EXPECT_EQ(s.interface_faces(), faces);
  EXPECT_GT(s.statistics().worst_quality, 0.1);
  EXPECT_GT(s.statistics().quality_sum / static_cast<double>(s.tets.size()), 0.6);
}

TEST(Refine, reaches_the_wanted_size_inside) {
  Subdomain s = cube_subdomain(6);
  SizeField size;
  size.smallest = size.largest = 0.06;
  s.refine(size);
  double longest = 0.0;
  for (const Tetrahedron& t : s.tets) {
    for (std::size_t i = 1; i < 4; ++i) {
      const Point3 middle =
          0.5 * (s.points[t.point[0]] + s.points[t.point[i]]) - Point3{.5, .5, .5};
      if (std::max({std::abs(middle.x), std::abs(middle.y), std::abs(middle.z)}) > 0.25) continue;
      longest = std::max(longest, norm(s.points[t.point[i]] - s.points[t.point[0]]));
    }
  }
  EXPECT_LT(longest, 2.0 * size.smallest);
}

TEST(Refine, leaves_a_mesh_that_is_fine_enough) {
  Subdomain s = cube_subdomain(4);
  SizeField size;
  size.smallest = size.largest = 10.0;
  const std::size_t before = s.tets.size();
  s.refine(size);
  expect_sound(s);
  EXPECT_EQ(s.inserted_points, 0U);
  EXPECT_LE(s.tets.size(), before + before / 4);  // swaps may change the number a little
}

TEST(Refine, ends_for_an_absurd_size_field) {
  Subdomain s = cube_subdomain(3);
  SizeField size;
  size.smallest = size.largest = 1e-9;
  RefineSettings settings;
  settings.most_points = 2000;
  s.refine(size, settings);
  expect_sound(s);
  EXPECT_LE(s.inserted_points, 2000U);
}

TEST(Refine, ends_for_a_single_tetrahedron) {
  Subdomain s;
  s.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  s.tets = {{{0, 1, 2, 3}}};
  s.global_points = {0, 1, 2, 3};
  s.set_coarse();
  s.refine(graded());
  expect_sound(s);
}

TEST(Refine, is_the_same_every_time_and_in_every_thread) {
  const Subdomain start = cube_subdomain(6);
  Subdomain a = start;
  Subdomain b = start;
  std::thread other([&] { b.refine(graded()); });
  a.refine(graded());
  other.join();
  EXPECT_EQ(a.checksum(), b.checksum());
  EXPECT_EQ(a.statistics(), b.statistics());
}

Subdomain through_an_archive(const Subdomain& s) {
  std::stringstream stream;
  cereal::BinaryOutputArchive output(stream);
  output(s);
  Subdomain copy;
  cereal::BinaryInputArchive input(stream);
  input(copy);
  return copy;
}

TEST(Refine, is_the_same_after_serialisation) {
  Subdomain a = cube_subdomain(5);
  Subdomain b = through_an_archive(a);
  EXPECT_EQ(a.checksum(), b.checksum());
  a.refine(graded());
  b.refine(graded());
  EXPECT_EQ(a.checksum(), b.checksum());
  const Subdomain c = through_an_archive(b);
  EXPECT_EQ(c.statistics(), a.statistics());
  EXPECT_EQ(c.interface_faces(), a.interface_faces());
}

TEST(Checksum, sees_every_change) {
  const Subdomain start = cube_subdomain(2);
  Subdomain moved = start;
  moved.points[5].x = std::nextafter(moved.points[5].x, 9.0);
  EXPECT_NE(moved.checksum(), start.checksum());
  Subdomain exchanged = start;
  std::swap(exchanged.tets[0], exchanged.tets[1]);
  EXPECT_NE(exchanged.checksum(), start.checksum());
}

TEST(EstimatedCost, grows_with_the_work) {
  Subdomain s = cube_subdomain(6);
  SizeField coarse = graded();
  coarse.smallest *= 1.5;
  coarse.growth *= 1.5;
  coarse.largest *= 1.5;
  EXPECT_GT(estimated_cost(s, graded()), 1.5 * estimated_cost(s, coarse));
}

}  // namespace
}  // namespace mesh_refine::test::refine_test
