// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/flow.md.
#include <cmath>
#include <cstdio>
#include <numeric>
#include <roam/flow/flow.hpp>
#include <roam/roam.hpp>
#include <span>
#include <vector>

namespace flow = roam::flow;

// [first]
roam::Task<double> first(roam::Runtime& rt) {
  flow::Flow fl(rt);
  auto x = fl.data(1.0);       // with a value
  auto y = fl.data<double>();  // the first task that uses it writes it
  fl.work([](const double& a, flow::Out<double> b, int n) { *b = a + n; }, x, y, 3);
  fl.work([](double& a) { a *= 2; }, x);  // once x has been read
  co_return co_await x.get() + co_await y.get();
}
// [first]

using Numbers = std::vector<long>;

// [nested]
void sum_of(flow::Flow& fl, flow::Handle<const Numbers> numbers, flow::Handle<long> sum, int from,
            int to) {
  if (to - from < 1000) {
    fl.work([](const Numbers& all, flow::Out<long> s, int a,
               int b) { *s = std::accumulate(all.begin() + a, all.begin() + b, 0L); },
            numbers, sum, from, to);
    return;
  }
  auto left = fl.data<long>();
  auto right = fl.data<long>();
  fl.work<&sum_of>(numbers, left, from, (from + to) / 2);
  fl.work<&sum_of>(numbers, right, (from + to) / 2, to);
  fl.work([](const long& a, const long& b, flow::Out<long> s) { *s = a + b; }, left, right, sum);
}
// [nested]

// [parts]
roam::Task<double> blocks(flow::Flow& fl) {
  auto u = fl.data(std::vector<double>(1000, 1.0));
  auto sum = fl.data(0.0);
  for (std::size_t at = 0; at < 1000; at += 250) {  // the four tasks run at once
    fl.work(
        [](std::span<double> block, double factor) {
          for (double& x : block) x *= factor;
        },
        u.part(at, at + 250), 1.0 + static_cast<double>(at));
  }
  fl.work([](std::span<const double> middle,
             double& s) { s = std::accumulate(middle.begin(), middle.end(), 0.0); },
          u.part(400, 600), sum);  // after the second and the third
  co_return co_await sum.get();
}
// [parts]

void halve(double& error) { error /= 2; }

// [while]
roam::Task<double> loop(flow::Flow& fl) {
  auto error = fl.data(1.0);
  auto rounds = fl.data(0);
  fl.while_([](const double& e) { return e > 1e-3; },
            [](flow::Flow& inner, flow::Handle<double> e, flow::Handle<int> n) {
              inner.work<&halve>(e);
              inner.work([](int& count) { ++count; }, n);
            },
            error, rounds);
  co_return co_await error.get() * co_await rounds.get();
}
// [while]

// [graph]
roam::Task<double> repeat(flow::Flow& fl, int steps) {
  auto x = fl.data(1.0);
  auto y = fl.data(2.0);
  for (int step = 0; step < steps; ++step) {
    fl.graph("step", [&] {
      fl.work([](const double& a, double& b, int n) { b += a * n; }, x, y, step);
      fl.work([](double& a, const double& b) { a = (a + b) / 2; }, x, y);
    });
    std::swap(x, y);
  }
  co_return co_await x.get();
}
// [graph]

struct Cell {
  double heat = 0;
};

// [collections]
roam::Task<double> cool(roam::Runtime& rt, int steps) {  // on all ranks
  flow::Flow fl(rt);
  auto plate = fl.collection<Cell>(roam::Index<2>{20, 30}, roam::Placement::block());
  auto old = fl.collection<Cell>(plate.extent());
  auto change = fl.data<double>();
  fl.for_each([](flow::Out<Cell> cell,
                 roam::Index<2> at) { cell->heat = 1.0 / static_cast<double>(1 + at[0] + at[1]); },
              plate.own(), plate.index());
  for (int step = 0; step < steps; ++step) {
    fl.for_each([](const Cell& now, flow::Out<Cell> then) { *then = now; }, plate.own(), old.own());
    fl.for_each(
        [](Cell& cell, const Cell& north, const Cell& south, flow::Reduce<double, roam::Max> most) {
          const double before = cell.heat;
          cell.heat = (north.heat + south.heat) / 2;
          most(std::abs(cell.heat - before));
        },
        plate.own(), old.at(-1, 0), old.at(1, 0), change);
  }
  co_return co_await change.get();  // on each rank the same
}
// [collections]

// [keys]
roam::Task<long> ring(roam::Runtime& rt) {  // on all ranks
  flow::Flow fl(rt);
  const int own = rt.rank().value();
  const int left = (own + rt.size() - 1) % rt.size();
  auto sum = fl.data(0L);
  auto value = fl.data(long{own});
  for (int step = 0; step < 3; ++step) {
    fl.publish(value, {"value", own, step});  // for one reader; may be changed at once
    auto theirs = fl.fetch<long>({"value", left, step});
    fl.work([](long& total, const long& other, long& mine) { total += other, mine += 10; }, sum,
            theirs, value);
  }
  co_return co_await sum.get();
}
// [keys]

// [phases]
roam::Task<long> uneven(roam::Runtime& rt) {  // on all ranks; --roam-balancer refine
  flow::Flow fl(rt);
  auto grains = fl.collection<long>(roam::Index<1>{64});
  auto sum = fl.data<long>();
  fl.for_each([](flow::Out<long> grain, roam::Index<1> at) { *grain = at[0]; }, grains.own(),
              grains.index());
  for (int step = 0; step < 4; ++step) {
    fl.for_each(
        [](long& grain, flow::Reduce<long, std::plus<>> total) {  // the first ones take longest
          roam::here().compute(std::chrono::microseconds(grain < 32 ? 400 : 40));
          total(grain);
        },
        grains.own(), sum);
    const auto report = co_await fl.phase();
    if (rt.rank() == 0)
      std::printf("imbalance %.2f, %d moved\n", report.imbalance(),
                  static_cast<int>(report.moved_objects));
  }
  co_return co_await sum.get();
}
// [phases]

// [objects]
struct Field {  // a mobile object like any other
  std::vector<double> values = std::vector<double>(8, 1.0);
  void push(const std::vector<double>& force, double dt) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += dt * force[i];
  }
  double energy() const {
    return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values);
  }
};

roam::Task<double> steer(roam::Runtime& rt, roam::mobile_ptr<Field> pointer) {  // on one rank
  flow::Flow fl(rt);
  const auto field = fl.adopt(pointer);
  auto force = fl.data(std::vector<double>(8, 0.5));
  auto sum = fl.data(0.0);
  for (int step = 0; step < 3; ++step) {
    fl.call<&Field::push>(field, force, 0.1);            // when the force is there
    const auto energy = fl.call<&Field::energy>(field);  // a Handle<double>
    fl.work([](std::vector<double>& f, const double& e, double& s) { f[0] -= e, s += e; }, force,
            energy, sum);
  }
  co_return co_await sum.get();
}
// [objects]

roam::Task<> program(roam::Runtime& rt) {
  const double change = co_await cool(rt, 50);
  const long grains = co_await uneven(rt);
  const long seen = co_await ring(rt);
  if (rt.rank() != 0) co_return;
  flow::Flow fl(rt);
  Numbers numbers(10'000);
  std::iota(numbers.begin(), numbers.end(), 1L);
  auto all = fl.data(numbers);
  auto sum = fl.data<long>();
  fl.work<&sum_of>(all, sum, 0, 10'000);
  const double both = co_await first(rt);
  const double last = co_await loop(fl);
  const double repeated = co_await repeat(fl, 6);
  const double middle = co_await blocks(fl);
  std::printf("%g %ld %g %.6g %ld %ld %g %g\n", both, co_await sum.get(), last, change, grains,
              seen, repeated, middle);
  const auto field = rt.create<Field>();
  field.migrate(rt.size() - 1);
  std::printf("%g\n", co_await steer(rt, field));
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
