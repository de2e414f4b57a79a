// SPDX-License-Identifier: Apache-2.0
// EXPECT: a handler must be a function or a method.*a lambda
// ERRORS: 1
#include <roam/roam.hpp>

struct Block {
  int size = 0;
};

roam::Task<> bad(roam::collection<Block, 2> blocks) {
  co_await blocks.for_all<[](Block& block) { block.size = 0; }>();
}
