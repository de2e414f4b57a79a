// SPDX-License-Identifier: Apache-2.0
// M10: an epoch ends when all its work has ended, no earlier, and does end although other work goes
// on.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "epoch_ledger.hpp"

namespace epoch_test {

namespace {

using roam::epoch_tests::Ledger;
using roam::epoch_tests::rank_count;

constexpr std::uint32_t cell_count = 10;

struct Site {
  std::uint32_t index = 0;
  void work(roam::Epoch epoch, std::uint32_t depth);
  roam::Task<> work_slowly(roam::Epoch epoch, std::uint32_t depth);
  [[nodiscard]] std::uint32_t look() const { return index; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index);
  }
};

struct World {
  explicit World(std::uint64_t seed) : ledger(seed) {}
  Ledger ledger;
  std::vector<roam::mobile_ptr<Site>> cells = std::vector<roam::mobile_ptr<Site>>(cell_count);
  bool is_endless_work_told_to_stop = false;

  roam::mobile_ptr<Site> some_cell() { return cells[ledger.random.below(cell_count)]; }
};
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

void cause_more(roam::Epoch epoch, std::uint32_t depth);

void take_a_while() { roam::here().compute(roam::Duration(world->ledger.random.below(2000))); }

void on_rank(roam::Epoch epoch, std::uint32_t depth) {
  take_a_while();
  cause_more(epoch, depth);
  world->ledger.done(epoch);
}
void on_rank_with_text(roam::Epoch epoch, std::uint32_t depth, std::string text) {
  world->ledger.check(text.size() > 3, "the arguments of a handler in an epoch have changed");
  on_rank(epoch, depth);
}
roam::Task<> on_rank_slowly(roam::Epoch epoch, std::uint32_t depth) {
  const auto cell = world->some_cell();
  auto reply = cell.call<&Site::look>();
  static_cast<void>(co_await reply);
  on_rank(epoch, depth);  // still in the epoch
}
roam::Task<> inner_epoch(roam::Epoch outer, std::uint32_t depth);

void on_all(roam::Gathered<Site> cells, roam::Epoch epoch, std::uint32_t depth) {
  world->ledger.check(cells.size() > 0, "M9: nothing gathered");
  on_rank(epoch, depth);
}

void Site::work(roam::Epoch epoch, std::uint32_t depth) { on_rank(epoch, depth); }
roam::Task<> Site::work_slowly(roam::Epoch epoch, std::uint32_t depth) {
  world->ledger.issue(epoch);
  auto reply = roam::here().request<&on_rank>(world->ledger.some_rank(), epoch, depth);
  co_await reply;
  on_rank(epoch, 0);
}

// Issues one handler of a random kind. Its epoch is that of the calling code.
void cause_one(roam::Epoch epoch, std::uint32_t depth) {
  roam::Runtime& rt = roam::here();
  world->ledger.issue(epoch);
  switch (world->ledger.random.below(10)) {
    case 0:
      return rt.send<&on_rank>(world->ledger.some_rank(), epoch, depth);
    case 1:
      return rt.send<&on_rank_with_text>(
          world->ledger.some_rank(), epoch, depth,
          std::string(4 + 40'000 * world->ledger.random.below(2), 'x'));
    case 2:
      return rt.send<&on_rank_slowly>(world->ledger.some_rank(), epoch, depth);
    case 3:
      return rt.send<&inner_epoch>(world->ledger.some_rank(), epoch, depth);
    case 4: {
      const std::vector<roam::mobile_ptr<Site>> cells{world->some_cell(), world->some_cell()};
      return rt.multicast<&on_all>(cells, epoch, depth);
    }
    case 5:
      world->some_cell().migrate(world->ledger.some_rank());
      return world->some_cell().send<&Site::work>(epoch, depth);
    case 6:
      return world->some_cell().send<&Site::work_slowly>(epoch, depth);
    case 7: {  // it may end far away before all ranks that forwarded it know that it has arrived
      const auto cell = rt.create<Site>();
      for (int moves = 0; moves < 3; ++moves) cell.migrate(world->ledger.some_rank());
      cell.send<&Site::work>(epoch, depth);
      cell.migrate(world->ledger.some_rank());
      return cell.destroy();
    }
    default:
      return world->some_cell().send<&Site::work>(epoch, depth);
  }
}

void cause_more(roam::Epoch epoch, std::uint32_t depth) {
  if (depth == 0) return;
  for (std::uint64_t n = world->ledger.random.below(3); n > 0; --n) cause_one(epoch, depth - 1);
}

// Begins an epoch in the work of another one, and may return before it ends.
roam::Task<> inner_epoch(roam::Epoch outer, std::uint32_t depth) {
  roam::Runtime& rt = roam::here();
  const roam::Epoch inner = world->ledger.begin(outer);
  for (int i = 0; i < 2; ++i) rt.in_epoch(inner, [&] { cause_one(inner, depth > 1 ? 1 : 0); });
  rt.in_epoch(roam::Epoch(), [&] { cause_one(roam::Epoch(), 0); });
  if (world->ledger.random.below(2) == 0) {
    co_await rt.finished(inner);
    world->ledger.over(inner);
  } else {
    rt.close_epoch(inner);
  }
  world->ledger.done(outer);
}

// Waits for an epoch of another rank.
roam::Task<> watch(roam::Epoch epoch) {
  roam::Runtime& rt = roam::here();
  co_await rt.finished(epoch);
  world->ledger.check(world->ledger.is_done(epoch), "M10: another rank was told too early");
}

void work_without_end() {
  if (world->is_endless_work_told_to_stop) return;
  roam::Runtime& rt = roam::here();
  rt.compute(roam::Duration(500));
  rt.send<&work_without_end>((rt.rank().value() + 1) % rt.size());
}

roam::Task<> program(roam::Runtime& rt) {
  for (std::uint32_t i = 0; i < cell_count; ++i) {
    if (static_cast<std::int32_t>(i) % rank_count != rt.rank().value()) continue;
    world->cells[i] = rt.create<Site>(Site{i});
  }
  co_await rt.quiescence();
  roam::Epoch endless;
  if (rt.rank() == 0) {
    endless = rt.begin_epoch();
    rt.in_epoch(endless, [] { roam::here().send<&work_without_end>(1); });
  }
  for (int round = 0; round < 2; ++round) {
    const roam::Epoch one = world->ledger.begin();
    const roam::Epoch two = world->ledger.begin();
    for (int i = 0; i < 3; ++i) {
      rt.in_epoch(one, [&] { cause_one(one, 3); });
      rt.in_epoch(two, [&] { cause_one(two, 2); });
    }
    rt.send<&watch>(world->ledger.some_rank(), one);
    co_await rt.finished(two);
    world->ledger.over(two);
    co_await rt.finished(one);
    world->ledger.over(one);
    co_await rt.finished(one);  // it is over: at once
  }
  co_await rt.barrier();
  if (rt.rank() == 0) {
    world->ledger.check(!world->is_endless_work_told_to_stop, "M10: an endless epoch has ended");
    world->is_endless_work_told_to_stop = true;
    co_await rt.finished(endless);
  }
  co_await rt.quiescence();
  world->ledger.check_end(rt);
}

roam::epoch_tests::Outcome simulate(std::uint64_t seed) {
  World this_world(seed);
  world = &this_world;
  roam::SimulatedJob job(roam::epoch_tests::schedule(seed));
  return run_disturbed(
      job, this_world.ledger, &program,
      {.most_events = 400'000, .most_moves = 60, .one_event_in = 8, .some_object = [&this_world] {
         return this_world.some_cell().id();
       }});
}

}  // namespace

class Epochs : public ::testing::TestWithParam<int> {};

TEST_P(Epochs, M10_end_when_their_work_has_ended_under_random_delays_and_migrations) {
  constexpr std::uint64_t seeds = 125;
  const auto all = roam::epoch_tests::simulate_all(GetParam(), seeds, &simulate);
  EXPECT_GT(all.epochs, seeds * 16);
  EXPECT_GT(all.overlapping, seeds * 4);
}
INSTANTIATE_TEST_SUITE_P(ThousandSeeds, Epochs, ::testing::Range(0, 8));

namespace {

constexpr std::int32_t many_ranks = 1000;
roam::Instant last_work{0};  // of the simulation that runs now

void work_here() { last_work = roam::here().now(); }
void pass_on(std::int32_t hops) {
  work_here();
  roam::Runtime& rt = roam::here();
  if (hops > 0) rt.send<&pass_on>((rt.rank().value() + 1) % rt.size(), hops - 1);
}
void reach(std::int32_t next) { roam::here().send<&work_here>(next); }

}  // namespace

TEST(EpochCost, M10_only_ranks_on_the_way_to_the_root_hear_of_an_epoch) {
  roam::SimulatedJob job(roam::testing::simulated(many_ranks));
  ASSERT_TRUE(job.run([](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() == 5) co_await rt.run_epoch([&rt] { rt.send<&reach>(7, 300); });
  })) << job.error();
  std::uint64_t reports = 0;
  for (std::int32_t r = 0; r < many_ranks; ++r) {
    reports += job.runtime(r).messenger().epochs().reports_sent();
    EXPECT_EQ(job.runtime(r).messenger().epochs().size(), 0U) << "rank " << r;
  }
  EXPECT_GE(reports, 2U);  // of the two ranks that it touches
  EXPECT_LE(reports, 8U);  // from each of them four levels up at most
}

TEST(EpochCost, M10_the_end_of_a_long_chain_is_known_without_going_back_along_it) {
  roam::Duration chain{0};
  roam::Duration detection{0};
  roam::SimulatedJob job(roam::testing::simulated(many_ranks));
  ASSERT_TRUE(job.run([&](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 3) co_return;
    const roam::Instant begin = rt.now();
    co_await rt.run_epoch([&rt] { rt.send<&pass_on>(4, 900); });
    chain = last_work - begin;
    detection = rt.now() - last_work;
  })) << job.error();
  EXPECT_GT(chain, std::chrono::milliseconds(1));
  EXPECT_LT(detection, chain / 4);
}

}  // namespace epoch_test
