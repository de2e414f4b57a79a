// SPDX-License-Identifier: Apache-2.0
// B6: what counts as load.
#include "roam/balance/detail/load_table.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <thread>
#include <vector>

#include "known_objects.hpp"

namespace roam::balance::load_table_test {
namespace {

using namespace std::chrono_literals;
constexpr double unlimited = std::numeric_limits<double>::max();

ObjectId object(std::uint64_t serial) { return {Rank(0), serial}; }

mobile::Record announced(double seconds, std::uint32_t calls = 1) {
  mobile::Record record;
  record.pending_calls = seconds > 0 ? calls : 0;
  record.pending_seconds = seconds;
  return record;
}

mobile::Record weighted(double weight) {
  mobile::Record record;
  record.pending_calls = 1;
  record.pending_weight = weight;
  return record;
}

/// A table and the objects it knows.
struct Rank {
  explicit Rank(WorkerIndex workers) : table(workers, objects, roam::Rank(0)) {}
  void set(ObjectId id, const mobile::Record& record) {
    objects.set(id, record);
    table.changed(id);
  }
  void start(ObjectId id, double cost_seconds, double weight, Instant now) {
    objects.start(id, cost_seconds, weight, now);
    table.changed(id);
  }
  void end(ObjectId id, const mobile::Record& record) {
    objects.end(id, record);
    table.changed(id);
  }
  void leave(ObjectId id) {
    objects.leave(id);
    table.changed(id);
  }
  KnownObjects objects;
  LoadTable table;
};

std::vector<double> sizes_up_to(LoadTable& table, double limit, double rate = 1) {
  std::vector<double> sizes;
  table.for_each_movable(limit, rate, [&](const ObjectLoad& load) {
    sizes.push_back(load.seconds);
    return true;
  });
  return sizes;
}

TEST(B6LoadTable, sums_announced_work_and_forgets_what_leaves) {
  Rank rank(2);
  rank.set(object(1), announced(3));
  rank.set(object(2), announced(4));
  EXPECT_DOUBLE_EQ(rank.table.load(Instant(0)).total(), 7);
  EXPECT_EQ(rank.table.load(Instant(0)).queued, 2U);
  rank.leave(object(1));
  EXPECT_DOUBLE_EQ(rank.table.load(Instant(0)).total(), 4);
  rank.set(object(2), announced(0));
  EXPECT_EQ(rank.table.load(Instant(0)).queued, 0U);
  EXPECT_EQ(rank.table.load(Instant(0)).total(), 0);
}

TEST(B6LoadTable, a_running_handler_leaves_its_remaining_part_and_its_object_cannot_move) {
  Rank rank(1);
  LoadTable& table = rank.table;
  rank.set(object(1), announced(10));
  rank.set(object(2), announced(5));
  rank.start(object(1), 10, 1, 100s);
  const RankLoad load = table.load(104s);
  EXPECT_DOUBLE_EQ(load.total(), 11);
  EXPECT_DOUBLE_EQ(load.first_free_seconds, 6);
  EXPECT_DOUBLE_EQ(load.seconds_until_idle(load.rate()), 11);
  EXPECT_EQ(load.running, 1U);
  EXPECT_EQ(sizes_up_to(table, unlimited), std::vector<double>{5});
  // Longer than announced: nothing is left, rather than less than nothing.
  EXPECT_DOUBLE_EQ(table.load(120s).total(), 5);
  rank.end(object(1), announced(0));
  EXPECT_EQ(table.load(120s).running, 0U);
}

TEST(B6LoadTable, handlers_that_overlap_on_an_object_each_leave_their_part) {
  Rank rank(2);
  rank.set(object(1), announced(20, 2));
  rank.start(object(1), 10, 1, 100s);
  rank.start(object(1), 10, 1, 100s);
  const RankLoad load = rank.table.load(104s);
  EXPECT_DOUBLE_EQ(load.total(), 12);
  EXPECT_EQ(load.running, 1U);
}

TEST(B6LoadTable, weights_count_what_they_were_measured_to_take) {
  Rank rank(1);
  LoadTable& table = rank.table;
  rank.set(object(1), weighted(2));
  EXPECT_EQ(table.load(Instant(0)).seconds_per_weight, 0);
  EXPECT_DOUBLE_EQ(table.load(Instant(0)).total(), 2 * default_seconds_per_weight);
  table.measured(1, 0.5);
  EXPECT_DOUBLE_EQ(table.load(Instant(0)).total(), 1);
  // A rank that has measured nothing is judged by the other's measurements.
  RankLoad unmeasured;
  unmeasured.weight = 4;
  EXPECT_DOUBLE_EQ(unmeasured.total(unmeasured.rate(table.load(Instant(0)))), 2);
}

TEST(B6LoadTable, a_programs_model_replaces_measurements) {
  Rank rank(1);
  rank.table.set_model(
      [](ObjectId id, const mobile::Record&) { return id.serial() == 1 ? 42.0 : -1; });
  rank.set(object(1), weighted(1));
  rank.set(object(2), announced(3));
  EXPECT_DOUBLE_EQ(rank.table.load(Instant(0)).total(), 45);
}

TEST(LoadTable, visits_what_can_move_in_order_of_size_whatever_its_unit) {
  Rank rank(1);
  LoadTable& table = rank.table;
  for (int i = 1; i <= 6; ++i) {
    const auto id = object(static_cast<std::uint64_t>(i));
    rank.set(id, i % 2 == 0 ? announced(i) : weighted(10 * i));
  }
  EXPECT_EQ(sizes_up_to(table, unlimited, 0.1), (std::vector<double>{6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(sizes_up_to(table, 3.5, 0.1), (std::vector<double>{3, 2, 1}));
  std::vector<double> above;
  table.for_each_movable_above(3.5, 0.1, [&](const ObjectLoad& load) {
    above.push_back(load.seconds);
    return true;
  });
  EXPECT_EQ(above, (std::vector<double>{4, 5, 6}));
}

TEST(LoadTable, who_is_shown_an_object_may_move_it_and_ask_for_the_load) {
  Rank rank(1);
  for (std::uint64_t i = 1; i <= 5; ++i) rank.set(object(i), announced(static_cast<double>(i)));
  std::vector<double> shown;
  rank.table.for_each_movable(unlimited, 1, [&](const ObjectLoad& load) {
    shown.push_back(load.seconds);
    rank.leave(load.object);
    if (load.seconds == 4) rank.start(object(3), 3, 1, Instant(0));
    EXPECT_EQ(rank.table.load(Instant(0)).queued, 5U - shown.size() - (load.seconds <= 4 ? 1 : 0));
    return true;
  });
  EXPECT_EQ(shown, (std::vector<double>{5, 4, 2, 1}));
  EXPECT_EQ(rank.table.movable_count(), 0U);
}

TEST(LoadTable, is_not_disturbed_by_many_objects_that_come_and_go_unasked) {
  Rank rank(1);
  for (std::uint64_t i = 1; i <= 20'000; ++i) {
    rank.set(object(i), announced(1));
    if (i % 3 == 0) {
      EXPECT_GT(rank.table.load(Instant(0)).total(), 0);
    }
    if (i % 100 != 0) rank.leave(object(i));
  }
  EXPECT_EQ(rank.table.movable_count(), 200U);
  for (std::uint64_t i = 100; i <= 20'000; i += 100) rank.leave(object(i));
  EXPECT_EQ(rank.table.movable_count(), 0U);
}

TEST(LoadTable, takes_updates_from_many_threads) {
  Rank rank(4);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&rank, t] {
      for (std::uint64_t i = 0; i < 2000; ++i) {
        const ObjectId id = object(1 + t + 4 * (i % 100));
        rank.set(id, announced(1));
        rank.start(id, 1, 1, Instant(0));
        rank.table.measured(1, 2);
        rank.end(id, announced(0));
      }
      rank.set(object(1000 + t), announced(1));
    });
  }
  for (int i = 0; i < 100; ++i) {
    (void)rank.table.load(Instant(0));
    (void)sizes_up_to(rank.table, unlimited);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(rank.table.load(Instant(0)).queued, 4U);
  EXPECT_EQ(rank.table.load(Instant(0)).running, 0U);
  EXPECT_DOUBLE_EQ(rank.table.load(Instant(0)).seconds_per_weight, 2);
}

}  // namespace
}  // namespace roam::balance::load_table_test
