// SPDX-License-Identifier: Apache-2.0
#include "flow/random_program.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "flow/random_bodies.hpp"
#include "roam/core/random.hpp"

namespace roam::flow::random_program {

namespace {

void issue_on_row(Flow& fl, const Handle<Row>& row, const Handle<Cell>& x, const Handle<Cell>& y,
                  const Shape& shape, core::Random& random);

void issue_parts(Flow& fl, Handle<Row> row, Handle<Cell> x, Handle<Cell> y, Shape shape,
                 Order order) {
  begin(order);
  core::Random random(shape.seed);
  for (std::uint64_t n = 1 + random.below(5); n > 0; --n)
    issue_on_row(fl, row, x, y, shape, random);
}
void read_parts(Flow& fl, Handle<const Row> row, Handle<Cell> x, Order order) {
  fl.work<&read_part>(row.part(0, 5), x, order);
  fl.work<&read_row>(row, x, order);
}

void issue_on_row(Flow& fl, const Handle<Row>& row, const Handle<Cell>& x, const Handle<Cell>& y,
                  const Shape& shape, core::Random& random) {
  const Order order{random(), static_cast<std::uint32_t>(random.below(shape.microseconds + 1)),
                    random.unit() < shape.failures};
  std::size_t at[4];
  for (std::size_t& one : at) one = random.below(row_length + 1);
  std::sort(std::begin(at), std::end(at));
  std::uint64_t kind = random.below(shape.depth > 0 ? 15 : 13);
  if (shape.failures > 0 && kind == 11) kind = 0;
  switch (kind) {
    case 4:
      return fl.work<&modify_row>(row, y, order);
    case 5:
      return fl.work<&read_row>(row, x, order);
    case 6:
      return fl.work<&overwrite_row>(row, y, order);
    case 7:
      return fl.work<&read_two>(row.part(at[0], at[2]), row.part(at[1], at[3]), x);
    case 8:
      return fl.work<&move_part>(row.part(at[2], at[3]), row.part(at[0], at[1]), order);
    case 9:
      return fl.work<&move_part>(row.part(at[0], at[1]), row.part(at[2], at[3]), order);
    case 10:
      return fl.work<&accumulate_row>(row, y, order);
    case 11:
      return fl.work<&add_to_row>(row, order);
    case 12:  // there are not as many elements
      return fl.work<&modify_part>(
          row.part(at[0], at[3] + (shape.failures > 0 ? row_length : 0) * random.below(2)), order);
    case 13: {
      Shape inner = shape;
      inner.seed = random();
      inner.depth = shape.depth - 1;
      return fl.work<&issue_parts>(row, x, y, inner, order);
    }
    case 14:
      return fl.work<&read_parts>(row, x, order);
    default:
      return kind % 2 == 0 ? fl.work<&modify_part>(row.part(at[0], at[2]), order)
                           : fl.work<&read_part>(row.part(at[1], at[3]), x, order);
  }
}

/// The data of a program.
struct Data {
  std::vector<Handle<Cell>> cells;
  Handle<Row> row;
};

void issue_some(Flow& fl, const Data& data, const Shape& shape);

/// Issues tasks on its data, and on a datum of its own.
void issue(Flow& fl, Handle<Cell> x, Handle<Cell> y, Handle<const Cell> z, Handle<Row> row,
           Shape shape, Order order) {
  begin(order);
  auto own = fl.data<Cell>();
  fl.work<&overwrite>(z, own, Order{shape.seed, 0, false});
  auto copy = fl.data(Cell{3});
  fl.work<&combine>(own, z, copy, Order{shape.seed, 0, false});
  issue_some(fl, {{x, y, own, copy}, row}, shape);
}

void round(Flow& fl, Handle<Cell> x, Handle<Cell> y, Handle<const Cell> z, Order order) {
  fl.work<&modify>(x, Order{order.seed, order.microseconds, false});
  fl.work<&combine>(x, z, y, order);
}

void issue_one(Flow& fl, const Data& all, const Shape& shape, core::Random& random) {
  const std::vector<Handle<Cell>>& data = all.cells;
  // Three different data.
  std::vector<std::size_t> which(data.size());
  for (std::size_t i = 0; i < which.size(); ++i) which[i] = i;
  for (std::size_t i = 0; i < 3; ++i)
    std::swap(which[i], which[i + random.below(which.size() - i)]);
  const Handle<Cell>& x = data[which[0]];
  const Handle<Cell>& y = data[which[1]];
  const Handle<Cell>& z = data[which[2]];
  if (random.below(3) == 0) return issue_on_row(fl, all.row, x, y, shape, random);
  const Order order{random(), static_cast<std::uint32_t>(random.below(shape.microseconds + 1)),
                    random.unit() < shape.failures};
  std::uint64_t kind = random.below(shape.depth > 0 ? 12 : 9);
  // A failing task among commuting ones prevents those that come after it, in an order that is not
  // determined, from running.
  if (shape.failures > 0 && (kind == 3 || kind == 4)) kind = 0;
  switch (kind) {
    case 0:
      return fl.work<&modify>(x, order);
    case 1:
      return fl.work<&combine>(y, z, x, order);
    case 2:
      return fl.work<&overwrite>(y, x, order);
    case 3:
      return fl.work<&add_any_order>(x, order);
    case 4:
      return fl.work<&add_two>(x, y, z, order);
    case 5:
      return fl.work<&reduce>(y, x, order);
    case 6:
      return fl.work<&accumulate>(y, x, order);
    case 7:
      return fl.work<&accumulate_two>(x, y, order);
    case 8:
      return fl.work([](const Cell& a, Cell b, Cell& c) { c.value = mixed(a.value, b.value); }, y,
                     z, x);
    case 9:
      return fl.while_([](const Cell& c) { return c.value % 3 != 0; }, fn<&round>, x, y, z, order);
    case 10:
      return fl.if_([](const Cell& c, const Cell& d) { return c.value < d.value; }, fn<&round>, x,
                    y, z, order);
    default: {
      Shape inner = shape;
      inner.seed = random();
      inner.depth = shape.depth - 1;
      inner.tasks = std::max<std::uint32_t>(2, shape.tasks / 4);
      return fl.work<&issue>(x, y, z, all.row, inner, order);
    }
  }
}

void issue_some(Flow& fl, const Data& data, const Shape& shape) {
  core::Random random(shape.seed);
  for (std::uint32_t i = 0; i < shape.tasks; ++i) issue_one(fl, data, shape, random);
}

/// The same tasks several times as a graph: mostly on data in another order, at times with other
/// tasks at the end, or with others altogether, and now and then cancelled.
void issue_graph(Flow& fl, Data all, const Shape& shape, core::Random& random) {
  std::vector<Handle<Cell>>& data = all.cells;
  const std::string name = "graph " + std::to_string(random());
  Shape part = shape;
  part.seed = random();
  part.tasks = 1 + static_cast<std::uint32_t>(random.below(shape.tasks));
  for (std::uint64_t rounds = 2 + random.below(4); rounds > 0; --rounds) {
    const std::uint64_t kind = random.below(8);
    Shape present = part;
    if (kind == 0) present.seed = random();
    if (kind == 1) present.tasks = 1 + static_cast<std::uint32_t>(random.below(shape.tasks));
    if (kind != 2) std::rotate(data.begin(), data.begin() + 1, data.end());
    if (kind == 3) fl.work<&modify>(data[0], Order{random(), 0, false});
    fl.graph(name, [&] {
      Data more = all;
      more.cells.push_back(fl.data(Cell{shape.seed}));
      issue_some(fl, more, present);
    });
    if (shape.is_cancelled && kind > 4) fl.cancel();
  }
}

}  // namespace

namespace {

/// Which rank fetches which value in one round, the same on all ranks.
struct Round {
  std::uint64_t program;
  std::uint32_t number;                            // any_number: that is how many read
  std::vector<std::vector<std::int32_t>> sources;  // by rank
  std::vector<Readers> readers;                    // by rank
  bool has_any_number;
};

Round round_of(const Shape& shape, std::uint32_t number, std::int32_t ranks, core::Random& random) {
  Round round{
      shape.seed, number + 1, {}, std::vector<Readers>(static_cast<std::size_t>(ranks)), false};
  for (std::int32_t r = 0; r < ranks; ++r) {
    round.sources.emplace_back();
    for (std::uint64_t n = random.below(4); n > 0; --n) {
      const auto from = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(ranks)));
      round.sources.back().push_back(from);
      ++round.readers[static_cast<std::size_t>(from)];
    }
  }
  round.has_any_number = random.unit() < shape.phases;
  if (round.has_any_number) round.number = any_number;
  return round;
}

/// A value for any number of readers is published once in a phase, so that the next one has the
/// same key.
Key key_of(std::uint64_t program, std::uint32_t number, std::int32_t from) {
  if (number == any_number) return {program, "value", from};
  return {program, number, "value", from};
}

void fetch_inside(Flow& fl, Handle<Cell> x, std::uint64_t program, std::int32_t from,
                  std::uint32_t number, Order order) {
  auto own = fl.data(Cell{order.seed});
  fl.publish(own, {program, "inside", order.seed});
  auto value = fl.fetch<Cell>(key_of(program, number, from));
  auto copy = fl.fetch<Cell>({program, "inside", order.seed});
  fl.work<&combine>(value, copy, x, order);
}

void publish_one(Flow& fl, const std::vector<Handle<Cell>>& data, const Round& round,
                 std::int32_t rank, const Order& order) {
  fl.work<&modify>(data[0], order);
  const Readers readers = round.readers[static_cast<std::size_t>(rank)];
  if (readers > 0 || round.has_any_number) {
    const Readers most = round.has_any_number ? any_number : readers;
    const Key key = key_of(round.program, round.number, rank);
    order.seed % 2 == 0 ? fl.publish(data[0], key, most) : fl.publish(data[0].freeze(), key, most);
  }
  fl.work<&modify>(data[0], Order{order.seed + 1, 0, false});
}

void fetch_some(Flow& fl, const std::vector<Handle<Cell>>& data, const Round& round,
                std::int32_t rank, const Order& order) {
  const Order fine{order.seed, order.microseconds, false};
  std::uint64_t count = 0;
  for (const std::int32_t from : round.sources[static_cast<std::size_t>(rank)]) {
    Order next = fine;
    next.seed = mixed(order.seed, static_cast<std::uint64_t>(rank) * 100 + ++count);
    if (next.seed % 3 == 0) {
      fl.work<&fetch_inside>(data[1], round.program, from, round.number, next);
    } else {
      const auto value = fl.fetch<Cell>(key_of(round.program, round.number, from));
      fl.work<&combine>(value, data[0], data[1], next);
    }
  }
}

}  // namespace

Task<std::vector<std::string>> run_keys(Flow& fl, Shape shape, std::int32_t own,
                                        std::int32_t ranks) {
  const bool is_serial = fl.scope().core().runs_at_once();
  const std::int32_t first = is_serial ? 0 : own;
  const std::int32_t end = is_serial ? ranks : own + 1;
  std::vector<std::vector<Handle<Cell>>> data(static_cast<std::size_t>(ranks));
  for (std::int32_t r = first; r < end; ++r) {
    for (std::uint64_t i = 0; i < 2; ++i)
      data[static_cast<std::size_t>(r)].push_back(
          fl.data(Cell{static_cast<std::uint64_t>(r) * 2 + i}));
  }
  core::Random random(shape.seed);
  for (std::uint32_t i = 0; i < shape.tasks; ++i) {
    const Round round = round_of(shape, i, ranks, random);
    const Order order{random(), static_cast<std::uint32_t>(random.below(shape.microseconds + 1)),
                      random.unit() < shape.failures};
    for (std::int32_t r = first; r < end; ++r)
      publish_one(fl, data[static_cast<std::size_t>(r)], round, r, order);
    for (std::int32_t r = first; r < end; ++r)
      fetch_some(fl, data[static_cast<std::size_t>(r)], round, r, order);
    if (shape.is_cancelled && random.below(4) == 0) fl.cancel();
    if (round.has_any_number || random.unit() < shape.phases / 2) co_await fl.phase();
  }
  std::vector<std::string> seen;
  for (const Handle<Cell>& datum : data[static_cast<std::size_t>(own)])
    seen.push_back(co_await words_of(datum));
  co_await fl.done();
  if (shape.phases > 0) co_await fl.phase();
  co_return seen;
}

Task<std::vector<std::string>> run(Flow& fl, Shape shape) {
  Data data;
  for (std::uint32_t i = 0; i < shape.data; ++i) data.cells.push_back(fl.data(Cell{i}));
  data.row = fl.data(Row(row_length, shape.seed));
  if (shape.seed % 3 != 0) {
    data.row.copied_for_readers();
    for (std::size_t i = 0; i < data.cells.size(); i += 2) data.cells[i].copied_for_readers();
  }
  core::Random random(shape.seed);
  std::vector<std::string> seen;
  for (int part = 0; part < 2; ++part) {
    for (std::uint32_t i = 0; i < shape.tasks; ++i) {
      if (random.unit() < shape.graphs / 4) issue_graph(fl, data, shape, random);
      issue_one(fl, data, shape, random);
    }
    if (shape.is_cancelled) fl.cancel();
    for (const Handle<Cell>& datum : data.cells) seen.push_back(co_await words_of(datum));
    seen.push_back(co_await words_of(data.row));
  }
  co_await fl.done();
  co_return seen;
}

}  // namespace roam::flow::random_program
