// SPDX-License-Identifier: Apache-2.0
// EXPECT: a handler must be a function or a method.*a lambda
// ERRORS: 1
#include <roam/roam.hpp>

void bad(roam::Runtime& rt) {
  rt.send<[](int) {}>(1, 3);
}
