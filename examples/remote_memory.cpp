// SPDX-License-Identifier: Apache-2.0
// The snippets of docs/remote_memory.md, compiled and run.
#include <cstdio>
#include <numeric>
#include <roam/roam.hpp>
#include <span>
#include <vector>

// [put]
roam::Task<double> put_and_get(roam::Runtime& rt) {
  auto& memory = rt.memory();
  const roam::Rank last(rt.size() - 1);
  const roam::remote_ptr<double> there = co_await memory.remote_alloc<double>(last, 1000);
  std::vector<double> values(1000, 0.5);
  auto put = memory.put(there, values);  // under way
  co_await put.local();                  // values may be used again
  values[7] = 2;
  co_await put;                         // the data is visible there
  co_await memory.put(there + 7, 3.0);  // a single element
  co_await memory.get(values, there);   // all of it back
  co_await memory.remote_free(there);
  co_return std::accumulate(values.begin(), values.end(), 0.0);
}
// [put]

// [expose]
roam::Task<> collect(roam::Runtime& rt, std::vector<int>& halo) {
  auto exposed = rt.memory().expose(std::span(halo));  // stays this rank's own memory
  const roam::remote_ptr<int> window = exposed.get();  // to be sent to whoever shall write
  co_await rt.memory().put(window + 1, 42);
  co_await rt.memory().withdraw(std::move(exposed));  // no transfer touches it any more
}
// [expose]

// [ops]
void scale(std::span<double> landed, double factor) {
  for (double& v : landed) v *= factor;
}

roam::Task<double> put_then_scale(roam::Runtime& rt, roam::remote_ptr<double> there) {
  const std::vector<double> values{1, 2, 3, 4};
  co_await rt.memory().put_op<&scale>(there, values, 10.0);  // scale runs where the data is
  co_await rt.quiescence();
  std::vector<double> back(4);
  co_await rt.memory().get_op<&scale>(back, there, 0.1);  // scale runs here, on `back`
  co_await rt.quiescence();
  co_return back[3];
}
// [ops]

// [shapes]
roam::Task<int> columns(roam::Runtime& rt) {
  auto& memory = rt.memory();
  const auto table = co_await memory.remote_alloc<int>(rt.size() - 1, 8 * 8);  // 8 rows of 8
  const std::vector<int> column{1, 2, 3, 4, 5, 6, 7, 8};
  const auto shape = roam::am::blocks(8, 1);
  co_await memory.put_strided(table + 2, roam::am::every(8), column, roam::am::every(1), shape);
  const std::vector<std::uint64_t> diagonal{0, 9, 18, 27};
  std::vector<int> picked(4);
  co_await memory.get_indexed(picked, table, diagonal);
  const int before = co_await memory.fetch_add(table + 18, 100);
  co_return picked[2] + before;
}
// [shapes]

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() != 0) {
    co_await rt.quiescence();  // the two of put_then_scale
    co_await rt.quiescence();
    co_return;
  }
  const double sum = co_await put_and_get(rt);
  std::vector<int> halo(4);
  co_await collect(rt, halo);
  const auto there = co_await rt.memory().remote_alloc<double>(rt.size() - 1, 4);
  const double last = co_await put_then_scale(rt, there);
  const int picked = co_await columns(rt);
  std::printf("sum %.1f, halo %d, last %.1f, picked %d\n", sum, halo[1], last, picked);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
