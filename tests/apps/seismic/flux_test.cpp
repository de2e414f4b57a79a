// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "kernels/kernels.hpp"
#include "model/boundaries.hpp"
#include "solve/aligned_array.hpp"

namespace seismic {
namespace {

const Material soft{1000.0, 900.0, 300.0};
const Material hard{3000.0, 9000.0, 5000.0};

class FaceTest : public ::testing::Test {
 protected:
  static constexpr int order = 4;

  void fill(AlignedArray& face, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<double> any(-1.0, 1.0);
    for (int q = 0; q < face_quantities; ++q) {
      for (int b = 0; b < layout.nodes; ++b) {
        for (int a = 0; a < layout.nodes; ++a)
          at(face, q, a, b) = any(engine) * (q < 3 ? 1.0 : 1e7);
      }
    }
  }
  double& at(AlignedArray& face, int q, int a, int b) const {
    return face[static_cast<std::size_t>(q * layout.plane() + b * layout.row() + a)];
  }

  Kernels kernels = make_kernels(order);
  Layout layout = kernels.layout;
  AlignedArray lower{layout.face()};
  AlignedArray upper{layout.face()};
};

// Anchor of the method: velocity and traction are continuous across an interface of materials, so a
// continuous state must come back unchanged at any contrast.
TEST_F(FaceTest, a_continuous_state_returns_itself_at_any_contrast) {
  for (int direction = 0; direction < 3; ++direction) {
    for (const auto& [below, above] : {std::pair{soft, hard}, std::pair{hard, soft}}) {
      fill(lower, 1);
      fill(upper, 1);
      kernels.riemann(Flux::godunov, direction, {lower.data(), impedance(below)},
                      {upper.data(), impedance(above)});
      for (std::size_t k = 0; k < layout.face(); ++k) {
        ASSERT_NEAR(lower[k], 0.0, 1e-7);
        ASSERT_NEAR(upper[k], 0.0, 1e-7);
      }
    }
  }
}

// A plane wave that falls upon an interface at right angles is reflected by (Z1 - Z2) / (Z1 + Z2).
TEST_F(FaceTest, a_wave_is_reflected_as_impedances_say) {
  for (const bool is_normal : {true, false}) {
    const int component = is_normal ? 2 : 0;
    const double z1 = is_normal ? impedance(soft).p : impedance(soft).s;
    const double z2 = is_normal ? impedance(hard).p : impedance(hard).s;
    lower = AlignedArray(layout.face());
    upper = AlignedArray(layout.face());
    at(lower, component, 2, 3) = 1.0;  // goes up: traction = -Z times velocity
    at(lower, 3 + component, 2, 3) = -z1;
    kernels.riemann(Flux::godunov, 2, {lower.data(), impedance(soft)},
                    {upper.data(), impedance(hard)});
    EXPECT_NEAR(at(upper, component, 2, 3), 2.0 * z1 / (z1 + z2), 1e-12);
    EXPECT_NEAR(at(lower, component, 2, 3), (z1 - z2) / (z1 + z2), 1e-12);
    EXPECT_NEAR(at(lower, 3 + component, 2, 3) / z1, (z1 - z2) / (z1 + z2), 1e-12);
  }
}

TEST_F(FaceTest, boundaries_fix_what_they_are_named_for) {
  struct Case {
    Boundary boundary;
    bool normal_velocity, tangential_velocity;  // zero; else the traction is
  };
  for (const Case& test :
       {Case{Boundary::free, false, false}, Case{Boundary::clamped, true, true},
        Case{Boundary::symmetric, true, false}, Case{Boundary::antisymmetric, false, true}}) {
    for (int face = 0; face < faces; ++face) {
      const int direction = face / 2;
      fill(lower, 2);
      fill(upper, 2);  // kept to compare
      kernels.riemann_boundary(reflection(test.boundary), direction, face % 2,
                               {lower.data(), impedance(soft)});
      for (int c = 0; c < 3; ++c) {
        const bool velocity = c == direction ? test.normal_velocity : test.tangential_velocity;
        const int q = velocity ? c : 3 + c;
        EXPECT_NEAR(at(lower, q, 1, 2) + at(upper, q, 1, 2), 0.0, 1e-8) << "face " << face;
        // The other one takes up the outgoing wave: Z v -+ s is kept.
        const double z = c == direction ? impedance(soft).p : impedance(soft).s;
        const double sign = face % 2 == 1 ? -1.0 : 1.0;
        EXPECT_NEAR(z * at(lower, c, 1, 2) + sign * at(lower, 3 + c, 1, 2), 0.0, 1e-7);
      }
    }
  }
}

TEST_F(FaceTest, an_absorbing_boundary_lets_a_wave_out) {
  lower = AlignedArray(layout.face());
  at(lower, 1, 0, 0) = 1.0;
  at(lower, 4, 0, 0) = -impedance(soft).p;
  kernels.riemann_boundary(reflection(Boundary::absorbing), 1, 1, {lower.data(), impedance(soft)});
  EXPECT_NEAR(at(lower, 1, 0, 0), 0.0, 1e-12);
  EXPECT_NEAR(at(lower, 4, 0, 0), 0.0, 1e-6);
}

}  // namespace
}  // namespace seismic
