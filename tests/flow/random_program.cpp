// SPDX-License-Identifier: Apache-2.0
#include "flow/random_program.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <string>

#include "roam/core/error.hpp"
#include "roam/core/random.hpp"

namespace roam::flow::random_program {

namespace {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
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

void begin(const Order& order) {
  if (order.microseconds > 0) here().compute(std::chrono::microseconds(order.microseconds));
  if (order.fails) throw Error("task " + std::to_string(order.seed % 1000) + " is told to fail");
}

void modify(Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, order.seed);
}
void combine(const Cell& a, const Cell& b, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, mixed(a.value, b.value));
}
void overwrite(const Cell& a, Out<Cell> x, Order order) {
  begin(order);
  if (x->value != 7) throw Error("a new value is not T()");
  x->value = mixed(a.value, order.seed);
}
void add_any_order(Commute<Cell> x, Order order) {
  begin(order);
  x->value += order.seed;
}
void add_two(Commute<Cell> x, Commute<Cell> y, const Cell& a, Order order) {
  begin(order);
  x->value += order.seed;
  y->value += order.seed ^ a.value;
}
void reduce(const Cell& a, Reduce<Cell, Mix> x, Order order) {
  begin(order);
  x({order.seed});
  if (order.seed % 2 == 0) x(a);
}
void accumulate(const Cell& a, Accumulate<Cell, Mix> x, Order order) {
  begin(order);
  x({mixed(a.value, order.seed)});
  if (order.seed % 3 == 0) x({order.seed});
}
void accumulate_two(Accumulate<Cell, Mix> x, Accumulate<Cell, Mix> y, Order order) {
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

std::uint64_t digest(std::span<const std::uint64_t> all) {
  std::uint64_t sum = all.size();
  for (const std::uint64_t one : all) sum = mixed(sum, one);
  return sum;
}
void modify_part(std::span<std::uint64_t> part, Order order) {
  begin(order);
  for (std::uint64_t& one : part) one = mixed(one, order.seed);
}
void read_part(std::span<const std::uint64_t> part, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, digest(part));
}
void read_two(std::span<const std::uint64_t> a, const std::span<const std::uint64_t>& b, Cell& x) {
  x.value = mixed(x.value, mixed(digest(a), digest(b)));
}
void move_part(std::span<const std::uint64_t> from, std::span<std::uint64_t> to, Order order) {
  begin(order);
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = mixed(to[i], digest(from) + i);
}
void modify_row(Row& row, const Cell& x, Order order) {
  begin(order);
  for (std::uint64_t& one : row) one = mixed(x.value, one);
}
void read_row(const Row& row, Cell& x, Order order) {
  begin(order);
  x.value = mixed(x.value, digest(row));
}
void overwrite_row(Out<Row> row, const Cell& x, Order order) {
  begin(order);
  if (!row->empty()) throw Error("a new row is not empty");
  row->assign(row_length, mixed(x.value, order.seed));
}
void accumulate_row(Accumulate<Row, MixRows> row, const Cell& x, Order order) {
  begin(order);
  row(Row(row_length, mixed(x.value, order.seed)));
}
void add_to_row(Commute<Row> row, Order order) {
  begin(order);
  for (std::uint64_t& one : *row) one += order.seed;
}

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

using Cells = Collection<Cell, 2>;

void fill(Out<Cell> x, Index<2> at, Order order) {
  begin({order.seed, order.microseconds,
         order.fails && (at[0] * 3 + at[1]) % 7 == static_cast<std::int64_t>(order.seed % 7)});
  x->value = mixed(order.seed, static_cast<std::uint64_t>(at[0] * 100 + at[1]));
}
void relax(Cell& x, const Cell& north, const Cell& east, const Cell& south, const Cell& west,
           Reduce<Cell, Mix> sum, const Order& order) {
  begin(order);
  x.value = mixed(mixed(x.value, mixed(north.value, east.value)), mixed(south.value, west.value));
  if (x.value % 4 != 0) sum(x);
}
void renew(const Cell& x, const Cell& right, const Cell& left, const Cell& sum, Out<Cell> y) {
  y->value = mixed(mixed(x.value, sum.value), mixed(left.value, right.value));
}
void add_up(const Cell& x, Accumulate<Cell, Mix> sum, const Order& order) {
  begin(order);
  sum(x);
}
void with_children(Flow& fl, Handle<Cell> x, Handle<const Cell> y, Order order) {
  fl.work<&modify>(x, order);
  fl.work<&combine>(y, y, x, order);
}

void issue_operation(Flow& fl, const Cells& a, const Cells& b, const Handle<Cell>& sum,
                     const Shape& shape, core::Random& random) {
  const Order order{random(), static_cast<std::uint32_t>(random.below(shape.microseconds + 1)),
                    random.unit() < shape.failures};
  const Order fine{order.seed, order.microseconds, false};
  switch (random.below(8)) {
    case 0:
      return fl.for_each<&fill>(a.own(), a.index(), order);
    case 1:
    case 2:
      return fl.for_each<&relax>(a.own(), b.at(-1, 0), b.at(0, 1).periodic(), b.at(1, 0),
                                 b.at(0, -1), sum, fine);
    case 3:
      return fl.for_each<&renew>(a.own(), a.at(1, 1), a.at(-1, -2).periodic(), sum, a.own());
    case 4:
      return fl.for_each<&add_up>(a.own(), sum, fine);
    case 5:
      return fl.for_each<&with_children>(a.own(), b.at(2, 0).periodic(), fine);
    case 6:
      return fl.for_each(
          {.name = "modify"}, [](Cell& x, const Cell& s) { x.value = mixed(x.value, s.value); },
          a.own(), sum);
    default:
      return fl.work<&modify>(sum, fine);
  }
}

std::uint64_t number_of(const Cell& cell) { return cell.value; }
std::uint64_t number_of(const Row& row) { return digest(row); }

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

}  // namespace

Task<std::vector<std::string>> run_collections(Flow& fl, Shape shape) {
  core::Random random(shape.seed);
  const Index<2> extent{1 + random.below(5), 1 + random.below(5)};
  const Placement placement = random.below(3) == 0 ? Placement::cyclic() : Placement::block();
  const Cells cells[] = {fl.collection<Cell>(extent, placement),
                         fl.collection<Cell>(extent, placement)};
  auto sum = fl.data(Cell{1});
  for (const Cells& one : cells)
    fl.for_each<&fill>(one.own(), one.index(), Order{shape.seed, 0, false});
  std::vector<std::string> seen;
  for (std::uint32_t i = 0; i < shape.tasks; ++i) {
    const std::size_t which = random.below(2);
    if (random.unit() < shape.graphs) {
      const core::Random operations = random;
      const std::string name = "graph " + std::to_string(random());
      for (std::uint64_t rounds = 2 + random.below(4); rounds > 0; --rounds) {
        core::Random same = operations;
        fl.graph(name, [&] {
          issue_operation(fl, cells[which], cells[1 - which], sum, shape, same);
          issue_operation(fl, cells[1 - which], cells[which], sum, shape, same);
        });
      }
    }
    issue_operation(fl, cells[which], cells[1 - which], sum, shape, random);
    if (random.unit() < shape.phases) co_await fl.phase();
    if (shape.is_cancelled && random.below(4) == 0) fl.cancel();
    if (random.below(6) == 0) seen.push_back(co_await words_of(sum));
  }
  for (const Cells& one : cells) {
    std::vector<Handle<Cell>> copies;
    for (std::int64_t i = 0; i < extent[0]; ++i)
      copies.push_back(fl.copy_of(one, Index<2>{i, extent[1] - 1}));
    for (const Handle<Cell>& copy : copies) seen.push_back(co_await words_of(copy));
  }
  co_await fl.done();
  co_return seen;
}

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
    fl.publish(data[0], key_of(round.program, round.number, rank),
               round.has_any_number ? any_number : readers);
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
