// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_operation_has_state_which_other_ranks_do_not_see
// An operator of a reduction over elements that captures something.
#include <roam/roam.hpp>

struct Cell {
  int size = 0;
  [[nodiscard]] int get() const { return size; }
};

roam::Task<> bad(roam::collection<Cell, 1> cells, int factor) {
  const auto scaled = [factor](int a, int b) { return factor * (a + b); };
  static_cast<void>(co_await cells.reduce<&Cell::get, decltype(scaled)>());
}
