// SPDX-License-Identifier: Apache-2.0
// EXPECT: a task.s lambda must not capture: what it uses is given to it as further arguments
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl, double dt) {
  auto x = fl.data(1.0);
  fl.work([dt](double& v) { v += dt; }, x);
}
