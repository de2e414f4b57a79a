// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/guide.md, compiled and run.
#include <cstdio>
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

// [costs]
void start(roam::mobile_ptr<Field> field, int n) {
  field.send_with<&Field::fill>({.weight = n / 1000.0}, n,
                                1.0);  // relative: scaled by what is measured
  field.send_with<&Field::fill>({.cost_seconds = 2e-6 * n}, n, 2.0);  // absolute: taken as it is
}
// [costs]

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() != 0) co_return;
  const double sum = co_await use(rt);
  const int cores = co_await count_cores(rt);
  start(rt.create<Field>(), 5000);
  std::printf("sum %.1f, at least one core per rank: %s\n", sum, cores >= rt.size() ? "yes" : "no");
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
