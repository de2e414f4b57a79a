// SPDX-License-Identifier: Apache-2.0
// Objects that are handed over by pointer between ranks of one process.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ended_moves.hpp"
#include "roam/roam.hpp"

namespace handed_object_test {

namespace {

struct Field {
  static constexpr bool moves_by_pointer = true;
  static inline int alive = 0;
  std::vector<double> values = std::vector<double>(1000, 1.5);
  int packed = 0;
  Field() { ++alive; }
  Field(const Field&) = delete;
  Field& operator=(const Field&) = delete;
  ~Field() { --alive; }
  [[nodiscard]] std::uint64_t place() const { return reinterpret_cast<std::uintptr_t>(this); }
  [[nodiscard]] int times_packed() const { return packed; }
  [[nodiscard]] double sum() const {
    double all = 0;
    for (const double value : values) all += value;
    return all;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    ++packed;
    archive(values, packed);
  }
};
static_assert(roam::moves_by_pointer<Field>);

/// A class like it that does not allow moves by pointer.
struct Plain {
  int packed = 0;
  [[nodiscard]] int times_packed() const { return packed; }
  template <class Archive>
  void serialize(Archive& archive) {
    ++packed;
    archive(packed);
  }
};
static_assert(!roam::moves_by_pointer<Plain>);

roam::Options two_ranks(const char* transport) {
  roam::Options options;
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.transport = transport;
  return options;
}

TEST(HandedObject, M5_between_ranks_of_a_process_the_object_itself_goes_with_its_calls) {
  int moves = 0;
  const int rc = roam::run(two_ranks("in-process"), [&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      const auto field = rt.create<Field>();
      const auto plain = rt.create<Plain>();
      const std::uint64_t place = co_await field.call<&Field::place>();
      for (int i = 0; i < 20; ++i) {
        const roam::Rank target(1 - i % 2);
        auto sum = field.call<&Field::sum>();  // it is packed with the object, or follows it
        co_await field.migrate_and_wait(target);
        co_await plain.migrate_and_wait(target);
        EXPECT_EQ(co_await sum, 1500);
        EXPECT_EQ(co_await field.call<&Field::place>(), place);
        ++moves;
      }
      EXPECT_EQ(co_await field.call<&Field::times_packed>(), 0);
      EXPECT_GE(co_await plain.call<&Plain::times_packed>(), 20);
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(rc, 0);
  EXPECT_EQ(moves, 20);
  EXPECT_EQ(Field::alive, 0);
}

roam::SimulatedJobOptions in_one_process(std::uint64_t seed) {
  roam::SimulatedJobOptions options = roam::testing::simulated(2, seed);
  options.shares_memory = true;
  return options;
}

TEST(HandedObject, M6_one_that_is_refused_is_its_sources_again) {
  Field::alive = 0;
  {
    roam::SimulatedJob job(in_one_process(1));
    job.runtime(roam::Rank(1)).objects().set_admission([](roam::ObjectId, std::uint64_t) {
      return std::string("no room");
    });
    const bool has_ended = job.run([](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() == 0) {
        const auto field = rt.create<Field>();
        const std::uint64_t place = co_await field.call<&Field::place>();
        field.migrate(1);
        co_await rt.quiescence();
        EXPECT_EQ(co_await field.call<&Field::place>(), place);
        EXPECT_EQ(rt.objects().stats().migrations_refused, 1U);
        EXPECT_EQ(co_await field.call<&Field::times_packed>(), 0);
      } else {
        co_await rt.quiescence();
      }
    });
    EXPECT_TRUE(has_ended) << job.error();
  }
  EXPECT_EQ(Field::alive, 0);
}

// The job ends once at each event of the move: with the object at the source, on the way, taken,
// answered.
TEST(HandedObject, R2_where_a_job_ends_it_ends_once) {
  Field::alive = 0;
  roam::testing::end_at_every_event(
      in_one_process,
      [](roam::Runtime& rt, bool& has_set_out) -> roam::Task<> {
        const auto field = rt.create<Field>();
        co_await field.call<&Field::place>();
        has_set_out = true;
        field.migrate(1);
      },
      [] {}, [](std::uint64_t event) { EXPECT_EQ(Field::alive, 0) << "ended at event " << event; });
}

}  // namespace

}  // namespace handed_object_test
