// SPDX-License-Identifier: Apache-2.0
// Indices, neighbours, placements and names of elements (M11).
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/mobile/collection_index.hpp"
#include "roam/mobile/placement.hpp"

namespace roam::collection_index_test {

namespace {

mobile::CollectionShape shape_of(const Index<2>& extent, const Placement& placement,
                                 std::int32_t ranks) {
  mobile::CollectionShape shape;
  shape.base = 1000;
  shape.extent = mobile::coordinates_of(extent, 1);
  shape.placement = placement;
  shape.ranks = ranks;
  shape.dimensions = 2;
  return shape;
}

std::int32_t by_row(Index<2> index, Index<2> /*extent*/, std::int32_t ranks) {
  return static_cast<std::int32_t>(index[0] % ranks);
}
Rank beyond(const Index<2>& index, const Index<2>& /*extent*/, std::int32_t ranks) {
  return {ranks + static_cast<std::int32_t>(index[1])};
}
std::int32_t by_length(const std::string& key, std::int32_t ranks) {
  return static_cast<std::int32_t>(key.size()) % ranks;
}

std::string words(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

TEST(Index, is_made_of_any_integers_and_ordered_by_its_first_coordinate) {
  const std::size_t large = 3;
  const Index<2> index{large, 4};
  EXPECT_EQ(index[0], 3);
  EXPECT_EQ(to_string(index), "(3, 4)");
  EXPECT_LT((Index<2>{2, 9}), index);
  EXPECT_LT(index, (Index<2>{3, 5}));
}

TEST(Neighbours, share_a_face_or_a_corner_inside_open_edges) {
  const Index<2> extent{4, 5};
  const Index<2> middle{1, 2};
  const Index<2> corner{0, 4};
  EXPECT_EQ(neighbours_of(middle, extent).size(), 4U);
  EXPECT_EQ(neighbours_of(middle, extent, Neighbourhood::corners).size(), 8U);
  const auto faces = neighbours_of(corner, extent);
  ASSERT_EQ(faces.size(), 2U);
  EXPECT_EQ(faces[0], (Index<2>{0, 3}));
  EXPECT_EQ(faces[1], (Index<2>{1, 4}));
  EXPECT_EQ(neighbours_of(corner, extent, Neighbourhood::corners).size(), 3U);
  const Index<3> cube{3, 3, 3};
  const Index<3> centre{1, 1, 1};
  EXPECT_EQ(neighbours_of(centre, cube).size(), 6U);
  EXPECT_EQ(neighbours_of(centre, cube, Neighbourhood::corners).size(), 26U);
}

TEST(Neighbours, across_periodic_edges_each_is_named_once_and_never_the_index_itself) {
  const Index<2> extent{3, 3};
  const Index<2> corner{0, 0};
  EXPECT_EQ(neighbours_of(corner, extent, Neighbourhood::faces, Edges::periodic).size(), 4U);
  EXPECT_EQ(neighbours_of(corner, extent, Neighbourhood::corners, Edges::periodic).size(), 8U);
  const Index<2> narrow{2, 1};
  const auto found = neighbours_of(corner, narrow, Neighbourhood::corners, Edges::periodic);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0], (Index<2>{1, 0}));
}

TEST(Placement, gives_every_element_one_home_and_home_elements_agree) {
  for (const std::int32_t ranks : {1, 2, 3, 7, 50}) {
    for (const Placement& placement :
         {Placement::block(), Placement::cyclic(), Placement::block_cyclic(4),
          Placement::block_cyclic(100), Placement::by<&by_row>()}) {
      for (const Index<2>& extent : {Index<2>{1, 1}, Index<2>{5, 7}, Index<2>{6, 4}}) {
        const auto shape = shape_of(extent, placement, ranks);
        std::vector<int> seen(shape.count());
        for (std::int32_t r = 0; r < ranks; ++r) {
          const mobile::HomeElements home(shape, r);
          for (std::uint64_t position = 0; position < home.count(); ++position) {
            const std::uint64_t linear = home.linear(position);
            ASSERT_LT(linear, shape.count());
            ++seen[linear];
            EXPECT_EQ(shape.home(linear), r);
            EXPECT_EQ(home.position(linear), position);
            EXPECT_TRUE(home.contains(linear));
            if (position > 0) {
              EXPECT_GT(linear, home.linear(position - 1));
            }
          }
        }
        EXPECT_EQ(seen, std::vector<int>(shape.count(), 1));
      }
    }
  }
}

TEST(Placement, block_spreads_evenly_and_in_order) {
  const Index<2> extent{10, 10};
  const auto shape = shape_of(extent, Placement::block(), 7);
  Rank last = 0;
  for (std::uint64_t linear = 0; linear < 100; ++linear) {
    EXPECT_GE(shape.home(linear), last);
    last = shape.home(linear);
  }
  for (std::int32_t r = 0; r < 7; ++r) {
    const std::uint64_t count = mobile::HomeElements(shape, r).count();
    EXPECT_GE(count, 14U);
    EXPECT_LE(count, 15U);
  }
}

TEST(Placement, a_map_that_names_no_rank_is_an_error_with_the_element) {
  const Index<2> extent{3, 3};
  const auto shape = shape_of(extent, Placement::by<&beyond>(), 4);
  const std::string text = words([&] { static_cast<void>(shape.home(5)); });
  EXPECT_NE(text.find("element (1, 2) on rank 6"), std::string::npos) << text;
  EXPECT_NE(text.find("ranks 0 to 3"), std::string::npos) << text;
}

TEST(Placement, must_suit_the_collection) {
  const Index<2> extent{3, 3};
  EXPECT_NE(words([&] { shape_of(extent, Placement::hash(), 2).check(); }), "");
  EXPECT_NE(words([&] { shape_of(extent, Placement::by<&by_length>(), 2).check(); }), "");
  auto flat = shape_of(extent, Placement::by<&by_row>(), 2);
  EXPECT_EQ(words([&] { flat.check(); }), "");
  flat.dimensions = 1;
  EXPECT_NE(words([&] { flat.check(); }), "");
  flat.dimensions = 0;
  flat.placement = Placement::by<&by_length>();
  EXPECT_EQ(words([&] { flat.check(); }), "");
  flat.placement = Placement::block();
  EXPECT_NE(words([&] { flat.check(); }), "");
}

TEST(Placement, of_no_kind_or_of_pieces_of_nothing_cannot_be) {
  const Index<2> extent{3, 3};
  const auto check = [&](Placement::Kind kind, std::uint32_t parameter) {
    return words([&] { shape_of(extent, Placement(kind, parameter), 2).check(); });
  };
  EXPECT_EQ(check(Placement::Kind::block_cyclic, 1), "");
  EXPECT_NE(check(Placement::Kind::block_cyclic, 0), "");
  EXPECT_NE(check(static_cast<Placement::Kind>(4), 1), "");
}

TEST(CollectionShape, has_three_dimensions_at_most) {
  const Index<2> extent{3, 3};
  auto shape = shape_of(extent, Placement::block(), 2);
  for (const std::int32_t dimensions : {1, 2, 3}) {
    shape.dimensions = dimensions;
    EXPECT_EQ(words([&] { shape.check(); }), "") << dimensions;
  }
  for (const std::int32_t dimensions : {-1, 4, 5000}) {
    shape.dimensions = dimensions;
    EXPECT_NE(words([&] { shape.check(); }), "") << dimensions;
  }
}

TEST(CollectionShape, names_elements_apart_from_counted_objects) {
  const Index<2> extent{1000, 1000};
  auto shape = shape_of(extent, Placement::cyclic(), 3);
  shape.base = mobile::CollectionShape::most_elements - shape.count() + 1;
  std::set<ObjectId> names;
  for (const std::uint64_t linear : {std::uint64_t{0}, std::uint64_t{1}, shape.count() - 1}) {
    const ObjectId id = shape.element(linear);
    EXPECT_TRUE(id.is_element());
    EXPECT_EQ(id.home(), static_cast<std::int32_t>(linear % 3));
    EXPECT_EQ(id.serial() & ~ObjectId::element_bit, shape.base + linear);
    names.insert(id);
  }
  EXPECT_EQ(names.size(), 3U);
  EXPECT_FALSE(ObjectId(Rank(2), ObjectId::element_bit - 1).is_element());
}

TEST(CollectionShape, an_extent_that_cannot_be_is_an_error_with_the_limit) {
  const auto check = [](const Index<2>& extent) {
    return words([&] { shape_of(extent, Placement::block(), 2).check(); });
  };
  EXPECT_EQ(check({0, 5}), "");
  EXPECT_EQ(check({std::int64_t{1} << 19, std::int64_t{1} << 19}), "");
  EXPECT_NE(check({-1, 5}).find("negative"), std::string::npos);
  EXPECT_NE(check({std::int64_t{1} << 20, std::int64_t{1} << 19}).find("549755813887"),
            std::string::npos);
  EXPECT_NE(check({std::int64_t{1} << 62, std::int64_t{1} << 62}), "");
}

TEST(CollectionShape, an_index_outside_is_an_error_with_the_extent) {
  const Index<2> extent{3, 4};
  const auto shape = shape_of(extent, Placement::block(), 2);
  const Index<2> outside{3, 0};
  const std::string text =
      words([&] { static_cast<void>(shape.element(mobile::coordinates_of(outside))); });
  EXPECT_NE(text.find("(3, 0)"), std::string::npos) << text;
  EXPECT_NE(text.find("(3, 4)"), std::string::npos) << text;
}

TEST(CollectionShape, keys_are_spread_over_all_ranks) {
  mobile::CollectionShape shape;
  shape.placement = Placement::hash();
  shape.ranks = 8;
  std::vector<int> keys(8);
  for (std::uint32_t key = 0; key < 8000; ++key) {
    const auto bytes = std::as_bytes(std::span(&key, 1));
    ++keys[shape.home_of_key(bytes).index()];
  }
  for (const int count : keys) {
    EXPECT_GT(count, 850);
    EXPECT_LT(count, 1150);
  }
}

}  // namespace
}  // namespace roam::collection_index_test
