// SPDX-License-Identifier: Apache-2.0
// A job that ends while the network still reads an array lent by an object under way.
#include <gtest/gtest.h>

#include "ended_moves.hpp"

namespace lent_at_end_test {

namespace {

struct Courier {
  static inline int alive = 0;
  roam::Array<double> values;
  Courier() { ++alive; }
  Courier(const Courier&) = delete;
  Courier& operator=(const Courier&) = delete;
  ~Courier() { --alive; }
  void fill() { values = roam::Array<double>(100'000); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

// The job ends once at each event of the move; at some of them the array is under way.
TEST(LentAtEnd, R2_an_object_under_way_outlives_its_rank_and_then_ends) {
  int lent_at_end = 0;
  roam::testing::end_at_every_event(
      [](std::uint64_t seed) { return roam::testing::simulated(2, seed); },
      [](roam::Runtime& rt, bool& has_set_out) -> roam::Task<> {
        const auto courier = rt.create<Courier>();
        co_await courier.call<&Courier::fill>();
        has_set_out = true;
        courier.migrate(1);
      },
      [&] { lent_at_end += Courier::alive; },
      [](std::uint64_t event) { EXPECT_EQ(Courier::alive, 0) << "ended at event " << event; });
  EXPECT_GT(lent_at_end, 2);
}

}  // namespace

}  // namespace lent_at_end_test
