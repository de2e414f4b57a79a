// SPDX-License-Identifier: Apache-2.0
// Const methods of mobile objects as offloadable tasks: each cell is an object, and rank 0 has more
// of them than the others. What a task needs of its cell is a part of it, its values.
//   example_offload_methods --roam-ranks 2 --roam-workers 1
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <roam/offload/as_task.hpp>
#include <roam/roam.hpp>
#include <utility>
#include <vector>

struct Values {
  std::vector<double> at_points = std::vector<double>(50, 1.0);
  double rate(double dt) const {  // reads the values, wherever they are
    double sum = 0;
    for (const double value : at_points)
      for (int k = 0; k < 200; ++k) sum += dt * std::sin(value + k);
    return sum;
  }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(at_points);
  }
};

class Cell {
 public:
  void advance(double rate) {
    for (double& value : values_.at_points) value += rate;
    ++steps_;
  }
  const Values& values() const { return values_; }
  double first() const { return values_.at_points[0] + steps_; }
  template <class Archive>
  void serialize(Archive& archive) {
    archive(values_, steps_);
  }

 private:
  Values values_;
  int steps_ = 0;
};

roam::Task<> program(roam::Runtime& rt) {
  std::vector<roam::mobile_ptr<Cell>> cells;
  for (int i = 0; i < (rt.rank() == 0 ? 80 : 20); ++i) cells.push_back(rt.create<Cell>());
  for (int step = 0; step < 10; ++step) {
    std::vector<roam::Reply<double>> rates;
    for (const roam::mobile_ptr<Cell> cell : cells) {
      // [method]
      auto rate = cell.call<roam::offload::as_task<&Values::rate, &Cell::values>>(1e-5);
      // [method]
      rates.push_back(std::move(rate));
    }
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].send<&Cell::advance>(co_await rates[i]);
    co_await rt.barrier();
    roam::offload::next_step(rt);
  }
  double sum = 0;
  for (const roam::mobile_ptr<Cell> cell : cells) sum += co_await cell.call<&Cell::first>();
  const auto total = co_await rt.reduce<std::plus<>>(0, sum);
  if (rt.rank() == 0) std::printf("sum %.9f\n", *total);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
