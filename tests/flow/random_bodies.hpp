// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tasks of random programs do with their data.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "roam/core/error.hpp"
#include "roam/flow/flow.hpp"
#include "roam/roam.hpp"

namespace roam::flow::random_program {

inline std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  a = (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2))) * 0x7fb5d329728ea185ULL;
  return a ^ (a >> 27);
}

struct Cell {
  std::uint64_t value = 7;
};

/// Neither associative nor commutative: combining in another order changes the bits.
struct Mix {
  Cell operator()(const Cell& a, const Cell& b) const { return {mixed(a.value, b.value)}; }
};

/// The arguments of a task.
struct Order {
  std::uint64_t seed = 0;
  std::uint32_t microseconds = 0;
  bool fails = false;
};

inline void begin(const Order& order) {
  if (order.microseconds > 0) here().compute(std::chrono::microseconds(order.microseconds));
  if (order.fails) throw Error("task " + std::to_string(order.seed % 1000) + " is told to fail");
}

inline void modify(Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, order.seed);
}
inline void combine(const Cell& a, const Cell& b, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, mixed(a.value, b.value));
}
inline void overwrite(const Cell& a, Out<Cell> x, Order order) {
  begin(order);
  if (x->value != 7) throw Error("a new value is not T()");
  x->value = mixed(a.value, order.seed);
}
inline void add_any_order(Commute<Cell> x, Order order) {
  begin(order);
  x->value += order.seed;
}
inline void add_two(Commute<Cell> x, Commute<Cell> y, const Cell& a, Order order) {
  begin(order);
  x->value += order.seed;
  y->value += order.seed ^ a.value;
}
inline void reduce(const Cell& a, Reduce<Cell, Mix> x, Order order) {
  begin(order);
  x({order.seed});
  if (order.seed % 2 == 0) x(a);
}
inline void accumulate(const Cell& a, Accumulate<Cell, Mix> x, Order order) {
  begin(order);
  x({mixed(a.value, order.seed)});
  if (order.seed % 3 == 0) x({order.seed});
}
inline void accumulate_two(Accumulate<Cell, Mix> x, Accumulate<Cell, Mix> y, Order order) {
  begin(order);
  x({order.seed});
  y({order.seed + 1});
}

// --- data of which parts are used ---

using Row = std::vector<std::uint64_t>;
constexpr std::size_t row_length = 12;

/// Of rows, element by element; neither associative nor commutative.
struct MixRows {
  Row operator()(const Row& a, const Row& b) const {
    Row sum(a);
    for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) sum[i] = mixed(a[i], b[i]);
    return sum;
  }
};

inline std::uint64_t digest(std::span<const std::uint64_t> all) {
  std::uint64_t sum = all.size();
  for (const std::uint64_t one : all) sum = mixed(sum, one);
  return sum;
}
inline void modify_part(std::span<std::uint64_t> part, Order order) {
  begin(order);
  for (std::uint64_t& one : part) one = mixed(one, order.seed);
}
inline void read_part(std::span<const std::uint64_t> part, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, digest(part));
}
inline void read_two(std::span<const std::uint64_t> a, const std::span<const std::uint64_t>& b,
                     Cell& x) {
  x.value = mixed(x.value, mixed(digest(a), digest(b)));
}
inline void move_part(std::span<const std::uint64_t> from, std::span<std::uint64_t> to,
                      Order order) {
  begin(order);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = mixed(to[i], digest(from) + i);
}
inline void modify_row(Row& row, const Cell& x, Order order) {
  begin(order);
  for (std::uint64_t& one : row) one = mixed(x.value, one);
}
inline void read_row(const Row& row, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, digest(row));
}
inline void overwrite_row(Out<Row> row, const Cell& x, Order order) {
  begin(order);
  if (!row->empty()) throw Error("a new row is not empty");
  row->assign(row_length, mixed(x.value, order.seed));
}
inline void accumulate_row(Accumulate<Row, MixRows> row, const Cell& x, Order order) {
  begin(order);
  row(Row(row_length, mixed(x.value, order.seed)));
}
inline void add_to_row(Commute<Row> row, Order order) {
  begin(order);
  for (std::uint64_t& one : *row) one += order.seed;
}

// --- results ---

inline std::uint64_t number_of(const Cell& cell) { return cell.value; }
inline std::uint64_t number_of(const Row& row) { return digest(row); }

template <class T>
Task<std::string> words_of(Handle<T> datum) {
  std::string words;
  try {
    const T value = co_await datum.get();
    words = std::to_string(number_of(value));
  } catch (const Error& error) {
    words = error.what();
  }
  co_return words;
}

}  // namespace roam::flow::random_program
