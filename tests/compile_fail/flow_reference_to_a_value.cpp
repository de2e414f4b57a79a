// SPDX-License-Identifier: Apache-2.0
// EXPECT: a parameter T& is given a handle: a value belongs to the task alone
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl) {
  int count = 0;
  fl.work([](int& n) { ++n; }, count);
}
