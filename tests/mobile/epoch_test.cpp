// SPDX-License-Identifier: Apache-2.0
// M10: an epoch ends when all its work has ended, no earlier, and does end although other work goes
// on.
#include <gtest/gtest.h>

#include <unordered_map>
#include <vector>

#include "roam/core/random.hpp"
#include "support/simulated.hpp"

namespace {

constexpr std::int32_t rank_count = 4;
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

/// What a test keeps of an epoch beside the runtime: how many handlers have been issued for it and
/// have not returned.
struct Ledger {
  std::uint64_t issued = 0;
  std::uint64_t done = 0;
  bool is_over = false;
  roam::Epoch outer;  // whose work began it
};

struct World {
  explicit World(std::uint64_t seed) : random(seed) {}
  roam::core::Random random;
  std::vector<roam::mobile_ptr<Site>> cells = std::vector<roam::mobile_ptr<Site>>(cell_count);
  std::unordered_map<std::uint64_t, Ledger> ledgers;
  std::vector<std::string> violations;
  std::uint64_t epochs_begun = 0;
  std::uint64_t ended_while_others_went_on = 0;
  bool is_endless_work_told_to_stop = false;

  void check(bool condition, const std::string& text) {
    if (!condition && violations.size() < 5) violations.push_back(text);
  }
  void issue(roam::Epoch epoch) {
    if (!epoch) return;
    Ledger& ledger = ledgers[epoch.value()];
    check(!ledger.is_over, "M10: work is issued for an epoch that is over");
    ++ledger.issued;
  }
  void done(roam::Epoch epoch) {
    if (!epoch) return;
    Ledger& ledger = ledgers[epoch.value()];
    check(!ledger.is_over, "M10: an epoch was over while its work went on");
    ++ledger.done;
  }
  void over(roam::Epoch epoch) {
    Ledger& ledger = ledgers[epoch.value()];
    ledger.is_over = true;
    check(ledger.issued == ledger.done, "M10: an epoch is over with " +
                                            std::to_string(ledger.issued - ledger.done) +
                                            " handlers left");
    for (const auto& [other, state] : ledgers) {
      if (state.outer == epoch && other != epoch.value())
        check(state.is_over || state.issued == state.done,
              "M10: an epoch is over before one that its work began");
      if (other != epoch.value() && state.issued != state.done) ++ended_while_others_went_on;
    }
  }
  roam::mobile_ptr<Site> some_cell() { return cells[random.below(cell_count)]; }
  roam::Rank some_rank() { return static_cast<std::int32_t>(random.below(rank_count)); }
};
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

void cause_more(roam::Epoch epoch, std::uint32_t depth);

void take_a_while() { roam::here().compute(roam::Duration(world->random.below(2000))); }

void on_rank(roam::Epoch epoch, std::uint32_t depth) {
  take_a_while();
  cause_more(epoch, depth);
  world->done(epoch);
}
void on_rank_with_text(roam::Epoch epoch, std::uint32_t depth, std::string text) {
  world->check(text.size() > 3, "the arguments of a handler in an epoch have changed");
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
  world->check(cells.size() > 0, "M9: nothing gathered");
  on_rank(epoch, depth);
}

void Site::work(roam::Epoch epoch, std::uint32_t depth) { on_rank(epoch, depth); }
roam::Task<> Site::work_slowly(roam::Epoch epoch, std::uint32_t depth) {
  world->issue(epoch);
  auto reply = roam::here().request<&on_rank>(world->some_rank(), epoch, depth);
  co_await reply;
  on_rank(epoch, 0);
}

// Issues one handler of a kind drawn by chance. What this is called in decides its epoch.
void cause_one(roam::Epoch epoch, std::uint32_t depth) {
  roam::Runtime& rt = roam::here();
  world->issue(epoch);
  switch (world->random.below(10)) {
    case 0:
      return rt.send<&on_rank>(world->some_rank(), epoch, depth);
    case 1:
      return rt.send<&on_rank_with_text>(world->some_rank(), epoch, depth,
                                         std::string(4 + 40'000 * world->random.below(2), 'x'));
    case 2:
      return rt.send<&on_rank_slowly>(world->some_rank(), epoch, depth);
    case 3:
      return rt.send<&inner_epoch>(world->some_rank(), epoch, depth);
    case 4: {
      const std::vector<roam::mobile_ptr<Site>> cells{world->some_cell(), world->some_cell()};
      return rt.multicast<&on_all>(cells, epoch, depth);
    }
    case 5:
      world->some_cell().migrate(world->some_rank());
      return world->some_cell().send<&Site::work>(epoch, depth);
    case 6:
      return world->some_cell().send<&Site::work_slowly>(epoch, depth);
    case 7: {  // it may end far from here before all it has passed by know that it came
      const auto cell = rt.create<Site>();
      for (int moves = 0; moves < 3; ++moves) cell.migrate(world->some_rank());
      cell.send<&Site::work>(epoch, depth);
      cell.migrate(world->some_rank());
      return cell.destroy();
    }
    default:
      return world->some_cell().send<&Site::work>(epoch, depth);
  }
}

void cause_more(roam::Epoch epoch, std::uint32_t depth) {
  if (depth == 0) return;
  for (std::uint64_t n = world->random.below(3); n > 0; --n) cause_one(epoch, depth - 1);
}

roam::Epoch begin_epoch(roam::Epoch outer) {
  const roam::Epoch epoch = roam::here().begin_epoch();
  ++world->epochs_begun;
  world->ledgers[epoch.value()].outer = outer;
  return epoch;
}

// Begins an epoch in the work of another one, and may go before it ends.
roam::Task<> inner_epoch(roam::Epoch outer, std::uint32_t depth) {
  roam::Runtime& rt = roam::here();
  const roam::Epoch inner = begin_epoch(outer);
  for (int i = 0; i < 2; ++i) rt.in_epoch(inner, [&] { cause_one(inner, depth > 1 ? 1 : 0); });
  rt.in_epoch(roam::Epoch(), [&] { cause_one(roam::Epoch(), 0); });
  if (world->random.below(2) == 0) {
    co_await rt.finished(inner);
    world->over(inner);
  } else {
    rt.close_epoch(inner);
  }
  world->done(outer);
}

// Waits for an epoch of another rank.
roam::Task<> watch(roam::Epoch epoch) {
  roam::Runtime& rt = roam::here();
  co_await rt.finished(epoch);
  const Ledger& ledger = world->ledgers[epoch.value()];
  world->check(ledger.issued == ledger.done, "M10: another rank was told too early");
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
    const roam::Epoch one = begin_epoch({});
    const roam::Epoch two = begin_epoch({});
    for (int i = 0; i < 3; ++i) {
      rt.in_epoch(one, [&] { cause_one(one, 3); });
      rt.in_epoch(two, [&] { cause_one(two, 2); });
    }
    rt.send<&watch>(world->some_rank(), one);
    co_await rt.finished(two);
    world->over(two);
    co_await rt.finished(one);
    world->over(one);
    co_await rt.finished(one);  // it is over: at once
  }
  co_await rt.barrier();
  if (rt.rank() == 0) {
    world->check(!world->is_endless_work_told_to_stop, "M10: an endless epoch has ended");
    world->is_endless_work_told_to_stop = true;
    co_await rt.finished(endless);
  }
  co_await rt.quiescence();
  for (const auto& [epoch, ledger] : world->ledgers)
    world->check(ledger.issued == ledger.done, "M2: not every handler has run once");
  world->check(rt.messenger().epochs().size() == 0, "something is kept of epochs that are over");
  world->check(rt.messenger().stats().messages_rejected == 0, "a message was rejected");
}

roam::SimulatedJobOptions job_options(std::uint64_t seed) {
  roam::SimulatedJobOptions options =
      roam::testing::simulated(rank_count, seed, 1 + static_cast<std::uint32_t>(seed % 3));
  options.message_delay = roam::Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = roam::Duration(1 + seed % 2000);
  return options;
}

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t epochs = 0;
  std::uint64_t overlapping = 0;
};

Outcome simulate(std::uint64_t seed) {
  World this_world(seed);
  world = &this_world;
  roam::SimulatedJob job(job_options(seed));
  for (std::int32_t r = 0; r < rank_count; ++r) {
    job.runtime(r).objects().set_admission([](roam::ObjectId, std::uint64_t) {
      return world->random.below(8) == 0 ? std::string("no room today") : std::string();
    });
  }
  std::uint64_t moves_left = 60;
  job.set_interruption([&](std::uint64_t events) {
    if (events > 400'000) throw std::runtime_error("M10: the job does not come to its end");
    if (moves_left == 0 || this_world.random.below(8) != 0) return;
    const auto cell = this_world.some_cell();
    if (!cell) return;
    --moves_left;
    job.runtime(this_world.some_rank()).objects().migrate(cell.id(), this_world.some_rank());
  });
  try {
    if (!job.run(&program)) this_world.check(false, job.error());
  } catch (const std::runtime_error& error) {
    this_world.check(false, error.what());
  }
  return {this_world.violations, this_world.epochs_begun, this_world.ended_while_others_went_on};
}

}  // namespace

class Epochs : public ::testing::TestWithParam<int> {};

TEST_P(Epochs, M10_end_when_their_work_has_ended_under_random_delays_and_migrations) {
  constexpr std::uint64_t seeds = 250;
  const auto first = static_cast<std::uint64_t>(GetParam()) * seeds;
  std::uint64_t epochs = 0;
  std::uint64_t overlapping = 0;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    const Outcome outcome = simulate(seed);
    epochs += outcome.epochs;
    overlapping += outcome.overlapping;
    for (const auto& violation : outcome.violations)
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    if (HasFailure()) return;
  }
  EXPECT_GT(epochs, seeds * 16);
  EXPECT_GT(overlapping, seeds * 4);
}
INSTANTIATE_TEST_SUITE_P(ThousandSeeds, Epochs, ::testing::Range(0, 4));

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
