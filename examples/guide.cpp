// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/guide.md, compiled and run.
#include <cmath>
#include <cstdio>
#include <functional>
#include <roam/roam.hpp>
#include <string>
#include <vector>

// [objects]
struct Field {
  std::vector<double> values;
  void fill(int n, double x) {
    values.assign(static_cast<std::size_t>(n), x);
  }                     // alone on the object
  double sum() const {  // may overlap
    double total = 0;
    for (const double v : values) total += v;
    return total;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

roam::Task<double> use(roam::Runtime& rt) {
  roam::mobile_ptr<Field> field = rt.create<Field>();
  field.send<&Field::fill>(1000, 0.5);
  field.migrate(rt.size() - 1);  // once no handler runs on it
  const double sum = co_await field.call<&Field::sum>();
  field.destroy();
  co_return sum;
}
// [objects]

// [functions]
int cores_here(int per_worker) { return per_worker * static_cast<int>(roam::here().workers()); }

roam::Task<int> count_cores(roam::Runtime& rt) {
  int total = 0;
  for (int r = 0; r < rt.size(); ++r) total += co_await rt.request<&cores_here>(r, 1);
  co_return total;
}
// [functions]

// [collectives]
roam::Task<double> mean_of(roam::Runtime& rt, double mine) {
  const double sum = co_await rt.allreduce<std::plus<>>(mine);
  const std::vector<double> all = co_await rt.gather(0, mine);  // by rank; elsewhere empty
  const auto largest = co_await rt.reduce<roam::Max>(0, mine);  // elsewhere std::nullopt
  const int words = co_await rt.broadcast(0, largest ? 3 : 0);  // rank 0's, everywhere
  co_await rt.barrier();
  co_return words == 3 ? sum / rt.size() : 0.0;
}
// [collectives]

// [grid]
struct Block {
  roam::Index<2> place;
  double heat = 0;
  Block() = default;
  Block(const roam::Index<2>& index, double initial) : place(index), heat(initial) {}
  void warm(double by) { heat += by; }
  double get() const { return heat; }
};

roam::Task<double> heat_of_grid(roam::Runtime& rt) {
  const roam::Index<2> extent{20, 30};
  const auto grid = co_await rt.create_collection<Block>(extent, roam::Placement::block(), 1.0);
  const roam::mobile_ptr<Block> block = grid[{3, 4}];  // like any other
  block.migrate(rt.size() - 1);
  co_await block.call<&Block::warm>(0.5);
  for (const roam::Index<2>& next : grid.neighbours({3, 4}))
    co_await grid[next].call<&Block::warm>(0.1);
  co_await grid.for_all<&Block::warm>(2.0);  // a phase: all have run it
  const roam::Box<2> corner{{0, 0}, {10, 10}, {2, 2}};
  grid.section(corner).broadcast<&Block::warm>(1.0);  // one in four of a hundred
  const double sum = co_await grid.reduce<&Block::get, std::plus<>>();
  co_await grid.destroy();
  co_return sum;
}
// [grid]

// [sparse]
struct Word {
  int count = 0;
  void seen() { ++count; }
  int get() const { return count; }
};

roam::Task<int> count_words(roam::Runtime& rt) {
  const auto words = co_await rt.create_sparse_collection<Word, std::string>();
  for (const std::string word : {"to", "be", "or", "not", "to", "be"}) {
    words.send_insert(word);  // no effect if it is there
    co_await words[word].call<&Word::seen>();
  }
  const int twice = co_await words[std::string("be")].call<&Word::get>();
  const bool was_there = co_await words.erase("not");
  const int all = co_await words.reduce<&Word::get, std::plus<>>();  // of what is left
  co_return was_there ? 10 * all + twice : 0;
}
// [sparse]

// [costs]
void start(roam::mobile_ptr<Field> field, int n) {
  field.send_with<&Field::fill>({.weight = n / 1000.0}, n,
                                1.0);  // relative: scaled by what is measured
  field.send_with<&Field::fill>({.cost_seconds = 2e-6 * n}, n, 2.0);  // absolute: taken as it is
}
// [costs]

roam::Task<> program(roam::Runtime& rt) {
  const double mean = co_await mean_of(rt, rt.rank().value());
  if (rt.rank() != 0) co_return;
  if (2 * mean != rt.size() - 1) throw roam::Error("a wrong mean");
  const double sum = co_await use(rt);
  const int cores = co_await count_cores(rt);
  const double heat = co_await heat_of_grid(rt);
  if (std::abs(heat - (600 * 3.0 + 0.5 + 4 * 0.1 + 25)) > 1e-9)
    throw roam::Error("the grid is too cold");
  if (co_await count_words(rt) != 52) throw roam::Error("words were lost");
  start(rt.create<Field>(), 5000);
  std::printf("sum %.1f, at least one core per rank: %s\n", sum, cores >= rt.size() ? "yes" : "no");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
