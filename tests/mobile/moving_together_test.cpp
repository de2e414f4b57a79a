// SPDX-License-Identifier: Apache-2.0
// Objects that move to one rank together: they share one message, and everything else is as if each
// moved alone (M2, M3, M5, M6).
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "support/simulated.hpp"

namespace moving_together_test {

namespace {

struct Crate {
  int index = 0;
  std::vector<int> calls;
  std::vector<std::uint64_t> ballast;
  bool cannot_be_packed = false;
  void note(int number) { calls.push_back(number); }
  [[nodiscard]] std::vector<int> noted() const { return calls; }
  template <class Archive>
  void serialize(Archive& archive) {
    if (cannot_be_packed) throw std::runtime_error("of no form");
    archive(index, calls, ballast, cannot_be_packed);
  }
};

constexpr int parts = 200;
constexpr int calls = 3;

struct Journey {
  std::vector<roam::mobile_ptr<Crate>> objects;
  std::vector<roam::ObjectId> stay;
  std::vector<roam::mobile::MigrationOutcome> outcomes;
  std::vector<std::int32_t> places;  // in the end
  std::uint64_t installs = 0;        // messages that brought objects
  std::string error;
};

/// Rank 0 makes objects, calls them, moves them to rank 1 before any call has begun, and calls them
/// again at once.
Journey move_all(const std::function<void(Crate&)>& adapt, const std::set<int>& refused = {}) {
  Journey run;
  const std::vector<int> in_order{0, 1, 2, 3};
  roam::SimulatedJob job(roam::testing::simulated(2, 1, 1));
  std::set<std::uint64_t> refused_ids;
  job.runtime(0).objects().add_migration_listener(
      [&](const roam::mobile::MigrationOutcome& outcome) {
        run.outcomes.push_back(outcome);
        if (outcome.message_objects > 0) ++run.installs;
      });
  job.runtime(1).objects().set_admission([&](roam::ObjectId id, std::uint64_t) -> std::string {
    return refused_ids.contains(id.value()) ? "no room" : "";
  });
  const bool is_done = job.run([&](roam::Runtime& rt) -> roam::Task<> {
    rt.on_error([&](const std::string& report) { run.error = report; });
    if (rt.rank() == 0) {
      std::vector<roam::ObjectId> ids;
      for (int i = 0; i < parts; ++i) {
        Crate part;
        part.index = i;
        adapt(part);
        run.objects.push_back(rt.create<Crate>(std::move(part)));
        ids.push_back(run.objects.back().id());
        if (refused.contains(i)) refused_ids.insert(ids.back().value());
      }
      for (int n = 0; n < calls; ++n) {
        for (const auto& object : run.objects) object.send<&Crate::note>(n);
      }
      run.stay = rt.objects().migrate_idle(ids, 1);
      for (const auto& object : run.objects) object.send<&Crate::note>(calls);
    }
    co_await rt.quiescence();
    if (rt.rank() == 0) {
      for (const auto& object : run.objects) {
        const std::vector<int> noted = co_await object.call<&Crate::noted>();
        EXPECT_EQ(noted, in_order);
        run.places.push_back(rt.objects().place_of(object.id())->rank.value());
      }
    }
    co_await rt.quiescence();
  });
  EXPECT_TRUE(is_done) << job.error();
  return run;
}

TEST(MovingTogether, M5_small_objects_share_messages_and_each_keeps_its_calls) {
  const Journey run = move_all([](Crate&) {});
  EXPECT_TRUE(run.stay.empty());
  EXPECT_EQ(run.places, std::vector<std::int32_t>(parts, 1));
  ASSERT_EQ(run.outcomes.size(), static_cast<std::size_t>(parts));
  EXPECT_LE(run.installs, 2U);
  std::uint64_t objects = 0;
  for (const auto& outcome : run.outcomes) {
    EXPECT_TRUE(outcome.moved);
    EXPECT_GT(outcome.bytes, 0U);
    objects += outcome.message_objects;
  }
  EXPECT_EQ(objects, static_cast<std::uint64_t>(parts));
}

TEST(MovingTogether, M6_one_that_is_refused_stays_and_the_others_go) {
  const Journey run = move_all([](Crate&) {}, {0, 7, parts - 1});
  std::vector<std::int32_t> expected(parts, 1);
  expected[0] = expected[7] = expected[parts - 1] = 0;
  EXPECT_EQ(run.places, expected);
  EXPECT_EQ(std::ranges::count_if(run.outcomes, [](const auto& one) { return !one.moved; }), 3);
}

TEST(MovingTogether, M6_one_that_cannot_be_packed_stays_and_the_others_go) {
  const Journey run = move_all([](Crate& part) { part.cannot_be_packed = part.index % 50 == 0; });
  for (int i = 0; i < parts; ++i)
    EXPECT_EQ(run.places[static_cast<std::size_t>(i)], i % 50 == 0 ? 0 : 1) << i;
  EXPECT_NE(run.error.find("of no form"), std::string::npos) << run.error;
}

TEST(MovingTogether, M5_large_ones_among_them_arrive_too) {
  const Journey run =
      move_all([](Crate& part) { part.ballast.assign(part.index % 20 == 0 ? 20000 : 1, 1); });
  EXPECT_EQ(run.places, std::vector<std::int32_t>(parts, 1));
}

}  // namespace

}  // namespace moving_together_test
