// SPDX-License-Identifier: Apache-2.0
// A job that ends while the network still reads an array lent by an object on its way.
#include <gtest/gtest.h>

#include "support/simulated.hpp"

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

// At every event of the move once; some of them lie while the array is under way.
TEST(LentAtEnd, R2_an_object_under_way_outlives_its_rank_and_then_ends) {
  int lent_at_end = 0;
  bool has_ended = false;
  for (std::uint64_t last = 1; !has_ended; ++last) {
    Courier::alive = 0;
    {
      roam::SimulatedJob job(roam::testing::simulated(2, last));
      std::uint64_t events = 0;
      bool has_set_out = false;
      job.set_interruption([&](std::uint64_t) {
        if (has_set_out && ++events == last)
          job.runtime(roam::Rank(1)).engine().report_error("enough");
      });
      has_ended = job.run([&has_set_out](roam::Runtime& rt) -> roam::Task<> {
        if (rt.rank() == 0) {
          const auto courier = rt.create<Courier>();
          co_await courier.call<&Courier::fill>();
          has_set_out = true;
          courier.migrate(1);
        }
        co_await rt.quiescence();
      });
      if (!has_ended) {
        EXPECT_NE(job.error().find("enough"), std::string::npos) << job.error();
        lent_at_end += Courier::alive;
      }
    }
    EXPECT_EQ(Courier::alive, 0) << "ended at event " << last;
    ASSERT_LT(last, 1'000U);
  }
  EXPECT_GT(lent_at_end, 2);
}

}  // namespace

}  // namespace lent_at_end_test
