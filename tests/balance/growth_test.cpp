// SPDX-License-Identifier: Apache-2.0
// B6: what new objects are expected to bring besides the work that is known.
#include "roam/balance/detail/growth.hpp"

#include <gtest/gtest.h>

#include <unordered_set>
#include <vector>

#include "known_objects.hpp"
#include "roam/balance/detail/load_table.hpp"

namespace roam::balance::growth_test {
namespace {

/// A rank whose objects each work for a second, once.
class Searching {
 public:
  void create(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i) {
      mobile::Record record;
      record.pending_calls = 1;
      record.pending_seconds = 1;
      waiting_.emplace_back(Rank(0), ++serial_);
      objects_.set(waiting_.back(), record);
      tell(waiting_.back());
    }
  }
  /// Runs and destroys the newest or the oldest object.
  void run(bool newest, bool is_seen_running = false) {
    const auto place = newest ? waiting_.end() - 1 : waiting_.begin();
    const ObjectId id = *place;
    waiting_.erase(place);
    if (is_seen_running) {
      objects_.start(id, 1, 1, Instant(0));
      tell(id);
      (void)load();
    }
    objects_.leave(id);
    tell(id);
  }
  RankLoad load() {
    told_.clear();
    return table.load(Instant(0));
  }
  std::vector<std::uint64_t> serials_in_order() {
    told_.clear();
    std::vector<std::uint64_t> serials;
    table.for_each_movable(1e9, 1, [&](const ObjectLoad& object) {
      serials.push_back(object.object.serial());
      return true;
    });
    return serials;
  }

 private:
  // Reports a change once until the table has asked for the object.
  void tell(ObjectId id) {
    if (told_.insert(id).second) table.changed(id);
  }

  KnownObjects objects_;
  std::unordered_set<ObjectId> told_;
  std::vector<ObjectId> waiting_;
  std::uint64_t serial_ = 0;

 public:
  LoadTable table{1, objects_, Rank(0)};
};

TEST(B6Growth, what_calls_have_created_is_taken_to_come_once_more) {
  for (const bool is_seen_running : {false, true}) {
    Searching rank;
    rank.create(8);
    EXPECT_EQ(rank.load().growth, 1);
    for (int i = 0; i < 100; ++i) {
      rank.run(true, is_seen_running);
      rank.create(1);
    }
    // 100 have run and there were 8 at first, so that 92 more are expected of the 8 that wait.
    EXPECT_DOUBLE_EQ(rank.load().growth, 1 + 92 / 8.0);
    EXPECT_DOUBLE_EQ(rank.load().total(), 100);
    // The oldest object is expected to create them.
    EXPECT_EQ(rank.serials_in_order().front(), 1U);
    double size = 0;
    rank.table.for_each_movable(1e9, 1, [&](const ObjectLoad& object) {
      size = object.seconds;
      return false;
    });
    EXPECT_DOUBLE_EQ(size, 12.5);
  }
}

TEST(B6Growth, a_program_that_creates_all_its_objects_at_once_brings_no_more) {
  for (const bool newest : {false, true}) {
    Searching rank;
    rank.create(100);
    for (int left = 100; left > 0; --left) {
      EXPECT_EQ(rank.load().growth, 1);
      EXPECT_DOUBLE_EQ(rank.load().total(), left);
      rank.run(newest);
    }
  }
}

TEST(B6Growth, what_runs_without_another_waiting_is_forgotten) {
  Searching rank;
  for (int i = 0; i < 100; ++i) {
    rank.create(1);
    (void)rank.load();
    rank.run(true);
    (void)rank.load();
  }
  rank.create(2);
  EXPECT_EQ(rank.load().growth, 1);
}

TEST(B6Growth, objects_that_have_run_come_with_work_of_their_own) {
  KnownObjects objects;
  LoadTable table(1, objects, Rank(0));
  mobile::Record waits;
  waits.pending_calls = 1;
  waits.pending_seconds = 1;
  for (int step = 0; step < 10; ++step) {
    for (std::uint64_t i = 1; i <= 4; ++i) {
      const ObjectId id(Rank(0), i);
      waits.phase_seconds = step;
      objects.set(id, waits);
      table.changed(id);
      EXPECT_EQ(table.load(Instant(0)).growth, 1);
      objects.start(id, 1, 1, Instant(0));
      table.changed(id);
      EXPECT_EQ(table.load(Instant(0)).growth, 1);
    }
  }
}

TEST(B6Growth, objects_of_the_same_size_go_newest_first_while_nothing_comes_of_them) {
  Searching rank;
  rank.create(5);
  EXPECT_EQ(rank.serials_in_order(), (std::vector<std::uint64_t>{5, 4, 3, 2, 1}));
  for (int i = 0; i < 20; ++i) {
    rank.run(true);
    rank.create(1);
  }
  EXPECT_EQ(rank.serials_in_order(), (std::vector<std::uint64_t>{1, 2, 3, 4, 25}));
}

TEST(B6Growth, what_comes_from_another_rank_brings_as_much_as_there) {
  Growth growth;
  growth.waits(4, 0, false);
  growth.came(25);
  EXPECT_DOUBLE_EQ(growth.times(), 25);
  for (int i = 0; i < 48; ++i) growth.began();
  growth.waits(4, 4, true);
  EXPECT_DOUBLE_EQ(growth.times(), 13);  // half of them have come
  for (int i = 0; i < 100; ++i) growth.began();
  EXPECT_DOUBLE_EQ(growth.times(), 37);  // more than was announced
}

TEST(B6Growth, the_only_object_from_another_rank_keeps_it_while_it_runs) {
  Growth growth;
  growth.waits(0, 0, true);
  growth.came(101);
  growth.began();
  growth.waits(0, 0, true);
  growth.waits(3, 3, false);
  EXPECT_DOUBLE_EQ(growth.times(), 1 + 99 / 3.0);
  growth.waits(0, 0, false);  // all work is done
  growth.waits(3, 3, false);
  EXPECT_EQ(growth.times(), 1);
}

}  // namespace
}  // namespace roam::balance::growth_test
