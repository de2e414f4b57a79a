// SPDX-License-Identifier: Apache-2.0
// Types that follow cereal's conventions can be sent wherever values are sent: as arguments,
// results, members and elements; to ranks and objects; in collectives, put_op, multicasts,
// collections and moves.
#include <gtest/gtest.h>
#include <cereal/types/array.hpp>
#include <cereal/types/list.hpp>
#include <cereal/types/map.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/queue.hpp>
#include <cereal/types/set.hpp>
#include <cereal/types/tuple.hpp>
#include <cereal/types/variant.hpp>

#include <array>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "roam/roam.hpp"
#include "support/travelling_types.hpp"

namespace travelling_test {

namespace {

using namespace roam::testing::travelling;

/// A member of each kind; can be copied.
struct Everything {
  Free free;
  FreeBoth free_both;
  FreeMinimal free_minimal;
  Minimal minimal;
  Empty empty;
  Silent silent;
  Derived derived;
  std::array<std::vector<int>, 2> arrays;
  std::optional<std::string> perhaps;
  std::variant<std::monostate, int, std::string> either;
  std::list<std::monostate> nothings;
  std::map<std::string, std::vector<Free>> by_name;
  std::set<int> numbers;
  std::tuple<int, std::string> both;
  std::shared_ptr<Shape> shape;

  static Everything number(int n) {
    Everything all;
    all.free.number = n;
    all.free_both.number = static_cast<std::int16_t>(n);
    all.free_minimal.number = all.minimal.number = n;
    all.derived.name = "derived";
    all.derived.value = n;
    all.arrays = {std::vector<int>(3, n), {}};
    all.perhaps = std::to_string(n);
    all.either = std::to_string(n);
    all.nothings.resize(20);
    all.by_name["free"].resize(2, all.free);
    all.numbers = {1, n};
    all.both = {n, "both"};
    all.shape = std::make_shared<Square>(n);
    return all;
  }
  friend bool operator==(const Everything& a, const Everything& b) {
    return a.free == b.free && a.free_both == b.free_both && a.free_minimal == b.free_minimal &&
           a.minimal == b.minimal && a.silent == b.silent && a.derived == b.derived &&
           a.arrays == b.arrays && a.perhaps == b.perhaps && a.either == b.either &&
           a.nothings == b.nothings && a.by_name == b.by_name && a.numbers == b.numbers &&
           a.both == b.both && *a.shape == *b.shape;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(free, free_both, free_minimal, minimal, empty, silent, derived, arrays, perhaps, either,
            nothings, by_name, numbers, both, shape);
  }
};

/// A type that can only be moved.
struct Alone {
  std::unique_ptr<Shape> shape;
  std::unique_ptr<Built> built;
  static Alone number(int n) { return {std::make_unique<Disc>(n), std::make_unique<Built>(n)}; }
  friend bool operator==(const Alone& a, const Alone& b) {
    return *a.shape == *b.shape && *a.built == *b.built;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(shape, built);
  }
};

template <class T>
void expect_number(const T& value, int n, const char* where) {
  EXPECT_TRUE(value == T::number(n)) << where << ", " << roam::core::type_name<T>();
}

// --- ranks ---

template <class T>
T next(T value, int n) {
  expect_number(value, n, "argument");
  return T::number(n + 1);
}
template <class T>
std::vector<T> echo(std::vector<T> values, std::optional<std::string>, Empty) {
  return values;
}
std::unique_ptr<Shape> grow(std::unique_ptr<Shape> shape, Free by) {
  return std::make_unique<Square>(shape->area() + by.number);
}
std::list<std::monostate> more(const std::list<std::monostate>& nothings, Silent, Minimal by) {
  return std::list<std::monostate>(nothings.size() + static_cast<std::size_t>(by.number));
}

/// An argument of an awaited call: with GCC 12 it must not be passed by std::move if it can be
/// copied.
template <class T>
decltype(auto) given(T& value) {
  if constexpr (std::is_copy_constructible_v<T>) {
    return (value);
  } else {
    return std::move(value);
  }
}

template <class T>
roam::Task<> use_ranks(roam::Runtime& rt, roam::Rank other) {
  rt.send<&next<T>>(other, T::number(3), 3);
  T four = T::number(4);
  const T result = co_await rt.request<&next<T>>(other, given(four), 4);
  expect_number(result, 5, "result");
  std::vector<T> values;
  for (int i = 0; i < 3; ++i) values.push_back(T::number(i));
  const std::optional<std::string> text("text");
  const auto back = co_await rt.request<&echo<T>>(other, values, text, Empty{});
  EXPECT_TRUE(back == values);
}
roam::Task<> use_bare_values(roam::Runtime& rt, roam::Rank other) {
  const Free by{10, nullptr};
  std::unique_ptr<Shape> small = std::make_unique<Square>(2);
  const auto shape = co_await rt.request<&grow>(other, std::move(small), by);
  EXPECT_EQ(shape->area(), 14.0 * 14.0);
  const Minimal two{2};
  const std::list<std::monostate> five(5);
  const auto nothings = co_await rt.request<&more>(other, five, Silent{}, two);
  EXPECT_EQ(nothings.size(), 7U);
}

// --- objects, moved ---

template <class T>
struct Keeper {
  T value = T::number(1);
  std::vector<T> others;
  T swap(T newer) { return std::exchange(value, std::move(newer)); }
  void add(T other) { others.push_back(std::move(other)); }
  void keep(int n, const T& given) { expect_number(given, n, "argument of a collection"); }
  int compare(int n, std::size_t count) const {
    expect_number(value, n, "member");
    EXPECT_EQ(others.size(), count);
    for (const T& other : others) expect_number(other, 9, "element");
    return 1;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(value, others);
  }
};

template <class T>
roam::Task<> use_objects(roam::Runtime& rt, roam::Rank other) {
  const auto keeper = rt.create<Keeper<T>>();
  keeper.template send<&Keeper<T>::add>(T::number(9));
  co_await keeper.migrate_and_wait(other);
  keeper.template send<&Keeper<T>::add>(T::number(9));
  T next_value = T::number(2);
  const T old = co_await keeper.template call<&Keeper<T>::swap>(given(next_value));
  expect_number(old, 1, "result of a method");
  co_await keeper.migrate_and_wait(rt.rank());
  (void)co_await keeper.template call<&Keeper<T>::compare>(2, std::size_t{2});
}

template <class T>
T gather_keepers(roam::Gathered<Keeper<T>> keepers, T value) {
  for (Keeper<T>& keeper : keepers) (void)keeper.compare(1, 0);
  return value;
}
template <class T>
roam::Task<> use_multicast(roam::Runtime& rt, roam::Rank other) {
  const std::vector<roam::mobile_ptr<Keeper<T>>> two{rt.create<Keeper<T>>(),
                                                     rt.create<Keeper<T>>()};
  two[1].migrate(other);
  T six = T::number(6);
  const T result = co_await rt.multicast_call<&gather_keepers<T>>(two, given(six));
  expect_number(result, 6, "result of a multicast");
  rt.multicast<&gather_keepers<T>>(two, T::number(7));
}

template <class T>
void note_landed(std::span<int> landed, T value) {
  expect_number(value, landed[0], "argument of put_op");
}
template <class T>
roam::Task<> use_memory(roam::Runtime& rt, roam::Rank other) {
  const auto region = co_await rt.memory().remote_alloc<int>(other, 1);
  std::vector<int> number{8};
  co_await rt.memory().put_op<&note_landed<T>>(region, number, T::number(8));
  co_await rt.memory().get_op<&note_landed<T>>(number, region, T::number(8));
  co_await rt.quiescence();  // also of the other ranks
  co_await rt.memory().remote_free(region);
}

template <class T>
roam::Task<> use_collections(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const roam::Index<1> extent{4};
  const auto row = co_await rt.create_collection<Keeper<T>>(extent, roam::Placement::cyclic());
  T five = T::number(5);
  co_await row.template for_all<&Keeper<T>::keep>(5, given(five));
  EXPECT_EQ((co_await row.template reduce<&Keeper<T>::compare, std::plus<>>(1, std::size_t{0})), 4);
  co_await row.destroy();
}

template <class T>
roam::Task<> use_collectives(roam::Runtime& rt) {
  const T same = co_await rt.broadcast<T>(0, T::number(rt.rank() == 0 ? 5 : 0));
  expect_number(same, 5, "broadcast");
  const auto all = co_await rt.allgather<T>(T::number(rt.rank().value()));
  for (int r = 0; r < rt.size(); ++r)
    expect_number(all[static_cast<std::size_t>(r)], r, "allgather");
}

template <class T>
roam::Task<> use_everywhere(roam::Runtime& rt) {
  const roam::Rank other((rt.rank().value() + 1) % rt.size());
  co_await use_ranks<T>(rt, other);
  co_await use_objects<T>(rt, other);
  co_await use_multicast<T>(rt, other);
  co_await use_memory<T>(rt, other);
  co_await use_collections<T>(rt);
  co_await use_collectives<T>(rt);
}

class Travelling : public ::testing::TestWithParam<std::int32_t> {};
INSTANTIATE_TEST_SUITE_P(Ranks, Travelling, ::testing::Values(1, 2, 3));

void run_job(std::int32_t ranks, const roam::Runtime::Program& program) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  EXPECT_EQ(roam::run(options, program), 0);
}

TEST_P(Travelling, what_can_be_copied_goes_everywhere) {
  run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    co_await use_everywhere<Everything>(rt);
    co_await use_bare_values(rt, (rt.rank().value() + 1) % rt.size());
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}
TEST_P(Travelling, what_can_only_be_moved_goes_everywhere) {
  run_job(GetParam(), [](roam::Runtime& rt) -> roam::Task<> {
    co_await use_everywhere<Alone>(rt);
    co_await rt.quiescence();
    EXPECT_EQ(rt.messenger().stats().messages_rejected, 0U);
  });
}

}  // namespace

}  // namespace travelling_test
