// SPDX-License-Identifier: Apache-2.0
// A7: a message that makes a collection is checked before anything is done. One that is too large
// for a rank fails with an error message (M11).
#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "roam/roam.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace hostile_collection_test {

namespace {

using roam::mobile::CollectionShape;
using roam::mobile::OperationType;

struct Dot {
  int value = 0;
  [[nodiscard]] int get() const { return value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
using Plane = roam::collection<Dot, 2>;
using Words = roam::sparse_collection<Dot, std::string>;

const OperationType& plane_creation() {
  return roam::mobile::detail::operation_type<roam::mobile::Creation<Plane>>;
}
const OperationType& words_creation() {
  return roam::mobile::detail::operation_type<roam::mobile::SparseCreation<Words>>;
}

/// How many messages rank 0 rejects if rank 1 asks it to make a collection of this shape.
std::uint64_t rejected(const OperationType& creation, const CollectionShape& shape) {
  roam::Options options;
  options.simulate.emplace();
  options.simulate->ranks = 2;
  roam::SimulatedJob job({.options = options});
  EXPECT_TRUE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 1) {
      roam::mobile::Collections& collections = roam::mobile::current_collections();
      roam::core::Packer packer = collections.begin(creation, 0, 0);
      roam::core::pack(packer, shape);
      collections.start(std::move(packer));
    }
    co_await rt.quiescence();
    // The rank goes on as before.
    const auto words = co_await rt.create_sparse_collection<Dot, std::string>();
    co_await words.insert("one");
    EXPECT_EQ((co_await words.reduce<&Dot::get, std::plus<>>()), 0);
  })) << job.error();
  return job.runtime(0).messenger().stats().messages_rejected;
}

CollectionShape shape_of(int dimensions, roam::Placement placement) {
  CollectionShape shape;
  shape.extent = {2, 2, 1};
  shape.dimensions = dimensions;
  shape.placement = placement;
  return shape;
}

TEST(A7Collections, are_made_only_of_shapes_that_can_be) {
  using roam::Placement;
  EXPECT_EQ(rejected(plane_creation(), shape_of(2, Placement::block())), 0U);
  EXPECT_EQ(rejected(words_creation(), shape_of(0, Placement::hash())), 0U);
  for (const int dimensions : {-1, 1, 3, 4}) {
    EXPECT_EQ(rejected(plane_creation(), shape_of(dimensions, Placement::block())), 1U)
        << dimensions;
  }
  EXPECT_EQ(rejected(plane_creation(), shape_of(0, Placement::hash())), 1U);
  EXPECT_EQ(rejected(words_creation(), shape_of(2, Placement::block())), 1U);
  EXPECT_EQ(rejected(plane_creation(), shape_of(2, Placement(Placement::Kind::block_cyclic, 0))),
            1U);
  EXPECT_EQ(rejected(plane_creation(), shape_of(2, Placement(static_cast<Placement::Kind>(9), 0))),
            1U);
}

TEST(M11Collections, too_large_for_a_rank_fail_in_words) {
  roam::Options options;
  options.simulate.emplace();
  options.simulate->ranks = 2;
  roam::SimulatedJob job({.options = options});
  std::string text;
  EXPECT_TRUE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 0) co_return;
    const roam::Index<1> extent{std::int64_t{1} << 36};
    try {
      (void)co_await rt.create_collection<Dot>(extent, roam::Placement::block());
    } catch (const roam::Error& error) {
      text = error.what();
    }
  })) << job.error();
  EXPECT_NE(text.find("a rank can be the home of 4294967295"), std::string::npos) << text;
}

}  // namespace

}  // namespace hostile_collection_test
