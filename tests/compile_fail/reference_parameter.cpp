// SPDX-License-Identifier: Apache-2.0
// EXPECT: a parameter of a handler cannot be a non-const reference
// ERRORS: 1
#include <roam/roam.hpp>

void count(int& total) { ++total; }

void bad(roam::Runtime& rt) {
  int total = 0;
  rt.send<&count>(1, total);
}
