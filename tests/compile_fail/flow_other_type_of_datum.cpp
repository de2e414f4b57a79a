// SPDX-License-Identifier: Apache-2.0
// EXPECT: a parameter and the datum given to it have other types
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl) {
  auto x = fl.data(1);
  fl.work([](const double&) {}, x);
}
