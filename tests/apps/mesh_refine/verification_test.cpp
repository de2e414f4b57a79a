// SPDX-License-Identifier: Apache-2.0
// Promise: the verification passes for a correct mesh whatever the order of the reports, and fails
// for every planted fault.

#include "check/verification.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "cut/partition.hpp"
#include "test_meshes.hpp"

namespace mesh_refine::test::verification_test {
namespace {

class Verification : public testing::Test {
 protected:
  void SetUp() override {
    SizeField size;
    size.smallest = 0.05;
    size.growth = 0.2;
    size.largest = 0.2;
    parts_ = partition(cube_mesh(6), size, {.subdomains = 6});
    for (Subdomain& s : parts_) s.refine(size);
  }

  MeshReport report(double volume = 1.0) const {
    Verifier verifier;
    for (const Subdomain& s : parts_) verifier.add(s.statistics(), s.interface_faces());
    return verifier.finish(6, volume);
  }

  std::vector<Subdomain> parts_;
};

TEST_F(Verification, passes_in_any_order_with_the_same_checksum) {
  const MeshReport first = report();
  EXPECT_TRUE(first.passed());
  EXPECT_GT(first.tets, first.coarse_tets);
  EXPECT_EQ(first.surface_faces, 6U * 6U * 6U * 2U);
  EXPECT_GT(first.interface_faces, 0U);
  EXPECT_LT(std::abs(first.volume_error), 1e-12);
  std::ranges::reverse(parts_);
  const MeshReport second = report();
  EXPECT_TRUE(second.passed());
  EXPECT_EQ(first.checksum, second.checksum);
  EXPECT_EQ(first.mean_quality, second.mean_quality);
}

TEST_F(Verification, finds_a_moved_boundary_point) {
  parts_[2].points[0].x += 1e-13;
  EXPECT_FALSE(report().passed());
}

TEST_F(Verification, finds_a_missing_tetrahedron) {
  parts_[1].tets.pop_back();
  EXPECT_FALSE(report().passed());
}

TEST_F(Verification, finds_an_inverted_tetrahedron) {
  std::swap(parts_[3].tets[7].point[0], parts_[3].tets[7].point[1]);
  EXPECT_FALSE(report().passed());
}

TEST_F(Verification, finds_a_missing_or_double_subdomain) {
  parts_[4] = parts_[5];
  EXPECT_FALSE(report().passed());
  parts_.pop_back();
  EXPECT_FALSE(report().passed());
}

TEST_F(Verification, finds_another_volume) { EXPECT_FALSE(report(1.0 + 1e-9).passed()); }

TEST_F(Verification, finds_an_unrefined_subdomain) {
  parts_[0].refined = 0;
  EXPECT_FALSE(report().passed());
}

}  // namespace
}  // namespace mesh_refine::test::verification_test
