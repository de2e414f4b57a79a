// SPDX-License-Identifier: Apache-2.0
// The mesh, and particles that walk through it, against a search of all tetrahedra.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "mini_pic/part.hpp"
#include "parts_together.hpp"

namespace mini_pic::walk_test {

using Wide = __int128;

/// Six times the volume of a tetrahedron, with its sign.
Wide volume(const Vector& p, const Vector& q, const Vector& r, const Vector& s) {
  std::array<std::array<Wide, 3>, 3> m{};
  for (std::size_t d = 0; d < 3; ++d) m[d] = {q[d] - p[d], r[d] - p[d], s[d] - p[d]};
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

bool contains(const Tetrahedron& one, const Vector& point) {
  for (std::size_t i = 0; i < 4; ++i) {
    auto corners = one.corners;
    corners[i] = point;
    if (volume(corners[0], corners[1], corners[2], corners[3]) < 0) return false;
  }
  return true;
}

std::vector<Tetrahedron> whole_mesh(Box box) {
  box.parts = {1, 1, 1};
  return box.tetrahedra_around(0);
}

/// The numbers of all tetrahedra that contain a point or one of its periodic images.
std::set<std::int64_t> found_by_search(const Box& box, const std::vector<Tetrahedron>& mesh,
                                       const Vector& point) {
  std::set<std::int64_t> found;
  for (std::int64_t image = 0; image < 27; ++image) {
    const Vector shift{image / 9 - 1, image / 3 % 3 - 1, image % 3 - 1};
    Vector at{};
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t length = box.length(d);
      at[d] = ((point[d] % length) + length) % length + shift[d] * length;
    }
    for (const Tetrahedron& one : mesh)
      if (contains(one, at)) found.insert(one.id);
  }
  return found;
}

const Box boxes[] = {{.cubes = {5, 4, 3}, .parts = {2, 2, 1}},
                     {.cubes = {3, 3, 3}, .parts = {3, 1, 2}, .jitter = 0.16},
                     {.cubes = {3, 4, 3}, .parts = {1, 4, 3}, .jitter = 0},
                     {.cubes = {3, 3, 4}, .parts = {1, 1, 1}, .jitter = 0}};

TEST(Mesh, fills_the_box_and_has_each_tetrahedron_in_one_part) {
  for (const Box& box : boxes) {
    Wide sum = 0;
    std::set<std::int64_t> ids;
    std::set<std::int64_t> nodes;
    for (std::int32_t number = 0; number < box.part_count(); ++number) {
      const Piece piece(box, number);
      for (const Cell& cell : piece.cells) sum += cell.volume;
      for (const std::int64_t id : piece.ids) EXPECT_TRUE(ids.insert(id).second);
      for (const std::int64_t id : piece.own_ids) EXPECT_TRUE(nodes.insert(id).second);
    }
    EXPECT_TRUE(sum == Wide{6} * box.length(0) * box.length(1) * box.length(2));
    EXPECT_EQ(static_cast<std::int64_t>(ids.size()), 6 * box.cube_count());
    EXPECT_EQ(static_cast<std::int64_t>(nodes.size()), box.cube_count());
  }
}

TEST(Mesh, has_parts_that_agree_on_what_they_exchange) {
  for (const Box& box : boxes) {
    std::map<std::int32_t, Piece> pieces;
    for (std::int32_t number = 0; number < box.part_count(); ++number)
      pieces.emplace(number, Piece(box, number));
    for (const auto& [number, piece] : pieces) {
      for (const Exchange& exchange : piece.exchanges) {
        const Piece& other = pieces.at(exchange.part);
        const Exchange& back = other.exchanges[other.exchange_with(number)];
        EXPECT_EQ(exchange.send.size(), back.receive.size());
        EXPECT_EQ(exchange.receive.size(), back.send.size());
      }
    }
  }
}

/// A particle that goes from the middle of a tetrahedron by up to four cubes in each direction. In
/// meshes whose nodes are not moved, it starts in a corner and goes by half cubes: along edges,
/// faces and through nodes.
Walker random_walker(const Box& box, const Tetrahedron& one, std::mt19937_64& random) {
  Walker walker;
  walker.tetrahedron = one.id;
  for (std::size_t d = 0; d < 3; ++d) {
    walker.from[d] = one.corners[random() % 4][d];
    if (box.jitter > 0)
      walker.from[d] =
          (one.corners[0][d] + one.corners[1][d] + one.corners[2][d] + one.corners[3][d]) / 4;
  }
  if (box.jitter == 0) walker.from = one.corners[random() % 4];
  walker.particle.at = walker.from;
  for (std::int64_t& x : walker.particle.at) {
    const auto way =
        static_cast<std::int64_t>(random() % (8 * units_per_cube)) - 4 * units_per_cube;
    x += box.jitter > 0 ? way : way / (units_per_cube / 2) * (units_per_cube / 2);
  }
  return walker;
}

TEST(Walk, ends_where_a_search_of_all_tetrahedra_finds_the_particle) {
  std::mt19937_64 random(1);
  for (const Box& box : boxes) {
    const std::vector<Tetrahedron> mesh = whole_mesh(box);
    PartsTogether all(Plasma{.box = box});
    std::vector<Vector> goals;
    int rounds = 0;
    for (std::int64_t n = 0; n < 100; ++n) {
      const Tetrahedron& one = mesh[random() % mesh.size()];
      Walker walker = random_walker(box, one, random);
      walker.particle.id = n;
      goals.push_back(walker.particle.at);
      const std::int32_t owner = static_cast<std::int32_t>([&] {
        for (Part& part : all.parts)
          if (std::ranges::binary_search(part.piece().ids, one.id)) return part.number();
        return -1;
      }());
      Mail<Walker> first = all.owner(owner).no_mail<Walker>();
      all.owner(owner).take({walker}, first);
      rounds = std::max(rounds, all.settle({first}));
    }
    if (box.part_count() > 4) {
      EXPECT_GT(rounds, 2);
    }
    std::size_t count = 0;
    for (const Part& part : all.parts) {
      for (const Particle& particle : part.particles()) {
        ++count;
        const Vector& goal = goals[static_cast<std::size_t>(particle.id)];
        const std::int64_t id = part.piece().ids[static_cast<std::size_t>(particle.cell)];
        EXPECT_TRUE(found_by_search(box, mesh, goal).contains(id)) << particle.id;
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_EQ((particle.at[d] - goal[d]) % box.length(d), 0);
      }
      EXPECT_EQ(part.check().misplaced, 0);
    }
    EXPECT_EQ(count, goals.size());
  }
}

TEST(Walk, reports_a_particle_that_moves_too_far) {
  Plasma plasma{.box = {.cubes = {4, 3, 3}, .parts = {1, 1, 1}}};
  Part part(plasma, 0);
  Sums sums;
  EXPECT_EQ(part.load(plasma, sums).letters.size(), 0U);
  EXPECT_EQ(sums.walkers, 0);
  plasma.time_step = 20;
  EXPECT_THROW((void)part.move(plasma, sums), std::runtime_error);
}

TEST(Loading, gives_each_particle_a_number_and_a_weight) {
  for (const bool is_uneven : {false, true}) {
    const Plasma plasma{.box = {.cubes = {4, 8, 3}, .parts = {2, 3, 1}}, .is_uneven = is_uneven};
    PartsTogether all(plasma);
    std::vector<Mail<Walker>> mail;
    Sums sums;
    for (Part& part : all.parts) mail.push_back(part.load(plasma, sums));
    all.settle(std::move(mail));
    std::set<std::int64_t> ids;
    std::int64_t weight = 0;
    for (const Part& part : all.parts) {
      for (const Particle& particle : part.particles()) {
        EXPECT_TRUE(ids.insert(particle.id).second);
        weight += particle.weight;
      }
    }
    EXPECT_EQ(static_cast<std::int64_t>(ids.size()), plasma.particles());
    EXPECT_EQ(*ids.rbegin(), plasma.particles() - 1);
    EXPECT_EQ(weight, plasma.total_weight());
  }
}

}  // namespace mini_pic::walk_test
