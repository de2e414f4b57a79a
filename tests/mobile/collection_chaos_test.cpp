// SPDX-License-Identifier: Apache-2.0
// Collections (M11) of 5 ranks in simulated schedules: elements move at random between any two
// events and are sometimes refused, messages are late or overtake each other, while all ranks
// broadcast, reduce, contribute, insert and erase. Checks that every operation reaches every
// element exactly once (M2), in one and the same order (M3), that reductions are right every time,
// and that keys mean what the ranks did with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/roam.hpp"
#include "support/simulated.hpp"

namespace collection_chaos {

constexpr std::int32_t rank_count = 5;
constexpr int rounds = 3;

struct World;
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

/// An operation as its issuer identifies it.
struct Stamp {
  std::int32_t rank = -1;
  std::int32_t number = -1;
  friend auto operator<=>(const Stamp&, const Stamp&) = default;
};

struct Cell {
  roam::Index<2> place;
  std::vector<Stamp> done;  // has to follow the element through all moves
  std::vector<std::int32_t> heard = std::vector<std::int32_t>(rank_count);  // by sender

  Cell() = default;
  explicit Cell(const roam::Index<2>& index) : place(index) {}
  void step(Stamp stamp);
  roam::Task<> step_slowly(Stamp stamp);
  [[nodiscard]] std::int64_t value(Stamp stamp) {
    step(stamp);
    return number();
  }
  [[nodiscard]] std::int64_t number() const { return 1000 * place[0] + place[1] + 1; }
  [[nodiscard]] double fraction() const;
  [[nodiscard]] std::string name() const { return to_string(place); }
  void give(roam::collection<Cell, 2> grid, std::uint64_t phase);
  void hear(Stamp stamp);
  void look() const;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, done, heard);
  }
};
using Grid = roam::collection<Cell, 2>;

/// The element of a key: it knows which of the key's objects it is, and what it was sent.
struct Guest {
  std::int32_t life = 0;
  std::int32_t next = 0;
  Guest() = default;
  explicit Guest(std::int32_t number) : life(number) {}
  void tell(std::int32_t of_life, std::int32_t number);
  [[nodiscard]] std::int64_t told() const { return next; }
};
using Guests = roam::sparse_collection<Guest, std::uint32_t>;

struct World {
  explicit World(std::uint64_t seed) : random(seed) {}
  roam::core::Random random;
  Grid grid;
  Guests guests;
  std::map<Stamp, std::set<std::int64_t>> ran;                         // where each operation ran
  std::map<std::int64_t, std::vector<Stamp>> order;                    // by element
  std::map<std::pair<std::int32_t, std::int64_t>, std::int32_t> said;  // by sender and element
  std::set<std::int64_t> erased;
  std::int64_t sent = 0;
  std::int64_t heard = 0;
  std::int64_t dead = 0;
  std::int64_t told = 0;
  std::vector<std::string> violations;

  void violation(const std::string& what) {
    if (violations.size() < 8) violations.push_back(what);
  }
  void compute(std::uint64_t most_ns) {
    if (random.below(2) == 0) roam::here().compute(roam::Duration(random.below(most_ns)));
  }
  [[nodiscard]] roam::Index<2> any_place() {
    const auto extent = grid.extent();
    if (random.below(2) != 0) return {1, random.below(2)};  // some move and are called all the time
    return {random.below(static_cast<std::uint64_t>(extent[0])),
            random.below(static_cast<std::uint64_t>(extent[1]))};
  }
};

void Cell::step(Stamp stamp) {
  world->compute(3000);
  if (!world->ran[stamp].insert(number()).second)
    world->violation("M2: an operation ran twice on " + to_string(place));
  done.push_back(stamp);
  auto& order = world->order[number()];
  order.push_back(stamp);
  if (done != order) world->violation("M5: state lost on " + to_string(place));
}
std::int64_t echo(std::int64_t value) {
  world->compute(2000);
  return value;
}
roam::Task<> Cell::step_slowly(Stamp stamp) {
  const auto rank = static_cast<std::int32_t>(world->random.below(rank_count));
  if (co_await roam::here().request<&echo>(rank, number()) != number())
    world->violation("a wrong echo");
  step(stamp);
}
double Cell::fraction() const {
  world->compute(1000);
  return 1.0 / static_cast<double>(number());
}
void Cell::give(Grid grid, std::uint64_t phase) {
  world->compute(3000);
  grid.contribute<std::plus<>>(place, phase, number());
}
void Cell::hear(Stamp stamp) {
  world->compute(1000);
  ++world->heard;
  if (stamp.number != heard[static_cast<std::size_t>(stamp.rank)]++)
    world->violation("M3: two calls of one rank changed places");
}
void Cell::look() const { world->compute(1000); }
void Guest::tell(std::int32_t of_life, std::int32_t number) {
  world->compute(1000);
  ++world->told;
  if (of_life != life)
    world->violation("M8: a call for life " + std::to_string(of_life) + " reached life " +
                     std::to_string(life));
  if (number != next) world->violation("M3: a call to a key out of order");
  next = number + 1;
}

std::int32_t placed_by_program(roam::Index<2> index, roam::Index<2> /*extent*/,
                               std::int32_t ranks) {
  return static_cast<std::int32_t>((index[0] * index[1] + 1) % ranks);
}
std::string joined(const std::string& a, const std::string& b) { return a + b; }

std::int64_t sum_of_all() {
  const auto extent = world->grid.extent();
  std::int64_t sum = 0;
  for (std::int64_t i = 0; i < extent[0]; ++i) {
    for (std::int64_t j = 0; j < extent[1]; ++j) {
      const std::int64_t number = 1000 * i + j + 1;
      if (!world->erased.contains(number)) sum += number;
    }
  }
  return sum;
}
std::size_t live() { return world->grid.size() - world->erased.size(); }

/// What each rank does with the grid in one round; no element ends during it.
roam::Task<> operate(roam::Runtime& rt, std::int32_t& number) {
  const Grid grid = world->grid;
  const std::int32_t rank = rt.rank().value();
  const std::int64_t sum = sum_of_all();
  for (int i = 0; i < 3; ++i) {
    for (std::uint64_t k = 1 + world->random.below(6); k > 0; --k) {
      world->compute(9000);
      grid.broadcast<&Cell::step>(Stamp{rank, number++});
    }
    const auto place = world->any_place();
    for (std::uint64_t k = world->random.below(8); k > 0; --k) {
      world->compute(6000);
      ++world->sent;
      const std::int32_t said = world->said[{rank, 1000 * place[0] + place[1] + 1}]++;
      grid[place].send<&Cell::hear>(Stamp{rank, said});
    }
    const Stamp stamp{rank, number++};
    switch (world->random.below(5)) {
      case 0:
        co_await grid.for_all<&Cell::step_slowly>(stamp);
        break;
      case 1:
        co_await grid.for_all<&Cell::step>(stamp);
        break;
      default: {
        const std::int64_t value = co_await grid.reduce<&Cell::value, std::plus<>>(stamp);
        if (value != sum) world->violation("M11: a wrong sum");
      }
    }
    if (world->ran[stamp].size() != live())
      world->violation("M11: " + std::to_string(world->ran[stamp].size()) + " of " +
                       std::to_string(live()) + " elements had run what was awaited");
  }
}

/// A rank's own key: all that it does with the key must take effect in order.
roam::Task<> own_key(roam::Runtime& rt, std::int32_t& life) {
  const Guests guests = world->guests;
  const auto key = static_cast<std::uint32_t>(rt.rank().value());
  for (int lives = 0; lives < 3; ++lives) {
    ++life;
    world->compute(4000);
    guests.send_insert(key, life);
    std::int32_t number = 0;
    for (int i = 0; i < 2; ++i) {
      for (std::uint64_t k = 1 + world->random.below(3); k > 0; --k) {
        ++world->sent;
        guests[key].send<&Guest::tell>(life, number++);
        world->compute(3000);
      }
      guests[key].migrate(static_cast<std::int32_t>(world->random.below(rank_count)));
    }
    auto told = guests[key].call<&Guest::told>();
    if (world->random.below(2) == 0) {
      guests.send_erase(key);
    } else if (!co_await guests.erase(key)) {
      world->violation("M11: a key was not there to be erased");
    }
    if (co_await told != number) world->violation("M2: calls to a key were lost");
    ++world->sent;
    guests[key].send<&Guest::tell>(-1, 0);  // to nobody
  }
}

/// Keys that all ranks insert and erase: each call runs once or becomes a dead letter.
roam::Task<> common_keys() {
  const Guests guests = world->guests;
  for (int i = 0; i < 6; ++i) {
    const auto key = static_cast<std::uint32_t>(100 + world->random.below(2));
    world->compute(4000);
    switch (world->random.below(4)) {
      case 0:
        guests.send_erase(key);
        break;
      case 1:
        static_cast<void>(co_await guests.erase(key));
        break;
      case 2:
        static_cast<void>(co_await guests.insert(key, 0));
        break;
      default:
        guests.send_insert(key, 0);
    }
    try {
      static_cast<void>(co_await guests[key].call<&Guest::told>());
    } catch (const roam::ObjectGone&) {
    }
  }
}

roam::Task<> check_round(roam::Runtime& rt, std::uint64_t seed) {
  const Grid grid = world->grid;
  // All elements have received all operations in the same order.
  const std::vector<Stamp>* first = nullptr;
  for (const auto& [number, order] : world->order) {
    if (world->erased.contains(number)) continue;
    if (first == nullptr) first = &order;
    if (order != *first) world->violation("M3: two elements saw operations in different orders");
  }
  const double fraction = co_await grid.reduce<&Cell::fraction, std::plus<>>();
  const double again = co_await grid.reduce<&Cell::fraction, std::plus<>>();
  if (again != fraction) world->violation("M11: a sum differs in its last bits");
  if (seed % 3 == 0) {
    std::string names;
    for (std::int32_t r = 0; r < rt.size(); ++r) {
      grid.for_each_home(r, [&](const roam::Index<2>& index) {
        if (!world->erased.contains(1000 * index[0] + index[1] + 1)) names += to_string(index);
      });
    }
    const std::string all = co_await grid.reduce<&Cell::name, &joined>();
    if (all != names) world->violation("M11: values were not combined in order");
  }
}

/// Every rank reduces a phase of its own, to which all elements contribute.
roam::Task<> contribute(roam::Runtime& rt, int round) {
  const Grid grid = world->grid;
  const auto phase = static_cast<std::uint64_t>(100 * round + rt.rank().value());
  const std::int64_t sum = sum_of_all();
  if (world->random.below(2) == 0) grid.broadcast<&Cell::give>(grid, phase);
  auto result = grid.reduction<std::plus<>, std::int64_t>(phase);
  if (world->random.below(2) == 0) grid.broadcast<&Cell::give>(grid, phase + 50);
  auto second = grid.reduction<std::plus<>, std::int64_t>(phase + 50);
  co_await grid.for_all<&Cell::look>();
  // Waits for values that have not been contributed yet.
  co_await rt.quiescence();
  if (!result.is_ready()) grid.broadcast<&Cell::give>(grid, phase);
  if (!second.is_ready()) grid.broadcast<&Cell::give>(grid, phase + 50);
  if (co_await result != sum || co_await second != sum)
    world->violation("M11: a wrong sum of contributions");
}

roam::Task<> program(roam::Runtime& rt, std::uint64_t seed) {
  if (rt.rank() == static_cast<std::int32_t>(seed % rank_count)) {
    const roam::Index<2> extent{3 + seed % 4, 5};
    const std::vector<roam::Placement> placements{
        roam::Placement::block(), roam::Placement::cyclic(), roam::Placement::block_cyclic(3),
        roam::Placement::by<&placed_by_program>()};
    world->grid = co_await rt.create_collection<Cell>(extent, placements[seed % 4]);
    world->guests = co_await rt.create_sparse_collection<Guest, std::uint32_t>();
  }
  co_await rt.quiescence();
  std::int32_t number = 0;
  std::int32_t life = 0;
  for (int round = 0; round < rounds; ++round) {
    co_await operate(rt, number);
    co_await own_key(rt, life);
    co_await common_keys();
    co_await contribute(rt, round);
    co_await rt.quiescence();
    if (rt.rank() == 0) co_await check_round(rt, seed);
    co_await rt.quiescence();
    // Elements end during operations: these reach the remaining elements, and end.
    if (rt.rank() == 1) {
      const auto place = world->any_place();
      world->erased.insert(1000 * place[0] + place[1] + 1);
      world->grid.erase(place);
    }
    world->grid.broadcast<&Cell::look>();
    co_await world->grid.for_all<&Cell::look>();
    co_await rt.quiescence();
    if (world->sent != world->heard + world->told + world->dead)
      world->violation("M2: " + std::to_string(world->sent) + " calls sent, " +
                       std::to_string(world->heard + world->told) + " run, " +
                       std::to_string(world->dead) + " dead");
    co_await rt.quiescence();
  }
}

struct Outcome {
  std::vector<std::string> violations;
  std::uint64_t moves = 0;
  std::uint64_t refused = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t set_aside = 0;
  std::int64_t end_ns = 0;
};

roam::SimulatedJobOptions job_options(std::uint64_t seed) {
  roam::SimulatedJobOptions options =
      roam::testing::simulated(rank_count, seed, 1 + static_cast<std::uint32_t>(seed % 3));
  options.options.max_hops = 1 + static_cast<std::uint32_t>(seed % 5);
  options.options.message_threshold_bytes = seed % 4 == 0 ? 256 : 4096;
  options.message_delay = roam::Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = roam::Duration(1 + seed % 2000);
  return options;
}

/// With `loses_one`, one element ends without being counted by the program.
Outcome simulate(std::uint64_t seed, bool loses_one = false) {
  World this_world(seed);
  world = &this_world;
  roam::SimulatedJob job(job_options(seed));
  for (std::int32_t r = 0; r < rank_count; ++r) {
    roam::Runtime& rt = job.runtime(r);
    rt.on_dead_letter([](const std::string&) { ++world->dead; });
    rt.objects().set_admission([](roam::ObjectId, std::uint64_t) {
      return world->random.below(8) == 0 ? std::string("no room today") : std::string();
    });
  }
  std::uint64_t moves_left = 800;
  job.set_interruption([&](std::uint64_t events) {
    if (events > 1'000'000) throw std::runtime_error("M10: the job does not come to its end");
    if (moves_left == 0 || !this_world.grid || this_world.random.below(5) != 0) return;
    if (--moves_left == 700 && loses_one) {
      const auto lost = this_world.any_place();
      job.runtime(2).objects().destroy(this_world.grid[lost].id());
    }
    const auto from = static_cast<std::int32_t>(this_world.random.below(rank_count));
    const auto to = static_cast<std::int32_t>(this_world.random.below(rank_count));
    job.runtime(from).objects().migrate(this_world.grid[this_world.any_place()].id(), to);
  });
  try {
    if (!job.run([seed](roam::Runtime& rt) { return program(rt, seed); }))
      this_world.violation(job.error());
  } catch (const std::runtime_error& error) {
    this_world.violation(error.what());
  }
  Outcome outcome;
  outcome.violations = this_world.violations;
  outcome.end_ns = job.now().count();
  for (std::int32_t r = 0; r < rank_count; ++r) {
    const auto stats = job.runtime(r).objects().stats();
    outcome.moves += stats.migrations_in;
    outcome.refused += stats.migrations_refused;
    outcome.forwarded += stats.calls_forwarded;
    outcome.set_aside += stats.calls_set_aside;
  }
  return outcome;
}

}  // namespace collection_chaos

class CollectionChaos : public ::testing::TestWithParam<int> {};

TEST_P(CollectionChaos, M11_holds_under_random_delays_and_migrations) {
  constexpr std::uint64_t seeds = 50;
  std::uint64_t moves = 0;
  std::uint64_t refused = 0;
  std::uint64_t forwarded = 0;
  std::uint64_t set_aside = 0;
  for (std::uint64_t seed = static_cast<std::uint64_t>(GetParam()) * seeds;
       seed < (static_cast<std::uint64_t>(GetParam()) + 1) * seeds; ++seed) {
    const collection_chaos::Outcome outcome = collection_chaos::simulate(seed);
    for (const auto& violation : outcome.violations)
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    ASSERT_TRUE(outcome.violations.empty()) << "first failing seed " << seed;
    moves += outcome.moves;
    refused += outcome.refused;
    forwarded += outcome.forwarded;
    set_aside += outcome.set_aside;
  }
  // The schedules must have been difficult ones, or the test proves nothing.
  EXPECT_GT(moves, seeds * 100);
  EXPECT_GT(refused, seeds * 5);
  EXPECT_GT(forwarded, seeds * 20);
  EXPECT_GT(set_aside, seeds);
}
INSTANTIATE_TEST_SUITE_P(ThreeThousandSeeds, CollectionChaos, ::testing::Range(0, 60));

TEST(CollectionChaosHarness, a_lost_element_is_noticed_and_holds_nothing_up) {
  constexpr int schedules = 60;
  int caught = 0;
  for (std::uint64_t seed = 0; seed < schedules; ++seed) {
    const auto outcome = collection_chaos::simulate(seed, true);
    caught += std::any_of(outcome.violations.begin(), outcome.violations.end(),
                          [](const std::string& v) { return v.starts_with("M11: a wrong sum"); });
    for (const auto& violation : outcome.violations)
      EXPECT_EQ(violation.find("no progress"), std::string::npos) << "seed " << seed << violation;
  }
  EXPECT_GT(caught, schedules / 2);
}

TEST(CollectionChaosHarness, R1_the_same_seed_gives_the_same_run) {
  for (std::uint64_t seed = 100; seed < 105; ++seed) {
    const auto one = collection_chaos::simulate(seed);
    const auto two = collection_chaos::simulate(seed);
    EXPECT_EQ(one.end_ns, two.end_ns);
    EXPECT_EQ(one.moves, two.moves);
  }
}
