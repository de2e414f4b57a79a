// SPDX-License-Identifier: Apache-2.0
// B3: which objects are given, how many, and which are not.
#include "roam/balance/transfer.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "known_objects.hpp"
#include "roam/core/error.hpp"

namespace roam::balance::transfer_test {
namespace {

/// A host for tests, on which migrations always succeed.
class FakeHost final : public PolicyHost {
 public:
  explicit FakeHost(WorkerIndex workers = 1)
      : workers_(workers), table_(workers, objects_, Rank(0)) {}

  /// Adds an object with that much work; `running`: a handler has just begun.
  void add(double seconds, bool running = false, std::int64_t arrived_ns = -1,
           double run_seconds = 0) {
    mobile::Record record;
    record.phase_seconds = run_seconds;
    record.pending_calls = 1;
    record.pending_seconds = seconds;
    record.last_move_ns = arrived_ns;
    const ObjectId id(Rank(0), ++serial_);
    objects_.set(id, record);
    if (running) objects_.start(id, seconds, 1, now_);
    table_.changed(id);
  }
  /// Creates further objects, one after the other, that run before those that wait.
  void search(double seconds, int objects) {
    for (int i = 0; i < objects; ++i) {
      add(seconds);
      const ObjectId id(Rank(0), serial_);
      objects_.leave(id);
      table_.changed(id);
      (void)table_.load(now_);
    }
  }
  std::vector<double> given() const {
    std::vector<double> sizes;
    for (const Decision& decision : decisions) sizes.push_back(decision.load_seconds);
    return sizes;
  }

  Rank rank() const override { return 0; }
  std::int32_t size() const override { return 2; }
  WorkerIndex workers() const override { return workers_; }
  Instant now() const override { return now_; }
  core::Random& random() override { return random_; }
  void send(Rank, core::Packer&&) override {}
  core::Packer message() override { return core::Packer(core::Buffer::allocate(64)); }
  RankLoad load() override {
    RankLoad load = table_.load(now_);
    load.phase_seconds = phase_seconds;
    load.observed_seconds = observed_seconds;
    load.idle_part = idle_part;
    load.was_interrupted = was_interrupted ? 1 : 0;
    load.cycle_seconds = cycle_seconds;
    load.busy_part = busy_part;
    load.cycles_observed_seconds = cycles_observed_seconds;
    return load;
  }
  void for_each_movable(double limit, double rate,
                        const std::function<bool(const ObjectLoad&)>& visit) override {
    table_.for_each_movable(limit, rate, visit);
  }
  void for_each_movable_above(double limit, double rate,
                              const std::function<bool(const ObjectLoad&)>& visit) override {
    table_.for_each_movable_above(limit, rate, visit);
  }
  double move_seconds(std::uint64_t) const override { return cost; }
  double extra_move_seconds(std::uint64_t) const override { return extra < 0 ? cost : extra; }
  double round_trip_seconds() const override { return cost; }
  std::vector<ObjectId> migrate_together(std::vector<Decision> together) override {
    ++messages;
    return PolicyHost::migrate_together(std::move(together));
  }
  void gave_nothing(double gain, double its_cost) override {
    refused_gain = gain;
    refused_cost = its_cost;
  }
  bool migrate(Decision decision) override {
    objects_.leave(decision.object);
    table_.changed(decision.object);
    decisions.push_back(std::move(decision));
    return true;
  }

  double cost = 1e-3;
  double extra = -1;  // cost of further objects in a message; negative: that of the first
  int messages = 0;
  double refused_gain = 0;
  double refused_cost = 0;
  double phase_seconds = 0;
  double observed_seconds = 0;
  double idle_part = 0;
  bool was_interrupted = false;
  double cycle_seconds = 0;
  double busy_part = 0;
  double cycles_observed_seconds = 0;
  std::vector<Decision> decisions;

 private:
  WorkerIndex workers_;
  KnownObjects objects_;
  LoadTable table_;
  core::Random random_{1};
  Instant now_{std::chrono::seconds(1000)};
  std::uint64_t serial_ = 0;
};

WorkRequest idle_rank(WorkerIndex workers = 1) {
  RankLoad load;
  load.workers = workers;
  return {Rank(1), load, 1e9, workers};
}

TEST(B3Transfer, gives_half_the_difference_largest_first) {
  FakeHost host;
  host.add(2, true);
  for (const double seconds : {1, 2, 3, 4}) host.add(seconds);
  const Transfer given = give(host, idle_rank(), "test");
  EXPECT_EQ(host.given(), (std::vector<double>{4, 2}));
  EXPECT_EQ(given.objects, 2U);
  EXPECT_DOUBLE_EQ(given.seconds, 6);
}

TEST(B3Transfer, gives_small_objects_of_which_many_more_have_come) {
  FakeHost host;
  host.cost = 60e-6;
  host.add(2e-6, true);
  for (int i = 0; i < 4; ++i) host.add(2e-6);
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 0U);  // 8 us wait, and a move takes 60
  host.search(2e-6, 1000);
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 2U);
  EXPECT_EQ(host.decisions.front().object.serial(), 2U);  // the oldest that waits
}

TEST(B3Transfer, gives_no_more_than_was_asked_for) {
  FakeHost host;
  host.add(1, true);
  for (int i = 0; i < 20; ++i) host.add(1);
  WorkRequest request = idle_rank();
  request.want_seconds = 3.5;
  EXPECT_EQ(give(host, request, "test").objects, 3U);
}

TEST(B3Transfer, gives_one_large_object_if_the_makespan_shrinks) {
  FakeHost host;
  host.add(4, true);
  host.add(10);
  give(host, idle_rank(), "test");
  EXPECT_EQ(host.given(), std::vector<double>{10});  // ends at 10 instead of 14
}

TEST(B3Transfer, of_too_large_objects_gives_the_smallest) {
  FakeHost host;
  host.add(1, true);
  host.add(10);
  host.add(8);
  give(host, idle_rank(), "test");
  EXPECT_EQ(host.given(), std::vector<double>{8});
}

TEST(B3Transfer, keeps_the_only_object_and_what_a_worker_is_about_to_take) {
  FakeHost alone;
  alone.add(10);
  EXPECT_EQ(give(alone, idle_rank(), "test").objects, 0U);
  FakeHost two_workers(2);
  two_workers.add(10, true);
  two_workers.add(10);
  EXPECT_EQ(give(two_workers, idle_rank(), "test").objects, 0U);
}

TEST(B3Transfer, nothing_moves_when_the_cost_exceeds_the_gain) {
  FakeHost host;
  host.add(2, true);
  for (int i = 0; i < 4; ++i) host.add(1);
  host.cost = 5.5;
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 0U);
  // Moving an object whose work is less than its cost does not help, however long the queue.
  FakeHost small;
  small.cost = 1e-3;
  for (int i = 0; i < 1000; ++i) small.add(1e-4);
  EXPECT_EQ(give(small, idle_rank(), "test").objects, 0U);
}

/// Adds objects of 17 us, with a message cost of 61 us.
void add_small_objects(FakeHost& host, int count, double extra) {
  host.cost = 61e-6;
  host.extra = extra;
  for (int i = 0; i < count; ++i) host.add(17e-6, i == 0);
}

TEST(B3Transfer, small_objects_move_together_if_all_gain_more_than_their_message_costs) {
  FakeHost host;
  add_small_objects(host, 1001, 1e-6);
  const Transfer given = give(host, idle_rank(), "test");
  EXPECT_EQ(given.objects, 500U);
  EXPECT_EQ(host.messages, 1);
  double gain = 0;
  double cost = 0;
  for (const Decision& decision : host.decisions) {
    EXPECT_GT(decision.gain_seconds, decision.cost_seconds);
    gain += decision.gain_seconds;
    cost += decision.cost_seconds;
  }
  EXPECT_NEAR(cost, 60e-6 + 500 * 1e-6, 1e-9);
  EXPECT_NEAR(gain, 500 * 17e-6, 17e-6);
}

TEST(B3Transfer, too_few_small_objects_stay_and_it_is_said_why) {
  FakeHost host;
  add_small_objects(host, 7, 1e-6);
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 0U);
  EXPECT_NEAR(host.refused_gain, 3 * 17e-6, 1e-9);
  EXPECT_NEAR(host.refused_cost, 60e-6 + 3 * 1e-6, 1e-9);
}

TEST(B3Transfer, each_object_has_to_gain_more_than_it_adds_to_the_cost) {
  FakeHost host;
  add_small_objects(host, 1001, 18e-6);
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 0U);
  EXPECT_NEAR(host.refused_gain, 17e-6, 1e-9);
  EXPECT_NEAR(host.refused_cost, 61e-6, 1e-9);
}

TEST(B3Transfer, large_and_small_objects_go_together_largest_first) {
  FakeHost host;
  host.extra = 1e-6;
  host.add(0.02, true);
  for (const double seconds : {0.01, 0.03, 0.002}) host.add(seconds);
  for (int i = 0; i < 2000; ++i) host.add(17e-6);
  const Transfer given = give(host, idle_rank(), "test");
  EXPECT_EQ(host.messages, 1);
  EXPECT_GT(given.objects, 300U);
  ASSERT_GE(host.given().size(), 2U);
  EXPECT_DOUBLE_EQ(host.given()[0], 0.03);
  EXPECT_DOUBLE_EQ(host.given()[1], 0.01);
  EXPECT_NEAR(given.seconds, 0.048, 1e-3);
}

TEST(B3Transfer, nothing_moves_between_equals) {
  FakeHost host;
  for (int i = 0; i < 4; ++i) host.add(1, i == 0);
  WorkRequest request = idle_rank();
  request.load = host.load();
  EXPECT_EQ(give(host, request, "test").objects, 0U);
}

TEST(B3Transfer, an_object_that_has_just_arrived_stays_unless_it_gains_much) {
  FakeHost host;
  host.cost = 1;
  const std::int64_t just_now = host.now().count() - 1000;
  host.add(2, true);
  host.add(2.5, false, just_now);
  EXPECT_EQ(give(host, idle_rank(), "test").objects, 0U);
  FakeHost settled;
  settled.cost = 1;
  settled.add(2, true);
  settled.add(2.5, false, 0);
  EXPECT_EQ(give(settled, idle_rank(), "test").objects, 1U);
}

/// Objects of an iterative program that have run for 1/`objects` of 10 s each. The other rank has
/// nothing left to do in this step and was idle for `idle_part` of the last `observed` seconds.
std::size_t given_of_iterative(int objects, double idle_part, double observed,
                               bool interrupted = false) {
  FakeHost host;
  host.was_interrupted = interrupted;
  host.phase_seconds = 10;
  host.observed_seconds = observed;
  for (int i = 0; i < objects; ++i) host.add(0.01, i == 0, -1, 10.0 / objects);
  WorkRequest request = idle_rank();
  request.load.observed_seconds = observed;
  request.load.idle_part = idle_part;
  static_cast<void>(give(host, request, "test"));
  return host.decisions.size();
}

TEST(B2Transfer, objects_of_iterative_programs_move_for_good_and_no_further) {
  EXPECT_EQ(given_of_iterative(32, 0.0 / 32, 2), 0U);
  EXPECT_EQ(given_of_iterative(32, 1.0 / 32, 2), 0U);  // one more than there
  EXPECT_EQ(given_of_iterative(32, 2.0 / 32, 2), 1U);
  EXPECT_EQ(given_of_iterative(32, 4.0 / 32, 2), 2U);
  EXPECT_EQ(given_of_iterative(32, 8.0 / 32, 2), 4U);
}

TEST(B2Transfer, who_has_waited_for_an_interrupted_rank_is_not_idle_for_good) {
  EXPECT_EQ(given_of_iterative(32, 0.5, 2, true), 0U);
  EXPECT_GT(given_of_iterative(32, 0.5, 2, false), 0U);
}

/// Objects of 10 ms each on a rank whose work has come in cycles of 0.1 s.
std::size_t given_in_cycles(int objects, double run_seconds) {
  FakeHost host;
  host.cycle_seconds = 0.1;
  for (int i = 0; i < objects; ++i) host.add(0.01, i == 0, -1, run_seconds);
  static_cast<void>(give(host, idle_rank(), "test"));
  return host.decisions.size();
}

TEST(B2Transfer, in_cycles_only_what_has_run_may_come_again_in_the_next) {
  EXPECT_EQ(given_in_cycles(4, 1), 0U);
  EXPECT_GE(given_in_cycles(4, 0), 1U);
}

TEST(B2Transfer, what_waits_for_several_cycles_is_not_that_of_one) {
  EXPECT_EQ(given_in_cycles(3, 1), 0U);
  EXPECT_GE(given_in_cycles(50, 1), 10U);
}

/// Objects that have `left` seconds of the 10 ms of a cycle to do, four of them, on a rank that is
/// busy for .9 of cycles of 0.1 s. The other is for `busy_there`. Both have been observed since an
/// object came or left, `observed` here and `observed_there` there.
std::size_t given_where_busy(double busy_there, double observed, double observed_there,
                             double left = 0.01) {
  FakeHost host;
  host.cost = 1e-6;
  host.cycle_seconds = 0.1;
  host.busy_part = 0.9;
  host.cycles_observed_seconds = observed;
  host.phase_seconds = 10;
  for (int i = 0; i < 4; ++i) host.add(left, i == 0, -1, 1);
  WorkRequest request = idle_rank();
  request.load.cycle_seconds = 0.1;
  request.load.busy_part = busy_there;
  request.load.cycles_observed_seconds = observed_there;
  static_cast<void>(give(host, request, "test"));
  return host.decisions.size();
}

TEST(B2Transfer, cycles_before_an_object_came_or_left_are_no_reason_to_move_another) {
  EXPECT_EQ(given_where_busy(0.5, 0.8, 0), 0U);
  EXPECT_EQ(given_where_busy(0.5, 0, 0.8), 0U);
  EXPECT_GE(given_where_busy(0.5, 0.1, 0.1), 1U);
  // The smaller the difference, the longer it has to last.
  EXPECT_EQ(given_where_busy(0.74, 0.2, 0.8), 0U);
  EXPECT_GE(given_where_busy(0.74, 0.4, 0.8), 1U);
}

TEST(B2Transfer, what_an_interruption_can_have_caused_is_no_reason_to_move_for_good) {
  // 20 ms are a third of what has been seen, and a tenth.
  EXPECT_EQ(given_where_busy(0.55, 0.06, 0.06), 0U);
  EXPECT_GE(given_where_busy(0.55, 0.2, 0.2), 1U);
}

TEST(B2Transfer, an_object_that_is_nearly_done_brings_its_whole_work_in_the_next_cycle) {
  EXPECT_EQ(given_where_busy(0.8, 0.8, 0.8, 0.001), 0U);
  EXPECT_EQ(given_where_busy(0.7, 0.8, 0.8, 0.001), 1U);
}

TEST(B2Transfer, small_differences_have_to_last) {
  EXPECT_EQ(given_of_iterative(32, 0.5, 0.01), 0U);
  EXPECT_GT(given_of_iterative(32, 0.5, 0.02), 0U);
  EXPECT_EQ(given_of_iterative(32, 0.125, 0.1), 0U);
  EXPECT_GT(given_of_iterative(32, 0.125, 0.3), 0U);
}

TEST(B3Transfer, serves_every_idle_worker_of_a_large_rank) {
  FakeHost host(4);
  for (int i = 0; i < 4; ++i) host.add(10, true);
  for (int i = 0; i < 12; ++i) host.add(10);
  WorkRequest request = idle_rank(4);
  request.want_seconds = 0.5;  // little, since it is needed soon, but all four workers lack work
  EXPECT_EQ(give(host, request, "test").objects, 4U);
}

TEST(B3Transfer, decisions_carry_gain_and_cost) {
  FakeHost host;
  host.add(4, true);
  host.add(3);
  give(host, idle_rank(), "why");
  ASSERT_EQ(host.decisions.size(), 1U);
  const Decision& decision = host.decisions[0];
  EXPECT_EQ(decision.to, Rank(1));
  EXPECT_TRUE(decision.reason.starts_with("why: work left per worker")) << decision.reason;
  EXPECT_DOUBLE_EQ(decision.cost_seconds, host.cost);
  EXPECT_GT(decision.gain_seconds, decision.cost_seconds);
}

TEST(Transfer, loads_from_peers_are_checked) {
  RankLoad load;
  EXPECT_NO_THROW(check_load(load));
  load.seconds = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(check_load(load), MalformedMessage);
  load.seconds = -1;
  EXPECT_THROW(check_load(load), MalformedMessage);
  load = {};
  load.workers = 0;
  EXPECT_THROW(check_load(load), MalformedMessage);
}

}  // namespace
}  // namespace roam::balance::transfer_test
