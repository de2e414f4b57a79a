// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/guide.md, compiled and run.
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

roam::Task<> program(roam::Runtime& rt) {
  const double mean = co_await mean_of(rt, rt.rank().value());
  if (rt.rank() != 0) co_return;
  if (2 * mean != rt.size() - 1) throw roam::Error("a wrong mean");
  const double sum = co_await use(rt);
  const int cores = co_await count_cores(rt);
  start(rt.create<Field>(), 5000);
  const std::vector<roam::mobile_ptr<Piece>> pieces{rt.create<Piece>(), rt.create<Piece>()};
  co_await refine_all(rt, pieces);
  std::printf("sum %.1f, at least one core per rank: %s\n", sum, cores >= rt.size() ? "yes" : "no");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
