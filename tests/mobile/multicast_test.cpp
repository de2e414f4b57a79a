// SPDX-License-Identifier: Apache-2.0
// M9: a multicast has all its objects on one rank, alone, whatever else happens to them meanwhile.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "roam/core/random.hpp"
#include "roam/runtime/simulated_job.hpp"

namespace {

constexpr std::int32_t rank_count = 4;
constexpr std::uint32_t cell_count = 12;

struct Cell {
  std::uint32_t index = 0;
  std::uint64_t visits = 0;  // by whatever kind of call
  bool is_busy = false;
  void look_around() { touch(); }
  void touch();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index, visits, is_busy);
  }
};

struct World {
  explicit World(std::uint64_t seed) : random(seed) {}
  roam::core::Random random;
  std::vector<roam::mobile_ptr<Cell>> cells = std::vector<roam::mobile_ptr<Cell>>(cell_count);
  std::vector<std::uint64_t> visits = std::vector<std::uint64_t>(cell_count, 0);
  std::vector<roam::Instant> free_at = std::vector<roam::Instant>(cell_count, roam::Instant(0));
  std::uint64_t issued = 0;
  std::uint64_t ran = 0;
  std::uint64_t multicasts = 0;
  std::vector<std::string> violations;

  void check(bool condition, const std::string& text) {
    if (!condition && violations.size() < 5) violations.push_back(text);
  }
  std::vector<roam::mobile_ptr<Cell>> some_cells() {
    std::vector<roam::mobile_ptr<Cell>> some;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n)
      some.push_back(cells[random.below(cell_count)]);
    return some;
  }
};
World* world = nullptr;  // of the simulation that runs now; the tests are single-threaded

/// A handler that takes a while on these cells, alone with each.
void visit(const std::vector<Cell*>& cells) {
  roam::Runtime& rt = roam::here();
  const roam::Instant begin = rt.now();
  rt.compute(roam::Duration(world->random.below(3000)));
  for (Cell* cell : cells) {
    world->check(world->free_at[cell->index] <= begin, "M9: two handlers on one object");
    world->free_at[cell->index] = rt.now();
    world->check(cell->visits == world->visits[cell->index], "M5: state lost");
    cell->visits = ++world->visits[cell->index];
  }
  ++world->ran;
}
void Cell::touch() { visit({this}); }

std::vector<Cell*> distinct(roam::Gathered<Cell>& gathered) {
  std::set<Cell*> all;
  for (Cell& cell : gathered) all.insert(&cell);
  return {all.begin(), all.end()};
}

std::uint64_t refine(roam::Gathered<Cell> cells, std::uint64_t number) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    world->check(cells.name(i) == world->cells[cells[i].index], "M9: the wrong object");
  visit(distinct(cells));
  return number + cells.size();
}

std::uint64_t inner(roam::Gathered<Cell> cells) { return cells[0].index; }

// Holds its objects over an await, and uses one of them once more inside.
roam::Task<> refine_slowly(roam::Gathered<Cell> cells) {
  const std::vector<roam::mobile_ptr<Cell>> again{cells.name(0)};
  roam::MulticastOptions options;
  options.inside = cells.holder();
  auto reply = roam::here().multicast_call_with<&inner>(options, again);
  const std::uint64_t index = co_await reply;
  world->check(index == cells[0].index, "M9: a nested multicast gets another object");
  visit(distinct(cells));
}

roam::Task<> issue(roam::Runtime& rt) {
  for (int i = 0; i < 6; ++i) {
    ++world->issued;
    switch (world->random.below(4)) {
      case 0: {
        const auto cells = world->some_cells();
        auto reply = rt.multicast_call<&refine>(cells, std::uint64_t{100});
        const std::uint64_t answer = co_await reply;
        world->check(answer == 100 + cells.size(), "M9: the wrong answer");
        ++world->multicasts;
        break;
      }
      case 1:
        rt.multicast<&refine>(world->some_cells(), std::uint64_t{7});
        ++world->multicasts;
        break;
      case 2:
        rt.multicast<&refine_slowly>(world->some_cells());
        ++world->multicasts;
        break;
      default:
        world->cells[world->random.below(cell_count)].send<&Cell::touch>();
    }
  }
}

roam::Task<> program(roam::Runtime& rt) {
  for (std::uint32_t i = 0; i < cell_count; ++i) {
    if (static_cast<std::int32_t>(i) % rank_count != rt.rank().value()) continue;
    world->cells[i] = rt.create<Cell>(Cell{i});
  }
  co_await rt.quiescence();
  co_await issue(rt);
  co_await rt.quiescence();
  world->check(world->ran == world->issued, "M2/M9: not every handler has run once");
}

roam::SimulatedJobOptions job_options(std::uint64_t seed) {
  roam::SimulatedJobOptions options;
  options.options.simulate = roam::Machine{};
  options.options.simulate->ranks = rank_count;
  options.options.simulate->workers_per_rank = 1 + static_cast<std::uint32_t>(seed % 3);
  options.options.seed = seed;
  options.message_delay = roam::Duration(seed % 2 == 0 ? 20'000 : 2'000);
  options.reorder = seed % 5 == 0;
  options.shuffle_ties = true;
  options.step_jitter = roam::Duration(1 + seed % 2000);
  return options;
}

std::vector<std::string> simulate(std::uint64_t seed) {
  World this_world(seed);
  world = &this_world;
  roam::SimulatedJob job(job_options(seed));
  for (std::int32_t r = 0; r < rank_count; ++r) {
    job.runtime(r).objects().set_admission([](roam::ObjectId, std::uint64_t) {
      return world->random.below(8) == 0 ? std::string("no room today") : std::string();
    });
  }
  std::uint64_t moves_left = 100;
  job.set_interruption([&](std::uint64_t events) {
    if (events > 200'000) throw std::runtime_error("M10: the job does not come to its end");
    if (moves_left == 0 || this_world.random.below(8) != 0) return;
    const auto cell = this_world.cells[this_world.random.below(cell_count)];
    if (!cell) return;
    --moves_left;
    const auto from = static_cast<std::int32_t>(this_world.random.below(rank_count));
    const auto to = static_cast<std::int32_t>(this_world.random.below(rank_count));
    job.runtime(from).objects().migrate(cell.id(), to);
  });
  try {
    if (!job.run(&program)) this_world.check(false, job.error());
  } catch (const std::runtime_error& error) {
    this_world.check(false, error.what());
  }
  return this_world.violations;
}

}  // namespace

class Multicast : public ::testing::TestWithParam<int> {};

TEST_P(Multicast, M9_holds_under_random_delays_and_migrations) {
  constexpr std::uint64_t seeds = 500;
  const auto first = static_cast<std::uint64_t>(GetParam()) * seeds;
  for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
    for (const auto& violation : simulate(seed))
      ADD_FAILURE() << "seed " << seed << ": " << violation;
    if (HasFailure()) return;
  }
}
INSTANTIATE_TEST_SUITE_P(TwoThousandSeeds, Multicast, ::testing::Range(0, 4));
