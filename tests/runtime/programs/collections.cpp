// SPDX-License-Identifier: Apache-2.0
// Collections of objects (M11) on whole jobs of every kind.
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "runtime/job_kinds.hpp"

namespace roam::programs::collections {

/// An element that knows its index and how often it was visited.
struct Tile {
  Index<2> place;
  std::int64_t visits = 0;
  std::int64_t start = 0;
  std::vector<std::int32_t> seen;

  Tile() = default;
  Tile(const Index<2>& index, std::int64_t first) : place(index), start(first) {}
  void visit(std::int32_t number) {
    ++visits;
    seen.push_back(number);
  }
  Task<> visit_slowly(std::int32_t number);
  [[nodiscard]] std::int64_t count() const { return visits; }
  [[nodiscard]] double weight() const {
    return 0.1 * static_cast<double>(1 + 100 * place[0] + place[1]);
  }
  [[nodiscard]] std::int64_t number() const { return 100 * place[0] + place[1]; }
  [[nodiscard]] std::string name() const { return to_string(place); }
  [[nodiscard]] std::vector<std::int64_t> both() const { return {number(), 1}; }
  [[nodiscard]] bool has_seen(std::vector<std::int32_t> numbers) const { return seen == numbers; }
  [[nodiscard]] std::int64_t sum_of(std::span<const std::int64_t> values) const {
    return std::accumulate(values.begin(), values.end(), std::int64_t{0});
  }
  [[nodiscard]] std::int64_t doubled(std::span<std::int64_t> values) const {
    for (std::int64_t& value : values) value *= 2;
    return sum_of(values);
  }
  std::int64_t fail_at(Index<2> where) const {
    if (place == where) throw std::runtime_error("the tile is cracked");
    return 1;
  }
  [[nodiscard]] Task<std::int64_t> ask(collection<Tile, 2> grid) const {
    const Index<2> next{(place[0] + 1) % grid.extent()[0], place[1]};
    co_return co_await grid[next].call<&Tile::number>();
  }
  void give(collection<Tile, 2> grid, std::uint64_t phase) {
    grid.contribute<std::plus<>>(place, phase, number());
  }
  void wander() {
    const auto self = mobile_ptr<Tile>(exec::current()->subject);
    self.migrate(static_cast<std::int32_t>((place[0] + place[1] + visits) % here().size()));
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(place, visits, start, seen);
  }
};
inline std::int64_t ping() { return 1; }
inline Task<> Tile::visit_slowly(std::int32_t number) {
  co_await here().request<&ping>((here().rank().value() + 1) % here().size());
  visit(number);
}

inline std::int32_t place_by_column(Index<2> index, Index<2> /*extent*/, std::int32_t ranks) {
  return static_cast<std::int32_t>(index[1] * index[1] % ranks);
}
inline bool is_even(Index<2> index) { return (index[0] + index[1]) % 2 == 0; }
inline std::string joined(const std::string& a, const std::string& b) { return a + b; }

TEST_P(Programs, M11_every_element_is_made_once_and_found_by_arithmetic) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != rt.size() - 1) co_return;
    const Index<2> extent{6, 7};
    for (const Placement& placement :
         {Placement::block(), Placement::cyclic(), Placement::block_cyclic(4),
          Placement::by<&place_by_column>()}) {
      const auto grid = co_await rt.create_collection<Tile>(extent, placement, 5);
      EXPECT_EQ(grid.size(), 42U);
      for (int i = 0; i < 6; ++i) {
        for (int j = 0; j < 7; ++j) {
          const mobile_ptr<Tile> tile = grid[{i, j}];
          EXPECT_EQ(co_await tile.call<&Tile::number>(), 100 * i + j);
          const Index<2> index(i, j);
          EXPECT_EQ(tile.id().home(), grid.home(index));
        }
      }
      std::int64_t elements = 0;
      for (std::int32_t r = 0; r < rt.size(); ++r) {
        grid.for_each_home(r, [&](const Index<2>& index) {
          ++elements;
          EXPECT_EQ(grid.home(index), r);
        });
      }
      EXPECT_EQ(elements, 42);
      co_await grid.destroy();
    }
  });
}

TEST_P(Programs, M11_for_all_reaches_every_element_once_wherever_it_is) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Index<2> extent{8, 9};
    const auto grid = co_await rt.create_collection<Tile>(extent, Placement::block(), 0);
    std::vector<std::int32_t> numbers;
    for (std::int32_t round = 0; round < 6; ++round) {
      grid.broadcast<&Tile::wander>();
      grid.broadcast<&Tile::visit>(2 * round);
      numbers.push_back(2 * round);
      co_await grid.for_all<&Tile::visit_slowly>(2 * round + 1);
      numbers.push_back(2 * round + 1);
      const std::int64_t visits = co_await grid.reduce<&Tile::count, std::plus<>>();
      EXPECT_EQ(visits, std::int64_t{72} * 2 * (round + 1));
    }
    const bool in_order = co_await grid.reduce<&Tile::has_seen, std::logical_and<>>(numbers);
    EXPECT_TRUE(in_order);
  });
}

TEST_P(Programs, M11_reductions_do_not_depend_on_where_elements_are) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Index<2> extent{10, 11};
    const auto grid = co_await rt.create_collection<Tile>(extent, Placement::block(), 0);
    const double before = co_await grid.reduce<&Tile::weight, std::plus<>>();
    std::string names;
    std::int64_t sum = 0;
    for (int i = 0; i < 10; ++i) {
      for (int j = 0; j < 11; ++j) names += to_string(Index<2>{i, j}), sum += 100 * i + j;
    }
    for (int round = 0; round < 3; ++round) {
      grid.broadcast<&Tile::visit>(round);
      grid.broadcast<&Tile::wander>();
      const double after = co_await grid.reduce<&Tile::weight, std::plus<>>();
      EXPECT_EQ(before, after);  // to the last bit
      const std::string all = co_await grid.reduce<&Tile::name, &joined>();
      EXPECT_EQ(all, names);  // in the order of indices
      const auto both = co_await grid.reduce<&Tile::both, std::plus<>>();
      EXPECT_EQ(both, (std::vector<std::int64_t>{sum, 110}));
      const auto least = co_await grid.reduce<&Tile::number, Min>();
      const auto most = co_await grid.reduce<&Tile::number, Max>();
      EXPECT_EQ(least, 0);
      EXPECT_EQ(most, 910);
      const std::vector<std::int64_t> values(3000, 2);
      const auto viewed = co_await grid.reduce<&Tile::sum_of, std::plus<>>(values);
      EXPECT_EQ(viewed, 110 * 6000);
      const auto written = co_await grid.reduce<&Tile::doubled, std::plus<>>(values);
      EXPECT_EQ(written, 110 * 12000);
      const auto asked = co_await grid.reduce<&Tile::ask, std::plus<>>(grid);
      EXPECT_EQ(asked, sum);
    }
  });
}

TEST_P(Programs, M11_sections_are_boxes_lists_and_predicates) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Index<2> extent{6, 6};
    const auto grid = co_await rt.create_collection<Tile>(extent, Placement::cyclic(), 0);
    grid.broadcast<&Tile::wander>();
    const Box<2> box{{1, 1}, {6, 5}, {2, 3}};
    co_await grid.section(box).for_all<&Tile::visit>(1);
    const auto boxed = co_await grid.reduce<&Tile::count, std::plus<>>();
    EXPECT_EQ(boxed, 6);  // (1|3|5, 1|4)
    const std::vector<Index<2>> list{{0, 0}, {5, 5}, {0, 0}};
    const auto names = co_await grid.section(list).reduce<&Tile::name, Max>();
    EXPECT_EQ(names, "(5, 5)");
    co_await grid.section(list).for_all<&Tile::visit>(1);
    const auto even = co_await grid.section<&is_even>().reduce<&Tile::count, std::plus<>>();
    EXPECT_EQ(even, 2 + 3);
    const Box<2> none{{9, 9}, {12, 12}};
    co_await grid.section(none).for_all<&Tile::visit>(1);
    std::string text;
    try {
      auto sum = grid.section(none).reduce<&Tile::count, std::plus<>>();
      static_cast<void>(co_await sum);
    } catch (const RemoteError& error) {
      text = error.what();
    }
    EXPECT_NE(text.find("no element"), std::string::npos) << text;
    const Index<2> outside{6, 0};
    EXPECT_THROW(static_cast<void>(grid[outside]), Error);
    const std::vector<Index<2>> bad{{0, -1}};
    EXPECT_THROW(static_cast<void>(grid.section(bad)), Error);
  });
}

TEST_P(Programs, M11_an_exception_of_an_element_names_it_once) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Index<2> extent{5, 5};
    const auto grid = co_await rt.create_collection<Tile>(extent, Placement::block(), 0);
    grid[{3, 2}].migrate(0);
    for (int round = 0; round < 2; ++round) {
      std::string text;
      try {
        const Index<2> where{3, 2};
        auto sum = grid.reduce<&Tile::fail_at, std::plus<>>(where);
        static_cast<void>(co_await sum);
      } catch (const RemoteError& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("Tile (3, 2)"), std::string::npos) << text;
      EXPECT_NE(text.find("Tile::fail_at"), std::string::npos) << text;
      EXPECT_NE(text.find("the tile is cracked"), std::string::npos) << text;
    }
  });
}

TEST_P(Programs, M11_contributions_are_reduced_by_phase_while_elements_move_and_end) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const Index<2> extent{7, 7};
    const auto grid = co_await rt.create_collection<Tile>(extent, Placement::block(), 0);
    std::int64_t sum = 49 * 303;
    for (std::uint64_t phase = 0; phase < 4; ++phase) {
      auto first = grid.reduction<std::plus<>, std::int64_t>(2 * phase);
      grid.broadcast<&Tile::give>(grid, 2 * phase);
      grid.broadcast<&Tile::wander>();
      grid.broadcast<&Tile::give>(grid, 2 * phase + 1);
      auto second = grid.reduction<std::plus<>, std::int64_t>(2 * phase + 1);
      EXPECT_EQ(co_await second, sum);
      EXPECT_EQ(co_await first, sum);
      const Index<2> last{static_cast<int>(phase), 6};
      grid.erase(last);
      sum -= 100 * last[0] + last[1];
    }
  });
}

struct Gatherer {
  std::string name;
  std::int64_t total = 0;
  std::vector<std::int32_t> order;
  Gatherer() = default;
  Gatherer(const std::string& key, std::int64_t first) : name(key), total(first) {}
  void add(std::int32_t number) {
    order.push_back(number);
    total += number;
  }
  [[nodiscard]] std::int64_t sum() const { return total; }
  [[nodiscard]] bool is_in_order() const {
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] != static_cast<std::int32_t>(i)) return false;
    }
    return true;
  }
  [[nodiscard]] std::string key() const { return name; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(name, total, order);
  }
};
using Gatherers = sparse_collection<Gatherer, std::string>;

inline bool is_short(const std::string& key) { return key.size() == 1; }

TEST_P(Programs, M11_sparse_elements_come_go_and_are_called_in_order) {
  run([](Runtime& rt) -> Task<> {
    Gatherers all;
    if (rt.rank() == 0) all = co_await rt.create_sparse_collection<Gatherer, std::string>();
    all = co_await rt.broadcast(0, all);
    const std::string mine = "rank " + std::to_string(rt.rank().value());
    for (int life = 0; life < 3; ++life) {
      // None of these is awaited: their order is the order of their effects.
      all.send_insert(mine, life);
      for (std::int32_t i = 0; i < 10; ++i) all[mine].send<&Gatherer::add>(i);
      all[mine].migrate((rt.rank().value() + life) % rt.size());
      for (std::int32_t i = 10; i < 20; ++i) all[mine].send<&Gatherer::add>(i);
      auto sum = all[mine].call<&Gatherer::sum>();
      auto in_order = all[mine].call<&Gatherer::is_in_order>();
      auto erased = all.erase(mine);
      auto gone = all[mine].call<&Gatherer::sum>();
      EXPECT_EQ(co_await sum, 190 + life);
      EXPECT_TRUE(co_await in_order);
      EXPECT_TRUE(co_await erased);
      bool is_gone = false;
      try {
        static_cast<void>(co_await gone);
      } catch (const ObjectGone&) {
        is_gone = true;
      }
      EXPECT_TRUE(is_gone);
      const bool again = co_await all.erase(mine);
      EXPECT_FALSE(again);
    }
    co_await rt.barrier();
    const bool inserted = co_await all.insert("a" + mine, 1);
    EXPECT_TRUE(inserted);
    const bool twice = co_await all.insert("a" + mine, 2);
    EXPECT_FALSE(twice);
    all[std::string("a") + mine].migrate((rt.rank().value() + 1) % rt.size());
    co_await rt.barrier();
    if (rt.rank() == 0) {
      const auto keys = co_await all.reduce<&Gatherer::key, Max>();
      EXPECT_EQ(keys, "arank " + std::to_string(std::min(rt.size() - 1, 9)));
      const auto sum = co_await all.reduce<&Gatherer::sum, std::plus<>>();
      EXPECT_EQ(sum, rt.size());
      for (const std::string key : {"x", "y"}) {
        const bool is_new = co_await all.insert(key, 100);
        EXPECT_TRUE(is_new);
      }
      const auto some = co_await all.section<&is_short>().reduce<&Gatherer::sum, std::plus<>>();
      EXPECT_EQ(some, 200);
      const std::vector<std::string> names{"y", "z", "arank 0"};
      const auto few = co_await all.section(names).reduce<&Gatherer::sum, std::plus<>>();
      EXPECT_EQ(few, 101);
      const bool has_x = co_await all.contains("x");
      const bool has_z = co_await all.contains("z");
      EXPECT_TRUE(has_x);
      EXPECT_FALSE(has_z);
      co_await all.destroy();
      bool is_gone = false;
      try {
        auto call = all["x"].call<&Gatherer::sum>();
        static_cast<void>(co_await call);
      } catch (const ObjectGone&) {
        is_gone = true;
      }
      EXPECT_TRUE(is_gone);
    }
  });
}

inline Task<std::int64_t> read_of(Gatherers all, std::string key) {
  auto sum = all[key].call<&Gatherer::sum>();
  co_return co_await sum;
}

TEST_P(Programs, M11_a_key_inserted_anew_is_the_new_object_for_every_rank) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() != 0) co_return;
    const auto all = co_await rt.create_sparse_collection<Gatherer, std::string>();
    const std::string key = "phoenix";
    for (std::int64_t life = 1; life < 8; ++life) {
      const bool is_new = co_await all.insert(key, life);
      EXPECT_TRUE(is_new);
      if (life % 2 == 0) all[key].migrate(static_cast<std::int32_t>(life % rt.size()));
      for (std::int32_t r = 0; r < rt.size(); ++r) {
        auto answer = rt.request<&read_of>(r, all, key);
        EXPECT_EQ(co_await answer, life);  // each rank knows the key from then on
      }
      const bool was_there = co_await all.erase(key);
      EXPECT_TRUE(was_there);
    }
  });
}

struct Fragile {
  std::int32_t unused = 0;
  Fragile() = default;
  explicit Fragile(const Index<1>& index) {
    if (index[0] == 7) throw std::runtime_error("seven breaks");
  }
  [[nodiscard]] std::int32_t one() const { return 1; }
};

TEST_P(Programs, M11_a_creation_that_fails_leaves_nothing_behind) {
  run([](Runtime& rt) -> Task<> {
    if (rt.rank() == 0) {
      std::string text;
      try {
        const Index<1> extent{20};
        auto made = rt.create_collection<Fragile>(extent, Placement::cyclic());
        static_cast<void>(co_await made);
      } catch (const RemoteError& error) {
        text = error.what();
      }
      EXPECT_NE(text.find("Fragile (7) cannot be made"), std::string::npos) << text;
      EXPECT_NE(text.find("seven breaks"), std::string::npos) << text;
    }
    co_await rt.quiescence();
    EXPECT_EQ(rt.objects().resident_count(), 0U);
  });
}

}  // namespace roam::programs::collections
