// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

#include "flow/random_bodies.hpp"
#include "flow/random_program.hpp"
#include "roam/core/random.hpp"
#include "roam/flow/detail/distribution.hpp"

namespace roam::flow::random_program {

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

// --- elements of which parts are used ---

void fill_row(Out<Row> row, Index<2> at, Order order) {
  row->assign(row_length, mixed(order.seed, static_cast<std::uint64_t>(at[0] * 100 + at[1])));
}
void modify_some(std::span<std::uint64_t> part, Order order) {
  begin({order.seed, order.microseconds, order.fails && digest(part) % 3 == 0});
  for (std::uint64_t& one : part) one = mixed(one, order.seed);
}
void read_edges(std::span<const std::uint64_t> left, std::span<const std::uint64_t> right,
                std::span<const std::uint64_t> of_all, std::span<std::uint64_t> own, Cell& x,
                Reduce<Cell, Mix> sum) {
  x.value = mixed(mixed(x.value, digest(left)), mixed(digest(right), digest(of_all)));
  for (std::uint64_t& one : own) one = mixed(one, x.value);
  sum(x);
}
void renew_row(std::span<const std::uint64_t> own, const Row& left, Out<Row> row) {
  row->assign(row_length, mixed(digest(own), digest(left)));
}
void parts_in_children(Flow& fl, Handle<Row> row, Order order) {
  fl.work<&modify_part>(row.part(0, 7), order);
  fl.work<&move_part>(row.part(0, 2), row.part(5, 9), order);
}

// --- which elements there are, and which are read ---

bool is_there(const Index<2>& at, const Index<2>& extent) {
  return (at[0] * 2 + at[1]) % 3 != 1 || at[0] + 1 == extent[0];
}
Index<2> mirrored(Index<2> at, Index<2> extent) {
  return {extent[0] - 1 - at[0], extent[1] - 1 - at[1]};
}
std::vector<Index<2>> mirrors(Index<2> at, Index<2> extent) { return {mirrored(at, extent)}; }
Index<1> row_of(Index<2> at, Index<1> /*extent*/) { return {at[0]}; }
std::vector<Index<2>> cells_of_row(Index<1> row, Index<1> /*extent*/) {
  std::vector<Index<2>> cells;
  for (std::int64_t column = 0; column < 5; ++column) cells.push_back(Index<2>{row[0], column});
  return cells;
}
Index<2> first_of_row(Index<1> row, Index<2> extent) { return {row[0], extent[1] - 1}; }
std::vector<Index<1>> row_of_first(Index<2> at, Index<2> extent) {
  if (at[1] + 1 != extent[1]) return {};
  return {Index<1>{at[0]}};
}

void fill_line(Out<Cell> x, Index<1> at, Order order) {
  x->value = mixed(order.seed, static_cast<std::uint64_t>(at[0]));
}
void read_around(Neighbours<Cell, 2> in, Cell& x, Reduce<Cell, Mix> sum, const Order& order) {
  begin(order);
  for (std::size_t i = 0; i < in.size(); ++i) {
    const auto place = static_cast<std::uint64_t>(in.offset(i)[0] * 3 + in.offset(i)[1] + 4);
    x.value = mixed(x.value, mixed(in[i].value, place));
  }
  x.value += in.at(-1, 0).value;
  if (x.value % 5 != 0) sum(x);
}
void renew_from(const Neighbours<Cell, 2>& in, const Cell& x, Out<Cell> y) {
  y->value = mixed(x.value, in.at(0, 1).value);
}

/// The data of a program.
struct Grids {
  Cells cells[2];
  Collection<Cell, 1> line;
  Collection<Row, 2> rows;
  Handle<Cell> sum;
  Handle<Row> row;
};

void issue_on_rows(Flow& fl, const Grids& grids, const Cells& cells, const Order& order,
                   core::Random& random) {
  const Collection<Row, 2>& rows = grids.rows;
  const Order fine{order.seed, order.microseconds, false};
  std::size_t at[4];
  for (std::size_t& one : at) one = random.below(row_length + 1);
  std::sort(std::begin(at), std::end(at));
  switch (random.below(13)) {
    case 0:
      return fl.for_each<&fill_row>(rows.own(), rows.index(), fine);
    case 1:  // in place, beside what the neighbours read
      at[0] = std::min(at[0], row_length - 1);
      for (std::size_t i = 1; i < 4; ++i) at[i] = std::max(at[i], at[0] + 1);
      return fl.for_each<&read_edges>(
          rows.at(-1, 0).periodic().part(at[1], at[3]), rows.at(0, 1).periodic().part(at[2], at[3]),
          grids.row.part(at[0], at[3]), rows.own().part(at[0], at[1]), cells.own(), grids.sum);
    case 2:  // values beyond the edge have no elements
      return fl.for_each<&read_part>(rows.at(0, -1).part(at[0], order.fails ? at[2] : at[0]),
                                     cells.own(), fine);
    case 3:
      return fl.for_each<&move_part>(rows.own().part(at[2], at[3]), rows.own().part(at[0], at[1]),
                                     fine);
    case 4:
      return fl.for_each<&renew_row>(rows.own().part(at[0], at[2]), rows.at(-1, 1).periodic(),
                                     rows.own());
    case 5:
      return fl.for_each<&accumulate_row>(rows.own(), cells.at(1, 0).periodic(), fine);
    case 6:
      return fl.for_each<&read_row>(rows.at(1, 1).periodic(), cells.own(), fine);
    case 7:
      return fl.for_each<&parts_in_children>(rows.own(), fine);
    case 8:
      return fl.for_each<&read_part>(rows.own().part(at[0], at[2]), cells.own(), fine);
    case 9:
      return fl.for_each<&modify_row>(rows.own(), cells.own(), fine);
    default:
      return fl.for_each<&modify_some>(rows.own().part(at[1], at[3]), order);
  }
}

void issue_on_neighbours(Flow& fl, const Grids& grids, std::size_t which, const Order& order,
                         core::Random& random) {
  const Cells& a = grids.cells[which];
  const Cells& b = grids.cells[1 - which];
  const Cell border{order.seed};
  switch (random.below(8)) {
    case 0:
      return fl.for_each<&read_around>(b.faces(), a.own(), grids.sum, order);
    case 1:
      return fl.for_each<&read_around>(b.neighbours().periodic(), a.own(), grids.sum, order);
    case 2:
      return fl.for_each<&read_around>(b.faces().border(border), a.own(), grids.sum, order);
    case 3:
      return fl.for_each<&renew_from>(a.neighbours().border(grids.sum), a.own(), a.own());
    case 4:
      return fl.for_each<&combine>(b.at(0, 1).border(border), b.at(-1, 1).border(grids.sum),
                                   a.own(), order);
    case 5:
      return fl.for_each<&overwrite>(a.at<&mirrored, &mirrors>(), a.own(), order);
    case 6:
      return fl.for_each<&combine>(grids.line.at<&row_of, &cells_of_row>(),
                                   b.at<&mirrored, &mirrors>().border(border), a.own(), order);
    default:
      return fl.for_each<&combine>(a.at<&first_of_row, &row_of_first>(),
                                   b.at<&first_of_row, &row_of_first>().border(border),
                                   grids.line.own(), order);
  }
}

void issue_operation(Flow& fl, const Grids& grids, std::size_t which, const Shape& shape,
                     core::Random& random) {
  const Cells& a = grids.cells[which];
  const Cells& b = grids.cells[1 - which];
  const Handle<Cell>& sum = grids.sum;
  const Order order{random(), static_cast<std::uint32_t>(random.below(shape.microseconds + 1)),
                    random.unit() < shape.failures};
  const Order fine{order.seed, order.microseconds, false};
  const std::uint64_t kind = random.below(6);
  if (kind < 2) return issue_on_rows(fl, grids, a, order, random);
  if (kind == 2) return issue_on_neighbours(fl, grids, which, fine, random);
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

/// All indices within an extent, or those for which is_there() holds.
Indices<2> indices_of(const Index<2>& extent, core::Random& random) {
  const std::uint64_t kind = random.below(4);
  if (kind > 1) return extent;
  if (kind == 1) return Indices<2>::where<&is_there>(extent);
  std::vector<Index<2>> those;
  for (std::int64_t k = extent[0] * extent[1] - 1; k >= 0; --k) {
    const Index<2> at{k / extent[1], k % extent[1]};
    if (is_there(at, extent)) those.push_back(at);
  }
  return Indices<2>::listed(extent, those);
}

/// Asks elements of this rank to move, as a policy might.
void move_some(Flow& fl, double probability, core::Random& random) {
  Runtime& rt = here();
  for (const auto& one : fl.scope().core().distributions()) {
    for (const ObjectId group : one->groups()) {
      if (random.unit() > probability) continue;
      const std::uint64_t to = random.below(static_cast<std::uint64_t>(rt.size()));
      rt.objects().migrate(group, Rank(static_cast<std::int32_t>(to)));
    }
  }
}

}  // namespace

Task<std::vector<std::string>> run_collections(Flow& fl, Shape shape) {
  core::Random random(shape.seed);
  const Index<2> extent{1 + random.below(5), 1 + random.below(5)};
  const Placement placement = random.below(3) == 0 ? Placement::cyclic() : Placement::block();
  const Indices<2> indices = indices_of(extent, random);
  Grids grids;
  for (Cells& one : grids.cells) {
    one = fl.collection<Cell>(indices, placement);
    fl.for_each<&fill>(one.own(), one.index(), Order{shape.seed, 0, false});
  }
  grids.line = fl.collection<Cell>(Index<1>{extent[0]}, Placement::cyclic());
  fl.for_each<&fill_line>(grids.line.own(), grids.line.index(), Order{shape.seed, 0, false});
  grids.rows = fl.collection<Row>(grids.cells[0].indices(), placement);
  fl.for_each<&fill_row>(grids.rows.own(), grids.rows.index(), Order{shape.seed, 0, false});
  grids.sum = fl.data(Cell{1});
  grids.row = fl.data(Row(row_length, shape.seed));
  core::Random of_moves(shape.seed + static_cast<std::uint64_t>(here().rank().value()));
  std::vector<std::string> seen;
  for (std::uint32_t i = 0; i < shape.tasks; ++i) {
    if (shape.moves > 0) move_some(fl, shape.moves, of_moves);
    const std::size_t which = random.below(2);
    if (random.unit() < shape.graphs) {
      const core::Random operations = random;
      const std::string name = "graph " + std::to_string(random());
      for (std::uint64_t rounds = 2 + random.below(4); rounds > 0; --rounds) {
        core::Random same = operations;
        fl.graph(name, [&] {
          issue_operation(fl, grids, which, shape, same);
          issue_operation(fl, grids, 1 - which, shape, same);
        });
      }
    }
    issue_operation(fl, grids, which, shape, random);
    if (random.unit() < shape.phases) co_await fl.phase();
    if (shape.is_cancelled && random.below(4) == 0) fl.cancel();
    if (random.below(6) == 0) seen.push_back(co_await words_of(grids.sum));
  }
  for (std::int64_t i = 0; i < extent[0]; ++i) {
    const Index<2> at{i, 0};
    if (!is_there(at, extent)) continue;
    const Handle<Row> copy = fl.copy_of(grids.rows, at);
    seen.push_back(co_await words_of(copy));
  }
  for (const Cells& one : grids.cells) {
    std::vector<Handle<Cell>> copies;
    for (std::int64_t i = 0; i < extent[0]; ++i) {
      const Index<2> at{i, extent[1] - 1};
      if (is_there(at, extent)) copies.push_back(fl.copy_of(one, at));
    }
    for (const Handle<Cell>& copy : copies) seen.push_back(co_await words_of(copy));
  }
  co_await fl.done();
  co_return seen;
}

}  // namespace roam::flow::random_program
