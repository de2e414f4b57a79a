// SPDX-License-Identifier: Apache-2.0
// M9: a multicast has all its objects on one rank, with exclusive access, whatever else happens to
// them meanwhile.
#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "roam/roam.hpp"
#include "roam/testing/check.hpp"
#include "roam/testing/explore.hpp"

namespace multicast_test {

namespace {

using roam::testing::check;

constexpr std::uint32_t cell_count = 12;

struct Cell {
  std::uint32_t index = 0;
  std::uint64_t visits = 0;  // by whatever kind of call
  void touch();
  template <class Archive>
  void serialize(Archive& archive) {
    archive(index, visits);
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

  std::vector<roam::mobile_ptr<Cell>> some_cells() {
    std::vector<roam::mobile_ptr<Cell>> some;
    for (std::uint64_t n = 1 + random.below(4); n > 0; --n)
      some.push_back(cells[random.below(cell_count)]);
    return some;
  }
};
World& world() { return roam::testing::state<World>(); }

/// A handler that takes a while on these cells, with exclusive access to each.
void visit(const std::vector<Cell*>& cells) {
  roam::Runtime& rt = roam::here();
  const roam::Instant begin = rt.now();
  rt.compute(roam::Duration(world().random.below(3000)));
  for (Cell* cell : cells) {
    check(world().free_at[cell->index] <= begin, "M9: two handlers on one object");
    world().free_at[cell->index] = rt.now();
    check(cell->visits == world().visits[cell->index], "M5: state lost");
    cell->visits = ++world().visits[cell->index];
  }
  ++world().ran;
}
void Cell::touch() { visit({this}); }

std::vector<Cell*> distinct(roam::Gathered<Cell>& gathered) {
  std::set<Cell*> all;
  for (Cell& cell : gathered) all.insert(&cell);
  return {all.begin(), all.end()};
}

std::uint64_t refine(roam::Gathered<Cell> cells, std::uint64_t number) {
  for (std::size_t i = 0; i < cells.size(); ++i)
    check(cells.name(i) == world().cells[cells[i].index], "M9: the wrong object");
  visit(distinct(cells));
  return number + cells.size();
}

std::uint64_t inner(roam::Gathered<Cell> cells) { return cells[0].index; }

// Holds its objects during an await, and uses one of them again inside.
roam::Task<> refine_slowly(roam::Gathered<Cell> cells) {
  const std::vector<roam::mobile_ptr<Cell>> again{cells.name(0)};
  roam::MulticastOptions options;
  options.inside = cells.holder();
  auto reply = roam::here().multicast_call_with<&inner>(options, again);
  const std::uint64_t index = co_await reply;
  check(index == cells[0].index, "M9: a nested multicast gets another object");
  visit(distinct(cells));
}

roam::Task<> issue(roam::Runtime& rt) {
  for (int i = 0; i < 6; ++i) {
    ++world().issued;
    switch (world().random.below(4)) {
      case 0: {
        const auto cells = world().some_cells();
        auto reply = rt.multicast_call<&refine>(cells, std::uint64_t{100});
        const std::uint64_t answer = co_await reply;
        check(answer == 100 + cells.size(), "M9: the wrong answer");
        break;
      }
      case 1:
        rt.multicast<&refine>(world().some_cells(), std::uint64_t{7});
        break;
      case 2:
        rt.multicast<&refine_slowly>(world().some_cells());
        break;
      default:
        world().cells[world().random.below(cell_count)].send<&Cell::touch>();
    }
  }
}

roam::Task<> program(roam::Runtime& rt) {
  for (std::uint32_t i = 0; i < cell_count; ++i) {
    if (static_cast<std::int32_t>(i) % rt.size() != rt.rank().value()) continue;
    world().cells[i] = rt.create<Cell>(Cell{i});
  }
  co_await rt.quiescence();
  co_await issue(rt);
  co_await rt.quiescence();
  check(world().ran == world().issued, "M2/M9: not every handler has run once");
}

roam::testing::Scenario make_scenario(roam::testing::Schedule& schedule) {
  roam::testing::Scenario scenario;
  scenario.state = std::make_shared<World>(schedule.random());
  scenario.program = &program;
  return scenario;
}

}  // namespace

class Multicast : public ::testing::TestWithParam<int> {};

TEST_P(Multicast, M9_holds_under_random_delays_and_migrations) {
  roam::testing::ExploreOptions options;
  options.schedules = 200;
  options.first_seed = static_cast<std::uint64_t>(GetParam()) * options.schedules;
  options.ranks = {4, 4};
  options.workers = {1, 3};
  options.migrations.share = 0.125;
  options.most_migrations = 100;
  const roam::testing::Report report = explore(options, &make_scenario);
  EXPECT_TRUE(report.ok()) << report;
  EXPECT_GT(report.totals().migrations, options.schedules * 20) << report;
  EXPECT_GT(report.totals().refused, options.schedules) << report;
}
INSTANTIATE_TEST_SUITE_P(TwoThousandSeeds, Multicast, ::testing::Range(0, 10));

}  // namespace multicast_test
