// SPDX-License-Identifier: Apache-2.0
// M6: a move that the object's own class makes impossible is reported, and not tried for ever.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "roam/balance/detail/balancer.hpp"
#include "roam/roam.hpp"

namespace refused_move_test {

namespace {

/// Cannot be loaded if its number is odd.
struct Stubborn {
  int number = 0;
  int calls = 0;
  void work(roam::Duration time) { roam::here().compute(time), ++calls; }
  [[nodiscard]] int count() const { return calls; }
  template <class Archive>
  void save(Archive& archive) const {
    archive(number, calls);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(number, calls);
    if (number % 2 == 1) throw std::runtime_error("it will not load");
  }
};
struct ReadsLess {
  int a = 1, b = 2;
  [[nodiscard]] int sum() const { return a + b; }
  template <class Archive>
  void save(Archive& archive) const {
    archive(a, b);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(a);
  }
};
struct Unmakeable {
  int value = 5;
  explicit Unmakeable(int v) : value(v) {}
  Unmakeable() { throw std::runtime_error("not like this"); }
  [[nodiscard]] int get() const { return value; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value);
  }
};
void look(roam::Gathered<Stubborn>) { ADD_FAILURE() << "it ran"; }

std::string run_job(const std::string& balancer, const roam::Runtime::Program& program) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = 2;
  options.ranks_given = true;
  options.workers = 1;
  options.balancer = roam::parse_plugin_choice(balancer);
  testing::internal::CaptureStderr();
  EXPECT_EQ(roam::run(options, program), 0);
  return testing::internal::GetCapturedStderr();
}
std::size_t count_of(const std::string& part, const std::string& text) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++count;
  return count;
}

TEST(RefusedMove, M6_is_reported_once_for_a_class_with_the_words_of_the_exception) {
  const std::string report = run_job("none", [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0) {
      for (int i = 0; i < 20; ++i) {
        rt.create<Stubborn>(2 * i + 1).migrate(1);
        rt.create<ReadsLess>().migrate(1);
        rt.create<Unmakeable>(i).migrate(1);
      }
    }
    co_await rt.quiescence();
    const roam::RankStatistics statistics = rt.statistics();
    EXPECT_EQ(statistics.migrations_out, 0U);
    EXPECT_EQ(statistics.migrations_refused, rt.rank() == 0 ? 60U : 0U);
    EXPECT_EQ(statistics.objects, rt.rank() == 0 ? 60U : 0U);
  });
  EXPECT_EQ(count_of("stays here", report), 3U) << report;
  EXPECT_EQ(count_of("it will not load", report), 1U) << report;
  EXPECT_EQ(count_of("not like this", report), 1U) << report;
  EXPECT_EQ(count_of("ReadsLess: its load has left 4", report), 1U) << report;
}

TEST(RefusedMove, M6_the_program_is_told_of_each_if_it_asks) {
  const std::string report = run_job("none", [](roam::Runtime& rt) -> roam::Task<> {
    std::vector<roam::ObjectId> refused;
    rt.on_refused_move([&refused](const roam::mobile::MigrationOutcome& outcome) {
      EXPECT_EQ(outcome.target, roam::Rank(1));
      EXPECT_NE(outcome.class_name.find("Stubborn"), std::string_view::npos);
      refused.push_back(outcome.object);
    });
    co_await rt.barrier();
    if (rt.rank() == 0) {
      const auto one = rt.create<Stubborn>(1);
      const auto two = rt.create<Stubborn>(2);
      one.send<&Stubborn::work>(roam::Duration(1));
      one.migrate(1);
      two.migrate(1);
      std::string text;
      try {
        co_await one.migrate_and_wait(1);
      } catch (const roam::RemoteError& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("it will not load"), std::string::npos) << text;
      EXPECT_EQ(co_await one.call<&Stubborn::count>(), 1);
      EXPECT_GE(refused.size(), 1U);
      EXPECT_LE(refused.size(), 2U);
      EXPECT_EQ(refused.front(), one.id());
      std::string words;
      try {
        const std::vector<roam::mobile_ptr<Stubborn>> both{one, two};
        co_await rt.multicast_call_with<&look>({.at = 1}, both);
      } catch (const roam::RemoteError& error) {
        words = error.what();
      }
      EXPECT_NE(words.find("it will not load"), std::string::npos) << words;
    }
    co_await rt.quiescence();
  });
  EXPECT_EQ(report, "");
}

// Half of them can move, and do so.
TEST(RefusedMove, M6_a_policy_does_not_try_an_object_again) {
  for (const char* policy : {"diffusion", "work_stealing"}) {
    std::uint64_t refused = 0;
    std::uint64_t moved = 0;
    (void)run_job(policy, [&](roam::Runtime& rt) -> roam::Task<> {
      std::vector<roam::mobile_ptr<Stubborn>> objects;
      for (int round = 0; round < 5; ++round) {
        if (rt.rank() == 0) {
          for (int i = 0; round == 0 && i < 20; ++i) objects.push_back(rt.create<Stubborn>(i));
          for (const auto& object : objects)
            object.send<&Stubborn::work>(std::chrono::milliseconds(2));
        }
        co_await rt.quiescence();
      }
      if (rt.rank() == 0) {
        const roam::balance::BalancerStats stats = rt.balancer().stats();
        refused = stats.migrations_refused;
        moved = stats.migrations_moved;
        for (const auto& object : objects) EXPECT_EQ(co_await object.call<&Stubborn::count>(), 5);
      }
      co_await rt.quiescence();
    });
    EXPECT_LE(refused, 10U) << policy;
    EXPECT_GT(moved, 0U) << policy;
  }
}

TEST(RefusedMove, M6_a_phase_reports_what_has_moved_and_what_was_refused) {
  const std::string report = run_job("rotate", [](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 0)
      for (int i = 0; i < 20; ++i) (void)rt.create<Stubborn>(1);
    for (int phase = 0; phase < 3; ++phase) {
      const roam::balance::PhaseReport told = co_await rt.phase();
      EXPECT_EQ(told.moved_objects, 0U);
      EXPECT_EQ(told.refused_objects, 20U);
    }
    EXPECT_EQ(rt.statistics().migrations_refused, rt.rank() == 0 ? 20U : 0U);
  });
  EXPECT_EQ(count_of("stays here", report), 1U) << report;
}

}  // namespace

}  // namespace refused_move_test
