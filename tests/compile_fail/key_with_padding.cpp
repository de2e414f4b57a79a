// SPDX-License-Identifier: Apache-2.0
// EXPECT: equal_keys_of_this_type_may_differ_in_their_bytes_so_give_it_a_serialize_member.*Key
#include <roam/roam.hpp>

struct Key {
  char letter = 'a';
  int number = 0;
};
struct Cell {
  int size = 0;
  [[nodiscard]] int get() const { return size; }
};

roam::Task<> bad(roam::sparse_collection<Cell, Key> cells) {
  const Key key;
  auto answer = cells[key].call<&Cell::get>();
  static_cast<void>(co_await answer);
}
