// SPDX-License-Identifier: Apache-2.0
// M10: operations on collections that are issued in an epoch are work of that epoch, on all ranks
// and elements, and so is what they cause.
#include <gtest/gtest.h>

#include <vector>

#include "epoch_ledger.hpp"
#include "roam/roam.hpp"

namespace collection_epochs {

using roam::epoch_tests::Ledger;

/// A value of a sum; it may check in which epoch it is combined.
struct Share {
  roam::Epoch epoch;
  std::int64_t number = 0;
};
Share both(const Share& a, const Share& b);

struct Cell {
  roam::Index<2> place;
  Cell() = default;
  explicit Cell(const roam::Index<2>& index) : place(index) {}
  Cell(const roam::Index<2>& index, roam::Epoch epoch);  // handler of a creation
  void work(roam::Epoch epoch, std::uint32_t depth);
  roam::Task<> work_slowly(roam::Epoch epoch, std::uint32_t depth);
  [[nodiscard]] Share share(roam::Epoch epoch);
  void give(roam::collection<Cell, 2> grid, roam::Epoch epoch, std::uint64_t phase);
  [[nodiscard]] std::int64_t number() const { return 10 * place[0] + place[1] + 1; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place);
  }
};
using Grid = roam::collection<Cell, 2>;

struct Guest {
  void work(roam::Epoch epoch, std::uint32_t depth);
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};
using Guests = roam::sparse_collection<Guest, std::uint32_t>;
constexpr std::uint32_t guest_count = 6;

struct World {
  explicit World(std::uint64_t seed) : ledger(seed) {}
  Ledger ledger;
  Grid grid;
  Guests guests;
  std::uint64_t next_phase = 0;

  [[nodiscard]] roam::Index<2> some_place() {
    return {ledger.random.below(static_cast<std::uint64_t>(grid.extent()[0])),
            ledger.random.below(static_cast<std::uint64_t>(grid.extent()[1]))};
  }
  [[nodiscard]] std::int64_t sum() const {
    std::int64_t numbers = 0;
    for (std::int64_t i = 0; i < grid.extent()[0]; ++i) {
      for (std::int64_t j = 0; j < grid.extent()[1]; ++j) numbers += 10 * i + j + 1;
    }
    return numbers;
  }
};
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

void cause_one(roam::Epoch epoch, std::uint32_t depth);
std::int64_t echo(std::int64_t number) { return number; }

// One handler in six causes another one, or several on all elements.
void run_one(roam::Epoch epoch, std::uint32_t depth) {
  Ledger& ledger = world->ledger;
  roam::here().compute(roam::Duration(ledger.random.below(2000)));
  if (depth > 0 && ledger.random.below(6) == 0) cause_one(epoch, depth - 1);
  ledger.done(epoch);
}

Share both(const Share& a, const Share& b) {
  world->ledger.goes_on(a.epoch);
  world->ledger.check(a.epoch == b.epoch, "M10: values of two epochs met");
  return {a.epoch, a.number + b.number};
}
Cell::Cell(const roam::Index<2>& index, roam::Epoch epoch) : place(index) { run_one(epoch, 1); }
void Cell::work(roam::Epoch epoch, std::uint32_t depth) { run_one(epoch, depth); }
roam::Task<> Cell::work_slowly(roam::Epoch epoch, std::uint32_t depth) {
  static_cast<void>(co_await roam::here().request<&echo>(world->ledger.some_rank(), number()));
  run_one(epoch, depth);  // still in the epoch
}
Share Cell::share(roam::Epoch epoch) {
  run_one(epoch, 0);
  return {epoch, number()};
}
void Cell::give(Grid grid, roam::Epoch epoch, std::uint64_t phase) {
  run_one(epoch, 0);
  grid.contribute<&both>(place, phase, Share{epoch, number()});
}
void Guest::work(roam::Epoch epoch, std::uint32_t depth) { run_one(epoch, depth); }

// Runs on some rank, as work of an epoch, and may or may not await an operation.
void broadcast_on_rank(roam::Epoch epoch, std::uint32_t depth) {
  world->ledger.issue(epoch, world->grid.size());
  world->grid.broadcast<&Cell::work>(epoch, depth);
  run_one(epoch, depth);
}
roam::Task<> phase_on_rank(roam::Epoch epoch, std::uint32_t depth) {
  world->ledger.issue(epoch, world->grid.size());
  co_await world->grid.for_all<&Cell::work>(epoch, depth);
  run_one(epoch, depth);
}
roam::Task<> sum_on_rank(roam::Epoch epoch) {
  world->ledger.issue(epoch, world->grid.size());
  const Share all = co_await world->grid.reduce<&Cell::share, &both>(epoch);
  world->ledger.check(all.number == world->sum(), "M11: a wrong sum");
  run_one(epoch, 0);
}
roam::Task<> contributions_on_rank(roam::Epoch epoch) {
  const std::uint64_t phase = world->next_phase++;
  world->ledger.issue(epoch, world->grid.size());
  world->grid.broadcast<&Cell::give>(world->grid, epoch, phase);
  const Share all = co_await world->grid.reduction<&both, Share>(phase);
  world->ledger.check(all.number == world->sum(), "M11: a wrong sum of contributions");
  run_one(epoch, 0);
}
roam::Task<> creation_on_rank(roam::Epoch epoch) {
  world->ledger.issue(epoch, 9);
  const auto grid = co_await roam::here().create_collection<Cell>(roam::Index<2>{3, 3},
                                                                  roam::Placement::block(), epoch);
  world->ledger.issue(epoch, 9);
  grid.broadcast<&Cell::work>(epoch, 0U);
  static_cast<void>(grid.destroy());
  run_one(epoch, 0);
}

// Issues handlers of a random kind. Their epoch is that of the calling code.
void cause_one(roam::Epoch epoch, std::uint32_t depth) {
  const Grid& grid = world->grid;
  Ledger& ledger = world->ledger;
  roam::Runtime& rt = roam::here();
  switch (ledger.random.below(12)) {
    case 0: {
      const std::vector<roam::Index<2>> list{{0, 1}, {2, 2}, {1, 0}};
      ledger.issue(epoch, list.size());
      return grid.section(list).broadcast<&Cell::work_slowly>(epoch, depth);
    }
    case 1:
      ledger.issue(epoch, 4);
      return grid.section(roam::Box<2>{{1, 1}, {3, 3}}).broadcast<&Cell::work>(epoch, depth);
    case 2:
      ledger.issue(epoch, grid.size());
      return static_cast<void>(grid.for_all<&Cell::work>(epoch, depth));  // nobody awaits it
    case 3:
      ledger.issue(epoch);
      return rt.send<&broadcast_on_rank>(ledger.some_rank(), epoch, depth);
    case 4:
      ledger.issue(epoch);
      return rt.send<&phase_on_rank>(ledger.some_rank(), epoch, depth);
    case 5:
      ledger.issue(epoch);
      return rt.send<&sum_on_rank>(ledger.some_rank(), epoch);
    case 6:
      ledger.issue(epoch);
      return rt.send<&contributions_on_rank>(ledger.some_rank(), epoch);
    case 7:
      ledger.issue(epoch);
      return rt.send<&creation_on_rank>(ledger.some_rank(), epoch);
    case 8: {
      ledger.issue(epoch);
      const roam::mobile_ptr<Cell> cell = grid[world->some_place()];
      cell.migrate(ledger.some_rank());
      return cell.send<&Cell::work_slowly>(epoch, depth);
    }
    case 9:
      ledger.issue(epoch, guest_count);
      return world->guests.broadcast<&Guest::work>(epoch, depth);
    default:
      ledger.issue(epoch, grid.size());
      return grid.broadcast<&Cell::work>(epoch, depth);
  }
}

roam::Task<> program(roam::Runtime& rt) {
  Ledger& ledger = world->ledger;
  if (rt.rank() == 1) {
    world->grid =
        co_await rt.create_collection<Cell>(roam::Index<2>{3, 4}, roam::Placement::cyclic());
    world->guests = co_await rt.create_sparse_collection<Guest, std::uint32_t>();
    for (std::uint32_t key = 0; key < guest_count; ++key)
      static_cast<void>(co_await world->guests.insert(key));
  }
  co_await rt.quiescence();
  for (int round = 0; round < 2; ++round) {
    const roam::Epoch one = ledger.begin();
    const roam::Epoch two = ledger.begin();
    for (int i = 0; i < 2; ++i) {
      rt.in_epoch(one, [&] { cause_one(one, 2); });
      rt.in_epoch(two, [&] { cause_one(two, 1); });
      rt.in_epoch(roam::Epoch(), [&] { cause_one(roam::Epoch(), 0); });
    }
    co_await rt.finished(two);
    ledger.over(two);
    co_await rt.finished(one);
    ledger.over(one);
  }
  co_await rt.quiescence();
  ledger.check_end(rt);
}

roam::epoch_tests::Outcome simulate(std::uint64_t seed) {
  World this_world(seed);
  world = &this_world;
  roam::SimulatedJob job(roam::epoch_tests::schedule(seed));
  return run_disturbed(job, this_world.ledger, &program,
                       {.most_events = 1'000'000,
                        .most_moves = 300,
                        .one_event_in = 6,
                        .some_object = [&this_world] {
                          if (!this_world.grid) return roam::ObjectId();
                          return this_world.grid[this_world.some_place()].id();
                        }});
}

}  // namespace collection_epochs

class CollectionEpochs : public ::testing::TestWithParam<int> {};

TEST_P(CollectionEpochs, M10_end_when_their_operations_have_ended_on_all_elements) {
  constexpr std::uint64_t seeds = 75;
  const auto all = roam::epoch_tests::simulate_all(GetParam(), seeds, &collection_epochs::simulate);
  EXPECT_GT(all.moves, seeds * 50);
}
INSTANTIATE_TEST_SUITE_P(SixHundredSeeds, CollectionEpochs, ::testing::Range(0, 8));

namespace {

struct Block {
  static inline int steps = 0;
  void step(int more) {
    ++steps;
    if (more > 0) roam::here().send<&on_rank>(3);
  }
  static void on_rank() { ++steps; }
  template <class Archive>
  void serialize(Archive& /*archive*/) {}
};

}  // namespace

TEST(EpochOfCollections, M10_a_broadcast_has_reached_every_element_when_its_epoch_is_over) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    roam::SimulatedJob job(roam::epoch_tests::schedule(seed));
    ASSERT_TRUE(job.run([](roam::Runtime& rt) -> roam::Task<> {
      if (rt.rank() != 2) co_return;
      const auto blocks =
          co_await rt.create_collection<Block>(roam::Index<1>{20}, roam::Placement::block());
      Block::steps = 0;
      co_await rt.run_epoch([&] { blocks.broadcast<&Block::step>(0); });
      EXPECT_EQ(Block::steps, 20);
      co_await rt.run_epoch([&] { static_cast<void>(blocks.for_all<&Block::step>(1)); });
      EXPECT_EQ(Block::steps, 60) << "with what the elements have caused";
      EXPECT_EQ(rt.messenger().epochs().size(), 0U);
    })) << "seed "
        << seed << ": " << job.error();
  }
}

TEST(EpochOfCollections, M10_an_operation_on_a_collection_that_is_gone_lets_its_epoch_end) {
  roam::SimulatedJob job(roam::epoch_tests::schedule(1));
  int dead = 0;
  for (std::int32_t r = 0; r < roam::epoch_tests::rank_count; ++r)
    job.runtime(r).on_dead_letter([&dead](const std::string&) { ++dead; });
  ASSERT_TRUE(job.run([&dead](roam::Runtime& rt) -> roam::Task<> {
    if (rt.rank() != 2) co_return;
    const auto blocks =
        co_await rt.create_collection<Block>(roam::Index<1>{20}, roam::Placement::block());
    co_await blocks.destroy();
    co_await rt.run_epoch([&] { blocks.broadcast<&Block::step>(0); });
    EXPECT_EQ(dead, 1);
  })) << job.error();
  for (std::int32_t r = 0; r < roam::epoch_tests::rank_count; ++r)
    EXPECT_EQ(job.runtime(r).messenger().epochs().size(), 0U);
}
