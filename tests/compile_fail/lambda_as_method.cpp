// SPDX-License-Identifier: Apache-2.0
// EXPECT: a handler must be a function or a method.*a lambda
// ERRORS: 1
#include <roam/roam.hpp>

struct Widget {
  int size = 0;
};

auto bad(roam::mobile_ptr<Widget> widget) {
  return widget.call<[](Widget& w, int to) { return w.size = to; }>(3);
}
