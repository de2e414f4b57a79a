// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/guide.md, compiled and run.
#include <chrono>
#include <cstdio>
#include <functional>
#include <roam/roam.hpp>
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
  start(rt.create<Field>(), 5000);
  std::printf("sum %.1f, at least one core per rank: %s\n", sum, cores >= rt.size() ? "yes" : "no");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
