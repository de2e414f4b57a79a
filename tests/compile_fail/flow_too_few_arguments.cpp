// SPDX-License-Identifier: Apache-2.0
// EXPECT: too few arguments for the parameters of the task.s body
// ERRORS: 1
#include <roam/roam.hpp>

#include <roam/flow/flow.hpp>

void bad(roam::flow::Flow& fl) {
  auto x = fl.data(1.0);
  fl.work([](double& v, int n) { v += n; }, x);
}
