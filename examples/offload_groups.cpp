// SPDX-License-Identifier: Apache-2.0
// Groups of tasks: the difference of what two neighbouring cells look like on their common face.
// What is reconstructed of a cell is larger than the cell, and of no use once the difference is
// known.
//   example_offload_groups --roam-ranks 2 --roam-workers 1
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <roam/offload/group.hpp>
#include <roam/roam.hpp>
#include <utility>
#include <vector>

using Cell = std::vector<double>;

Cell reconstruct(const Cell& cell, int points) {
  Cell fine;
  for (const double value : cell)
    for (int k = 0; k < points; ++k) fine.push_back(value * std::cos(0.01 * k));
  return fine;
}

double difference(const Cell& left, const Cell& right) {
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) sum += std::abs(left[i] - right[i]);
  return sum;
}

roam::Task<> program(roam::Runtime& rt) {
  const std::size_t faces = rt.rank() == 0 ? 40 : 10;
  std::vector<Cell> cells(faces + 1, Cell(50));
  for (std::size_t i = 0; i < cells.size(); ++i) cells[i][0] = static_cast<double>(i * i);
  double sum = 0;
  for (int step = 0; step < 10; ++step) {
    std::vector<roam::offload::Result<double>> differences;
    for (std::size_t i = 0; i < faces; ++i) {
      const Cell& left = cells[i];
      const Cell& right = cells[i + 1];
      // [group]
      auto result =
          roam::offload::spawn_group<&difference>(rt, roam::offload::call<&reconstruct>(left, 100),
                                                  roam::offload::call<&reconstruct>(right, 100));
      // [group]
      differences.push_back(std::move(result));
    }
    for (const double one : co_await roam::offload::when_all(std::move(differences))) sum += one;
    co_await rt.barrier();
    roam::offload::next_step(rt);
  }
  const auto total = co_await rt.reduce<std::plus<>>(0, sum);
  if (rt.rank() == 0) std::printf("sum %.9f\n", *total);
}

int main(int argc, char** argv) { return roam::run(argc, argv, program); }
