// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <roam/roam.hpp>

#include "report.hpp"

namespace bench {

/// An element of 8 bytes.
struct ReducedCell {
  std::int64_t number = 0;
  ReducedCell() = default;
  explicit ReducedCell(const roam::Index<1>& index) : number(index[0] + 1) {}
  [[nodiscard]] std::int64_t value() const { return number; }
};
using ReducedCells = roam::collection<ReducedCell, 1>;

inline constexpr std::int64_t reduced_cells = 100'000;
inline constexpr int groups = 100;  // of which one moves at a time

/// On one rank: asks the elements of a group whose home this is to go to the next rank, or to come
/// back.
inline void move_group(ReducedCells cells, int group, bool comes_back) {
  const roam::Rank here = roam::here().rank();
  const roam::Rank away = (here.value() + 1) % roam::here().size();
  for (std::int64_t i = group; i < reduced_cells; i += groups) {
    if (cells.home(i) == here) cells[i].migrate(comes_back ? here : away);
  }
}

/// Seconds of one reduction, checked; with a group >= 0, while its elements migrate, who are asked
/// to by their homes at the same moment.
inline roam::Task<double> timed_reduction(ReducedCells cells, int group, bool comes_back) {
  roam::Runtime& rt = roam::here();
  const auto begin = std::chrono::steady_clock::now();
  for (std::int32_t r = 0; group >= 0 && r < rt.size(); ++r)
    rt.send<&move_group>(r, cells, group, comes_back);
  const std::int64_t sum = co_await cells.reduce<&ReducedCell::value, std::plus<>>();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  if (sum != reduced_cells * (reduced_cells + 1) / 2) {
    std::fprintf(stderr, "a wrong sum: %lld\n", static_cast<long long>(sum));
    std::exit(1);
  }
  co_return took.count();
}

/// A main program for all ranks: on rank 0, `pairs` times, the median of a few reductions while
/// nothing moves and of as many while one element in a hundred does; take(without, with) in
/// seconds. What moves has arrived before the next reduction begins.
inline roam::Task<> reduce_in_turn(roam::Runtime& rt, int pairs,
                                   std::function<void(double, double)> take) {
  constexpr int per_pair = 4;
  ReducedCells cells;
  if (rt.rank() == 0) {
    const roam::Index<1> extent{reduced_cells};
    cells = co_await rt.create_collection<ReducedCell>(extent, roam::Placement::block());
  }
  for (int pair = -1; pair < pairs; ++pair) {  // the first one warms up
    std::vector<double> still;
    std::vector<double> moving;
    for (int i = 0; i < per_pair; ++i) {
      if (rt.rank() == 0) still.push_back(co_await timed_reduction(cells, -1, false));
      co_await rt.quiescence();
      // Away and back, so that as many are away in one series as in the other.
      const int group = (per_pair * (pair + 1) + i) / 2 % groups;
      if (rt.rank() == 0) moving.push_back(co_await timed_reduction(cells, group, i % 2 == 1));
      co_await rt.quiescence();
    }
    if (rt.rank() == 0 && pair >= 0) take(quantile(still, 0.5), quantile(moving, 0.5));
  }
}

}  // namespace bench
