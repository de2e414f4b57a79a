// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/guide.md, compiled and run.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <roam/roam.hpp>
#include <string>
#include <utility>
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

// [calls]
roam::Task<double> best_effort(roam::mobile_ptr<Field> field) {
  field.send_with<&Field::fill>({.priority = roam::Priority::high}, 10, 0.5);
  auto reply = field.call_with<&Field::sum>({.deadline = std::chrono::milliseconds(200)});
  try {
    co_return co_await reply;
  } catch (const roam::DeadlineExceeded&) {  // reply.cancel() would throw roam::Cancelled here
    co_return 0.0;
  }
}
// [calls]

// [replies]
roam::Task<double> sum_of_all(std::vector<roam::mobile_ptr<Field>> fields) {
  std::vector<roam::Reply<double>> replies;
  for (const auto& field : fields) replies.push_back(field.call<&Field::sum>());  // all under way
  double total = 0;
  for (const double sum : co_await roam::when_all(std::move(replies))) total += sum;
  co_return total;
}
// [replies]

// [access]
struct Half {
  roam::mobile_ptr<Half> other;
  double value = 1;
  double get() const { return value; }
  roam::Task<> average() {  // both halves may be in here at once, each asking the other
    const double theirs = co_await roam::without_access(other.call<&Half::get>());
    value = (value + theirs) / 2;  // what other calls have changed meanwhile is seen here
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(other, value);
  }
};
// [access]

// [multicast]
double exchange(roam::Gathered<Field> two, double share) {
  const double moved = two[0].values.back() * share;
  two[0].values.back() -= moved;
  two[1].values.back() += moved;
  return moved;
}

roam::Task<double> flow(roam::Runtime& rt, roam::mobile_ptr<Field> a, roam::mobile_ptr<Field> b) {
  const std::vector<roam::mobile_ptr<Field>> both{a, b};
  co_return co_await rt.multicast_call<&exchange>(both, 0.5);
}
// [multicast]

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

// [epochs]
void note_refined() {}

struct Piece {
  double error = 1;
  void refine() {
    error /= 2;
    // Belongs to the epoch of the call that runs here, as all that this causes.
    if (error < 0.6) roam::here().send<&note_refined>(0);
  }
};

roam::Task<> refine_all(roam::Runtime& rt, std::vector<roam::mobile_ptr<Piece>> pieces) {
  const roam::Epoch epoch = rt.begin_epoch();
  rt.in_epoch(epoch, [&] {
    for (const auto& piece : pieces) piece.send<&Piece::refine>();
  });
  // ... other work, in no epoch or in another one ...
  co_await rt.finished(epoch);  // nothing of it is left anywhere
  co_await rt.run_epoch([&] { pieces.front().send<&Piece::refine>(); });  // all of that in one
}
// [epochs]

// [costs]
void start(roam::mobile_ptr<Field> field, int n) {
  field.send_with<&Field::fill>({.weight = n / 1000.0}, n,
                                1.0);  // relative: scaled by what is measured
  field.send_with<&Field::fill>({.cost_seconds = 2e-6 * n}, n, 2.0);  // absolute: taken as it is
}
// [costs]

roam::Task<> use_several(roam::Runtime& rt) {
  const auto a = rt.create<Field>();
  const auto b = rt.create<Field>();
  a.send<&Field::fill>(10, 2.0);
  b.migrate(rt.size() - 1);
  if (co_await best_effort(b) != 5.0) throw roam::Error("a wrong sum");
  const std::vector<roam::mobile_ptr<Field>> twice{b, b};
  if (co_await sum_of_all(twice) != 10.0) throw roam::Error("a wrong sum of two");
  if (co_await flow(rt, a, b) != 1.0) throw roam::Error("a wrong flow");
  const auto half = rt.create<Half>();
  const auto other = rt.create<Half>(Half{half, 3.0});
  co_await other.call<&Half::average>();
  if (co_await other.call<&Half::get>() != 2.0) throw roam::Error("a wrong average");
}

roam::Task<> program(roam::Runtime& rt) {
  const double mean = co_await mean_of(rt, rt.rank().value());
  if (rt.rank() != 0) co_return;
  if (2 * mean != rt.size() - 1) throw roam::Error("a wrong mean");
  const double sum = co_await use(rt);
  const int cores = co_await count_cores(rt);
  co_await use_several(rt);
  const double heat = co_await heat_of_grid(rt);
  if (std::abs(heat - (600 * 3.0 + 0.5 + 4 * 0.1 + 25)) > 1e-9)
    throw roam::Error("the grid is too cold");
  if (co_await count_words(rt) != 52) throw roam::Error("words were lost");
  start(rt.create<Field>(), 5000);
  const std::vector<roam::mobile_ptr<Piece>> pieces{rt.create<Piece>(), rt.create<Piece>()};
  co_await refine_all(rt, pieces);
  std::printf("sum %.1f, at least one core per rank: %s\n", sum, cores >= rt.size() ? "yes" : "no");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
