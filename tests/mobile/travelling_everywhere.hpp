// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sends values of a class wherever values are sent. The class T has T::number(int), which makes a
// value, and ==.
#include <gtest/gtest.h>
#include <cereal/types/optional.hpp>

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "roam/roam.hpp"
#include "support/travelling_types.hpp"

namespace travelling_everywhere {

using roam::testing::travelling::Empty;

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
  T eight = T::number(8);
  co_await rt.memory().put_op<&note_landed<T>>(region, number, given(eight));
  T again = T::number(8);
  co_await rt.memory().get_op<&note_landed<T>>(number, region, given(again));
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
  T mine = T::number(rt.rank() == 0 ? 5 : 0);
  const T same = co_await rt.broadcast<T>(0, given(mine));
  expect_number(same, 5, "broadcast");
  T own = T::number(rt.rank().value());
  const auto all = co_await rt.allgather<T>(given(own));
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

inline void run_job(std::int32_t ranks, const roam::Runtime::Program& program) {
  roam::Options options;
  options.transport = "in-process";
  options.ranks = ranks;
  options.ranks_given = true;
  options.workers = 1;
  EXPECT_EQ(roam::run(options, program), 0);
}

}  // namespace travelling_everywhere
