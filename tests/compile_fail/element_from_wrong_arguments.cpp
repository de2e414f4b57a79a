// SPDX-License-Identifier: Apache-2.0
// EXPECT: this_class_cannot_be_made_from_an_index_or_key_and_these_arguments_or_from_these_alone.*Cell
#include <roam/roam.hpp>

struct Cell {
  int size = 0;
  Cell() = default;
  explicit Cell(int cells) : size(cells) {}
};

roam::Task<> bad(roam::Runtime& rt) {
  const roam::Index<1> extent{10};
  auto made = rt.create_collection<Cell>(extent, roam::Placement::block(), 3, 4);
  static_cast<void>(co_await made);
}
