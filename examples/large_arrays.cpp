// SPDX-License-Identifier: Apache-2.0
// Large arrays as arguments: the snippets of docs/large_arrays.md, compiled and run.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <roam/roam.hpp>
#include <span>
#include <vector>

// [view]
struct Subdomain {
  std::vector<double> cells = std::vector<double>(1 << 16);
  void take_halo(int at, std::span<const double> halo) {  // views the message's own memory
    std::ranges::copy(halo, cells.begin() + at);
  }
  double sum() const { return std::accumulate(cells.begin(), cells.end(), 0.0); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells);
  }
};

void send_halo(roam::mobile_ptr<Subdomain> neighbour, const std::vector<double>& mine) {
  neighbour.send<&Subdomain::take_halo>(0, std::span(mine).first(8192));  // copied once
  std::vector<double> computed(8192, 0.5);
  neighbour.send<&Subdomain::take_halo>(8192, std::move(computed));  // not copied
}
// [view]

// [hand_on]
void pass(int hops, roam::Array<double> values) {  // takes the message's memory over
  for (double& v : values) v += 1;
  if (hops == 0) return;
  roam::Runtime& rt = roam::here();
  rt.send<&pass>((rt.rank().value() + 1) % rt.size(), hops - 1, std::move(values));  // and on
}
// [hand_on]

// [answer]
roam::Array<double> solve(roam::Array<double> right_side) {
  for (double& v : right_side) v /= 2;
  return right_side;
}

roam::Task<double> ask(roam::Runtime& rt, std::vector<double> right_side) {
  auto reply = rt.request<&solve>(rt.size() - 1, std::move(right_side));
  const roam::Array<double> solution = co_await reply;
  co_return std::accumulate(solution.begin(), solution.end(), 0.0);
}
// [answer]

// [member]
struct Block {
  roam::Array<double> cells;  // the bulk
  std::vector<int> neighbours;
  void fill(std::size_t count) {
    cells = roam::Array<double>(count);
    std::ranges::fill(cells, 0.5);
  }
  double sum() const { return std::accumulate(cells.begin(), cells.end(), 0.0); }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(cells, neighbours);
  }
};
// [member]

// [by_pointer]
struct Layer {
  static constexpr bool moves_by_pointer = true;
  std::vector<double> values = std::vector<double>(1 << 20, 1.0);
  double first() const { return values.front(); }
  template <class Archive>
  void serialize(Archive& archive) {  // between processes
    archive(values);
  }
};
// [by_pointer]

roam::Task<> program(roam::Runtime& rt) {
  if (rt.rank() == 0) {
    rt.send<&pass>(1 % rt.size(), 2 * rt.size(), std::vector<double>(100'000));
    const auto neighbour = rt.create<Subdomain>();
    neighbour.migrate(rt.size() - 1);
    send_halo(neighbour, std::vector<double>(8192, 1.0));
    const double sum = co_await neighbour.call<&Subdomain::sum>();
    const double solved = co_await ask(rt, std::vector<double>(50'000, 2.0));
    std::printf("halos of %.0f, a solution of %.0f\n", sum, solved);
    const auto block = rt.create<Block>();
    block.send<&Block::fill>(100'000);
    block.migrate(rt.size() - 1);
    const double moved = co_await block.call<&Block::sum>();
    const auto layer = rt.create<Layer>();
    layer.migrate(rt.size() - 1);
    const double first = co_await layer.call<&Layer::first>();
    if (sum != 8192 * 1.5 || solved != 50'000 || moved != 50'000 || first != 1)
      throw roam::Error("wrong sums");
  }
  co_await rt.quiescence();
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
